//! Notifications for users who are away: requests, push messages, webhooks, and the rules of
//! outgoing requests.

mod endpoint; // another server, to which the server sends requests
mod push; // push messages to browsers
mod webhooks; // webhooks, and where requests may go

use data_encoding::BASE64URL_NOPAD;
use endpoint::Received;
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral},
    hmac,
    rand::SystemRandom,
    signature,
};
use serde_json::{Value, json};

use crate::harness::{Peer, Server, game, http};

fn at(path: u32) -> BrowserSubscription {
    BrowserSubscription::new(format!("https://push.example.net/{path}"))
}

async fn endpoints(peer: &mut Peer) -> Vec<String> {
    let list = peer.ask(json!({"type": "push_list"})).await;
    let all = list["subscriptions"].as_array().unwrap();
    all.iter().map(|one| one["endpoint"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_servers_key_and_subscriptions_survive_a_restart() {
    let (mut server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    ann.ask(at(1).request()).await;
    server.crash().await;
    let before = ann.welcome["push"].clone();
    assert_eq!(before["key"].as_str().unwrap().len(), 87);
    let mut ann = ann.reconnect(&server).await;
    assert_eq!(ann.welcome["push"], before);
    assert_eq!(endpoints(&mut ann).await, ["https://push.example.net/1"]);
    ann.ask(json!({"type": "push_unsubscribe", "endpoint": "https://push.example.net/1"})).await;
    assert!(endpoints(&mut ann).await.is_empty());
}

#[tokio::test]
async fn one_more_subscription_deletes_the_oldest() {
    let (_server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    for path in 1..=11 {
        ann.ask(at(path).request()).await;
    }
    let kept = endpoints(&mut ann).await;
    assert_eq!(kept.len(), 10);
    assert!(!kept.contains(&"https://push.example.net/1".to_owned()), "{kept:?}");
}

#[tokio::test]
async fn a_subscription_ends_with_its_token_and_has_one_user() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let phone = ann.ask(json!({"type": "token_create", "label": "phone"})).await;
    let mut phone_session = Peer::with_token(&server, phone["token"].as_str().unwrap()).await;
    phone_session.ask(at(1).request()).await;
    ann.ask(at(2).request()).await;
    assert_eq!(endpoints(&mut ann).await.len(), 2);
    ann.ask(json!({"type": "token_revoke", "token": phone["token_id"]})).await;
    assert_eq!(endpoints(&mut ann).await, ["https://push.example.net/2"]);

    // Another user of the same browser.
    let mut bob = Peer::guest(&server, "bob").await;
    bob.ask(at(2).request()).await;
    assert!(endpoints(&mut ann).await.is_empty());
    let delete = json!({"type": "push_unsubscribe", "endpoint": "https://push.example.net/2"});
    ann.refused(delete, "not_found").await;
    assert_eq!(endpoints(&mut bob).await.len(), 1);
}

#[tokio::test]
async fn invalid_subscriptions_are_refused() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let good = at(1).request();
    for (field, value) in [
        ("endpoint", "http://push.example.net/1".to_owned()),
        ("endpoint", "https://127.0.0.1/1".to_owned()),
        ("endpoint", format!("https://push.example.net/{}", "a".repeat(1024))),
        ("p256dh", "A".repeat(87)),
        ("auth", "BTBZMqHH6r4Tts7J_aSI".to_owned()),
    ] {
        let mut wrong = good.clone();
        wrong[field] = value.into();
        ann.refused(wrong, "bad_message").await;
    }
    Peer::anonymous(&server).await.refused(good, "forbidden").await;
}

#[tokio::test]
async fn the_configuration_switches_notifications_off() {
    let server = Server::with(|setup| {
        setup.set("notifications", "push", false);
        setup.set("notifications", "webhooks", false);
    })
    .await;
    let mut ann = Peer::account(&server, "ann").await;
    assert_eq!(ann.welcome.get("push"), None);
    assert!(!server.data().join("vapid.key").exists());
    ann.refused(at(1).request(), "forbidden").await;
    let set = json!({"type": "webhook_set", "url": "https://hooks.example.net/"});
    ann.refused(set, "forbidden").await;
    ann.refused(json!({"type": "webhook_get"}), "forbidden").await;
}

#[tokio::test]
async fn a_feed_has_a_users_live_and_finished_games() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let finished = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "resign", "game": finished})).await;
    ann.next_event(&finished, "ended").await;
    let live = game::start_and_play(&mut [&mut ann, &mut bob], 1).await;

    let answer = http::ask(&server, "GET", "/user/ANN/feed.atom").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "application/atom+xml; charset=utf-8");
    let feed = answer.text().await;
    let places = [
        "<title>Games of ann</title>",
        &format!("<id>http://localhost/game/{live}</id>"),
        "<summary>bob is to move after 1 move</summary>",
        &format!("<id>http://localhost/game/{finished}</id>"),
        "<summary>bob won after 0 moves</summary>",
    ]
    .map(|text| feed.find(text).unwrap_or_else(|| panic!("{text} is missing:\n{feed}")));
    assert!(places.is_sorted(), "{feed}");

    let missing = http::ask(&server, "GET", "/user/nobody/feed.atom").await;
    assert_eq!(missing.status, 404);
}

const AUTH: [u8; 16] = *b"sixteen  secrets";

/// A subscription that can open one message.
struct BrowserSubscription {
    secret: EphemeralPrivateKey,
    public: Vec<u8>,
    endpoint: String,
}

impl BrowserSubscription {
    fn new(endpoint: String) -> Self {
        let secret = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let public = secret.compute_public_key().unwrap().as_ref().to_vec();
        Self { secret, public, endpoint }
    }

    /// The request that stores it.
    fn request(&self) -> Value {
        json!({
            "type": "push_subscribe",
            "endpoint": self.endpoint,
            "p256dh": BASE64URL_NOPAD.encode(&self.public),
            "auth": BASE64URL_NOPAD.encode(&AUTH),
        })
    }

    /// Decrypts a message.
    fn open(self, received: &Received) -> Value {
        let body = &received.body;
        let (salt, rest) = body.split_at(16);
        let (size, rest) = rest.split_at(4);
        assert_eq!(u32::from_be_bytes(size.try_into().unwrap()), 4096);
        assert_eq!(rest[0], 65, "the id of the key is a point");
        let (sender, sealed) = rest[1..].split_at(65);
        let theirs = UnparsedPublicKey::new(&ECDH_P256, sender);
        let shared = agree_ephemeral(self.secret, &theirs, <[u8]>::to_vec).unwrap();
        let info = [b"WebPush: info\0", self.public.as_slice(), sender].concat();
        let input = derive(&AUTH, &shared, &info);
        let key = derive(salt, &input, b"Content-Encoding: aes128gcm\0");
        let nonce = derive(salt, &input, b"Content-Encoding: nonce\0");
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key[..16]).unwrap());
        let nonce = Nonce::try_assume_unique_for_key(&nonce[..12]).unwrap();
        let mut sealed = sealed.to_vec();
        let plain = key.open_in_place(nonce, Aad::empty(), &mut sealed).unwrap();
        let (end, message) = plain.split_last().unwrap();
        assert_eq!(*end, 2, "this is the last record");
        serde_json::from_slice(message).unwrap()
    }
}

/// HKDF with one block of output.
fn derive(salt: &[u8], input: &[u8], info: &[u8]) -> Vec<u8> {
    let mac = |key: &[u8], data: &[u8]| {
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), data).as_ref().to_vec()
    };
    mac(&mac(salt, input), &[info, &[1]].concat())
}

/// Verifies the token of a request by the server's public key; returns its claims.
fn verified_claims(received: &Received, key: &str) -> Value {
    let said = &received.headers["authorization"];
    let (token, named) = said.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    assert_eq!(named, key);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let bytes = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
    let key = bytes(key);
    signature::UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, key)
        .verify(signed.as_bytes(), &bytes(signature))
        .unwrap();
    let (header, claims) = signed.split_once('.').unwrap();
    let header: Value = serde_json::from_slice(&bytes(header)).unwrap();
    assert_eq!(header, json!({"typ": "JWT", "alg": "ES256"}));
    serde_json::from_slice(&bytes(claims)).unwrap()
}
