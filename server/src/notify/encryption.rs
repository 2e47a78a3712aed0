//! The encryption of push messages: `aes128gcm` (RFC 8188) with the keys of RFC 8291.

use aes_gcm::{
    Aes128Gcm,
    aead::{Aead as _, KeyInit as _},
};
use data_encoding::{BASE64URL_NOPAD, DecodeError};
use hkdf::Hkdf;
use p256::{PublicKey, SecretKey};
use sha2::Sha256;

use crate::limits::PUSH_RECORD_BYTES;

/// The delimiter after the plain text of the last record.
const LAST_RECORD: u8 = 2;

/// The keys of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SubscriberKeys {
    public: PublicKey,
    auth: [u8; 16],
}

impl SubscriberKeys {
    /// Returns the keys; `None` if they are not a point of P-256 and 16 bytes.
    pub(super) fn new(public: &[u8], auth: &[u8]) -> Option<Self> {
        let public = PublicKey::from_sec1_bytes(public).ok()?;
        Some(Self { public, auth: auth.try_into().ok()? })
    }

    /// Reads the keys as browsers write them: base64url, with or without padding.
    pub(super) fn read(public: &str, auth: &str) -> Option<Self> {
        let read = |text: &str| -> Result<Vec<u8>, DecodeError> {
            BASE64URL_NOPAD.decode(text.trim_end_matches('=').as_bytes())
        };
        Self::new(&read(public).ok()?, &read(auth).ok()?)
    }

    /// The public key as an uncompressed point.
    pub(super) fn public_bytes(&self) -> Vec<u8> {
        self.public.to_sec1_bytes().into_vec()
    }

    /// The authentication secret.
    pub(super) const fn auth(&self) -> [u8; 16] {
        self.auth
    }

    /// Encrypts a message as one record. The secret and the salt are new for each message.
    pub(super) fn encrypt(&self, message: &[u8], secret: &SecretKey, salt: [u8; 16]) -> Vec<u8> {
        let (theirs, ours) = (self.public_bytes(), secret.public_key().to_sec1_bytes());
        let shared = secret.diffie_hellman(&self.public);
        let mut info = b"WebPush: info\0".to_vec();
        info.extend_from_slice(&theirs);
        info.extend_from_slice(&ours);
        let mut input = [0; 32];
        expand(&self.auth, shared.raw_secret_bytes(), &info, &mut input);
        let (mut key, mut nonce) = ([0; 16], [0; 12]);
        expand(&salt, &input, b"Content-Encoding: aes128gcm\0", &mut key);
        expand(&salt, &input, b"Content-Encoding: nonce\0", &mut nonce);

        let mut plain = message.to_vec();
        plain.push(LAST_RECORD);
        let sealed = Aes128Gcm::new(&key.into())
            .encrypt(&nonce.into(), plain.as_slice())
            .expect("a message is far shorter than the cipher's limit");
        let mut body = salt.to_vec();
        body.extend_from_slice(&PUSH_RECORD_BYTES.to_be_bytes());
        body.push(u8::try_from(ours.len()).expect("a point has 65 bytes"));
        body.extend_from_slice(&ours);
        body.extend_from_slice(&sealed);
        body
    }
}

fn expand(salt: &[u8], input: &[u8], info: &[u8], output: &mut [u8]) {
    let derived = Hkdf::<Sha256>::new(Some(salt), input).expand(info, output);
    derived.expect("the output is shorter than 255 hashes");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 8291, section 5.
    #[test]
    fn the_example_of_the_standard_is_encrypted_alike() {
        let bytes = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
        let secret = SecretKey::from_slice(&bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"));
        let keys = SubscriberKeys::read(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        );
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let message = b"When I grow up, I want to be a watermelon";
        let body = keys.unwrap().encrypt(message, &secret.unwrap(), salt);
        assert_eq!(
            BASE64URL_NOPAD.encode(&body),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml\
             mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT\
             pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn keys_that_are_none_are_rejected() {
        let public = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
        let auth = "BTBZMqHH6r4Tts7J_aSIgg";
        assert!(SubscriberKeys::read(&format!("{public}="), &format!("{auth}==")).is_some());
        let off_the_curve = public.replace("iw4", "iw8");
        for (public, auth) in [(public, "BTBZ"), (&off_the_curve, auth), ("", auth), ("?", auth)] {
            assert_eq!(SubscriberKeys::read(public, auth), None, "{public} {auth}");
        }
    }
}
