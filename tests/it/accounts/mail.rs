//! Mail addresses of accounts: the code that confirms one, and the code for a new password.

use std::{path::PathBuf, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    admin::govern,
    harness::{PASSWORD, Peer, Server, Setup},
};

/// A mailbox in place of the operator's command, which hands each mail over as it comes.
struct Mailbox {
    folder: TempDir,
}

impl Mailbox {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let made = Command::new("mkfifo").arg(folder.path().join("mails")).status();
        assert!(made.expect("mkfifo").success());
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("mails")
    }

    fn configure(&self, setup: &mut Setup) {
        let path = self.path().display().to_string();
        let command = ["sh", "-c", "cat >\"$0\"", &path].map(ToOwned::to_owned);
        setup.set("mail", "command", command.to_vec());
        setup.set("mail", "from", "Adamant <adamant@example.org>");
        setup.set("notifications", "url", "https://play.example.org");
    }

    async fn server(&self) -> Server {
        Server::with(|setup| self.configure(setup)).await
    }

    /// Waits for the next mail.
    async fn next(&self) -> String {
        let path = self.path();
        let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path));
        read.await.expect("a thread").expect("a mail")
    }
}

/// The code in a mail.
fn code(mail: &str) -> &str {
    mail.lines().find_map(|line| line.strip_prefix("Code: ")).expect("a code")
}

fn set(address: &str) -> Value {
    json!({"type": "mail_set", "password": PASSWORD, "address": address})
}

fn confirm(code: &str) -> Value {
    json!({"type": "mail_confirm", "code": code})
}

#[tokio::test]
async fn a_confirmed_address_is_sent_a_code_for_a_new_password() {
    let mailbox = Mailbox::new();
    let server = mailbox.server().await;
    let mut ann = Peer::account(&server, "ann").await;
    assert_eq!(ann.welcome["mail"], true);
    ann.ask(set("ann@example.org")).await;
    let mail = mailbox.next().await;
    assert!(
        mail.starts_with("From: Adamant <adamant@example.org>\nTo: ann@example.org\n"),
        "{mail}"
    );
    assert!(mail.contains("ann at https://play.example.org"), "{mail}");
    let shown = ann.ask(json!({"type": "mail_get"})).await;
    assert_eq!((&shown["address"], &shown["waiting"]), (&Value::Null, &json!("ann@example.org")));
    ann.refused(confirm("wrong"), "unauthorized").await;
    ann.ask(confirm(code(&mail))).await;
    ann.refused(confirm(code(&mail)), "unauthorized").await;
    let shown = ann.ask(json!({"type": "mail_get"})).await;
    assert_eq!((&shown["address"], &shown["waiting"]), (&json!("ann@example.org"), &Value::Null));

    let mut stranger = Peer::anonymous(&server).await;
    let ask = |user: &str| json!({"type": "password_mail", "user": user});
    // Nobody learns who has an address. The next mail is Ann's.
    stranger.ask(ask("nobody")).await;
    stranger.ask(ask("Ann")).await;
    let mail = mailbox.next().await;
    assert!(mail.contains("\nTo: ann@example.org\n"), "{mail}");
    let reset =
        json!({"type": "password_reset", "user": "ann", "code": code(&mail), "new": "open barley"});
    stranger.ask(reset.clone()).await;
    stranger.refused(reset, "unauthorized").await;
    assert_eq!(ann.expect_close().await, 4007);
}

#[tokio::test]
async fn an_address_takes_a_password_and_is_an_address() {
    let mailbox = Mailbox::new();
    let server = mailbox.server().await;
    let mut ann = Peer::account(&server, "ann").await;
    for wrong in ["ann", "ann@x\nBcc: bob@example.org", "-oQ@example.org"] {
        ann.refused(set(wrong), "bad_message").await;
    }
    let stolen =
        json!({"type": "mail_set", "password": "open barley", "address": "eve@example.org"});
    ann.refused(stolen, "unauthorized").await;
    ann.ask(set("ann@example.org")).await;
    ann.ask(confirm(code(&mailbox.next().await))).await;
    ann.ask(json!({"type": "mail_set", "password": PASSWORD})).await;
    let shown = ann.ask(json!({"type": "mail_get"})).await;
    assert_eq!((&shown["address"], &shown["waiting"]), (&Value::Null, &Value::Null));
    let mut guest = Peer::guest(&server, "bob").await;
    guest.refused(set("bob@example.org"), "forbidden").await;
}

#[tokio::test]
async fn a_server_without_a_command_sends_no_mail() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    assert_eq!(ann.welcome["mail"], Value::Null);
    ann.refused(set("ann@example.org"), "forbidden").await;
    let mut stranger = Peer::anonymous(&server).await;
    stranger.refused(json!({"type": "password_mail", "user": "ann"}), "forbidden").await;
}

#[tokio::test]
async fn a_user_may_ask_for_so_many_mails_a_day() {
    let mailbox = Mailbox::new();
    let server = Server::one_node(|setup| mailbox.configure(setup)).await;
    let mut ann = Peer::account(&server, "ann").await;
    for number in 0..5 {
        ann.ask(set(&format!("ann{number}@example.org"))).await;
    }
    let refusal = ann.refused(set("ann@example.org"), "rate_limited").await;
    assert_eq!(refusal["limit"], "mails_per_day");
}

#[tokio::test]
async fn a_code_that_is_no_mailed_one_outlives_mails_and_ends_the_address() {
    let mailbox = Mailbox::new();
    let server = mailbox.server().await;
    let mut ann = Peer::account(&server, "ann").await;
    ann.ask(set("eve@example.org")).await;
    ann.ask(confirm(code(&mailbox.next().await))).await;
    let kept =
        govern(&server, &["users", "reset-code", "ann", "--reason", "lost"]).await["code"].clone();
    let mut stranger = Peer::anonymous(&server).await;
    stranger.ask(json!({"type": "password_mail", "user": "ann"})).await;
    let mailed = mailbox.next().await;
    let reset = |code: &str| json!({"type": "password_reset", "user": "ann", "code": code, "new": "open barley"});
    stranger.ask(reset(kept.as_str().expect("a code"))).await;
    // The address may be that of whoever had the password.
    stranger.refused(reset(code(&mailed)), "unauthorized").await;
    stranger.ask(json!({"type": "password_mail", "user": "ann"})).await;
    let mut back = Peer::connect(server.address()).await;
    back.hello(json!({"auth": {"user": "ann", "password": "open barley"}})).await;
    let shown = back.ask(json!({"type": "mail_get"})).await;
    assert_eq!((&shown["address"], &shown["waiting"]), (&Value::Null, &Value::Null));
}
