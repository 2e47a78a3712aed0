//! The browser's side of Web Push, with another cryptography library than the server's: a
//! subscription, the decryption of a message (RFC 8188, RFC 8291) and the token of its sender
//! (RFC 8292).

use data_encoding::BASE64URL_NOPAD;
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral},
    hmac,
    rand::SystemRandom,
    signature,
};
use serde_json::{Value, json};

use super::endpoint::Received;

const AUTH: [u8; 16] = *b"sixteen  secrets";

/// A subscription that can open one message.
pub(super) struct BrowserSubscription {
    secret: EphemeralPrivateKey,
    public: Vec<u8>,
    endpoint: String,
}

impl BrowserSubscription {
    pub(super) fn new(endpoint: String) -> Self {
        let secret = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let public = secret.compute_public_key().unwrap().as_ref().to_vec();
        Self { secret, public, endpoint }
    }

    /// The request that stores it.
    pub(super) fn request(&self) -> Value {
        json!({
            "type": "push_subscribe",
            "endpoint": self.endpoint,
            "p256dh": BASE64URL_NOPAD.encode(&self.public),
            "auth": BASE64URL_NOPAD.encode(&AUTH),
        })
    }

    /// Decrypts a message.
    pub(super) fn open(self, received: &Received) -> Value {
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
pub(super) fn verified_claims(received: &Received, key: &str) -> Value {
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
