//! Mail to accounts, by a command of the operator: the code that confirms an address, and the code
//! for a new password. The server itself sends nothing.

use std::{
    fmt::Write as _,
    iter::once,
    sync::{Arc, OnceLock},
};

use adamant_protocol::UserName;
use tokio::{process::Command, sync::mpsc};

use super::{
    throttle::Throttle,
    tokens::{TokenDigest, code_digest, new_code},
};
use crate::{
    config::MailConfig,
    limits::{MAIL_CODE_LIFE, MAIL_COMMAND_WAIT, MAILS_QUEUED_MAX},
    runtime::{
        commands::feed,
        entropy::Entropy,
        metrics::{MailOutcome, Metrics},
        shutdown::Lifecycle,
        time::{TimeSource, milliseconds},
    },
    store::{Store, StoreError},
};

/// A mail that waits for the command.
#[derive(Debug)]
pub(super) enum Letter {
    /// The code that confirms the address of an account.
    Confirm { user: UserName, address: Box<str>, code: Box<str> },
    /// A code for a new password, if the account has an address. It is looked up late, so that the
    /// answer to the request takes as long for a name that nobody has.
    Reset { user: UserName },
}

/// The queue of mails; without a command there is none.
#[derive(Debug, Clone, Default)]
pub(super) struct MailQueue(Arc<OnceLock<mpsc::Sender<Letter>>>);

impl MailQueue {
    pub(super) fn is_open(&self) -> bool {
        self.0.get().is_some()
    }

    /// Returns whether there was place.
    pub(super) fn put(&self, letter: Letter) -> bool {
        self.0.get().is_some_and(|queue| queue.try_send(letter).is_ok())
    }
}

/// Hands mails to the command, one after the other.
pub(super) struct Mailer {
    pub(super) store: Store,
    pub(super) throttle: Arc<Throttle>,
    pub(super) time: TimeSource,
    pub(super) entropy: Entropy,
    pub(super) metrics: Arc<Metrics>,
    pub(super) config: MailConfig,
    /// The server as readers know it.
    pub(super) server: String,
}

impl Mailer {
    /// Starts the task that takes mails from the queue until the server stops.
    pub(super) fn start(self, queue: &MailQueue, lifecycle: &Lifecycle) {
        let (sender, mut letters) = mpsc::channel(MAILS_QUEUED_MAX);
        queue.0.set(sender).expect("mail is started once");
        let stop = lifecycle.soft.clone();
        lifecycle.tasks.spawn(async move {
            while let Some(Some(letter)) = stop.run_until_cancelled(letters.recv()).await {
                self.send(letter).await;
            }
        });
    }

    async fn send(&self, letter: Letter) {
        let outcome = match letter {
            Letter::Confirm { user, address, code } => {
                if self.allows("confirm", &address) {
                    self.run(self.confirmation(&user, &address, &code)).await
                } else {
                    MailOutcome::RateLimited
                }
            }
            Letter::Reset { user } => match self.reset(user).await {
                Ok(Some(outcome)) => outcome,
                Ok(None) => return,
                Err(error) => {
                    Self::warn(&error);
                    MailOutcome::Failed
                }
            },
        };
        self.metrics.count_mail(outcome);
    }

    fn allows(&self, kind: &str, address: &str) -> bool {
        self.throttle.mail_to(kind, address, self.time.now_ms())
    }

    /// Sends a code to a user who has an address; returns `None` for others. An earlier code ends
    /// only if another one is sent.
    async fn reset(&self, user: UserName) -> Result<Option<MailOutcome>, StoreError> {
        let Some((id, address)) = self.store.mail_address_of(user.clone()).await? else {
            return Ok(None);
        };
        if !self.allows("reset", &address) {
            return Ok(Some(MailOutcome::RateLimited));
        }
        let (code, digest, until) = new_mail_code(&self.entropy, &self.time);
        self.store.set_mailed_code(id, address.clone(), digest.0, until).await?;
        Ok(Some(self.run(self.new_password(&user, &address, &code)).await))
    }

    async fn run(&self, text: String) -> MailOutcome {
        let [program, arguments @ ..] = &self.config.command[..] else {
            return MailOutcome::Failed;
        };
        let mut command = Command::new(program);
        let parts = once(Ok(text.into()));
        match feed(command.args(arguments), parts, MAIL_COMMAND_WAIT).await {
            Ok(()) => MailOutcome::Accepted,
            Err(error) => {
                Self::warn(&error);
                MailOutcome::Failed
            }
        }
    }

    fn warn(error: &dyn std::error::Error) {
        // operator: `mail.command` failed, or the store; users ask for their mail again
        tracing::warn!(%error, "sending mail failed");
    }

    fn confirmation(&self, user: &UserName, address: &str, code: &str) -> String {
        let server = &self.server;
        let body = format!(
            "The account {user} at {server} is to have this address.\n\n\
             Code: {code}\n\n\
             Enter it in your account, or run `adamant mail confirm {code}`.\n\
             It is valid for an hour.\n\n\
             If you have no such account, do nothing: without the code nothing happens.\n"
        );
        self.letter(address, &format!("Confirm your address for {user}"), &body)
    }

    fn new_password(&self, user: &UserName, address: &str, code: &str) -> String {
        let server = &self.server;
        let body = format!(
            "Somebody asks for a new password for the account {user} at {server}.\n\n\
             Code: {code}\n\n\
             Enter it where you log in, or run `adamant password --reset {user}`.\n\
             It is valid for an hour, once.\n\n\
             If it was not you, do nothing: nobody else has the code.\n"
        );
        self.letter(address, &format!("A new password for {user}"), &body)
    }

    /// A mail in the form of RFC 5322 with lines that end as the system's do, as sendmail reads
    /// them. Programs that answer mail leave it alone (RFC 3834).
    fn letter(&self, address: &str, subject: &str, body: &str) -> String {
        let mut text = String::new();
        let headers = [
            ("From", self.config.from.as_str()),
            ("To", address),
            ("Subject", subject),
            ("Auto-Submitted", "auto-generated"),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=us-ascii"),
        ];
        for (name, value) in headers {
            writeln!(text, "{name}: {value}").expect("a string takes all");
        }
        text.push('\n');
        text.push_str(body);
        text
    }
}

/// A code for a mail, what the store keeps of it, and when it ends in epoch milliseconds.
pub(super) fn new_mail_code(entropy: &Entropy, time: &TimeSource) -> (Box<str>, TokenDigest, u64) {
    let code = new_code(&mut entropy.clone());
    let digest = code_digest(&code);
    (code, digest, time.now_ms() + milliseconds(MAIL_CODE_LIFE))
}
