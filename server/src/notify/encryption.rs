//! The keys of push subscriptions (RFC 8291).

use data_encoding::{BASE64URL_NOPAD, DecodeError};
use p256::PublicKey;

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
}

#[cfg(test)]
mod tests {
    use super::*;

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
