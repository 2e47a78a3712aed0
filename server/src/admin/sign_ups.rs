//! `sign-up`: who may, whether guests may come, and invitations.

use rand::RngExt as _;
use serde::Serialize;

use super::{
    effects,
    error::AdminError,
    operator::{Answered, Operator, answer_of, done},
};
use crate::{
    admin_words::{SignUp, SignUpWord, Switch},
    limits::ADMIN_PAGE_MAX,
    policy::Policy,
    runtime::{entropy::Entropy, time::milliseconds},
    store::{Act, StoredInvitation},
};

/// The characters of an invitation: none looks like another.
const CHARACTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// The characters in an invitation: 80 bits, which nobody guesses at the rate of sign-ups.
const LENGTH: usize = 16;

#[derive(Debug, Serialize)]
struct SignUpState {
    accounts: SignUp,
    guests: Switch,
}

#[derive(Debug, Serialize)]
struct Invitations {
    invitations: Vec<Invitation>,
}

#[derive(Debug, Serialize)]
struct Invitation {
    code: String,
    uses: u32,
    by: String,
    made_at: u64,
    until: u64,
}

impl From<StoredInvitation> for Invitation {
    fn from(stored: StoredInvitation) -> Self {
        let StoredInvitation { code, uses, made_by, made_at, until } = stored;
        Self { code, uses, by: made_by, made_at, until }
    }
}

pub(super) async fn carry_out(operator: &Operator, word: SignUpWord, act: Act) -> Answered {
    let store = &operator.services.store;
    match word {
        SignUpWord::Show => state(operator),
        SignUpWord::Accounts { who, .. } => set(operator, Policy::SIGN_UP, &who, act).await,
        SignUpWord::Guests { may, .. } => set(operator, Policy::GUESTS, &may, act).await,
        SignUpWord::Invite { count, uses, lasts, .. } => {
            let mut entropy = operator.services.entropy.clone();
            let codes: Vec<String> = (0..count).map(|_| code(&mut entropy)).collect();
            let (by, made_at) = (act.who.clone(), act.at);
            let until = made_at.saturating_add(milliseconds(lasts));
            store.add_invitations(codes.clone(), (uses, until), act).await?;
            let made = |code| Invitation { code, uses, by: by.clone(), made_at, until };
            answer_of(&Invitations { invitations: codes.into_iter().map(made).collect() })
        }
        SignUpWord::Invitations => {
            let found = store.invitations(operator.now_ms(), ADMIN_PAGE_MAX).await?;
            answer_of(&Invitations { invitations: found.into_iter().map(Into::into).collect() })
        }
        SignUpWord::Revoke { code, .. } => {
            if !store.delete_invitation(code.clone(), act).await? {
                return Err(AdminError::not_found(&format!("invitation {code}")));
            }
            done("the invitation is taken back")
        }
    }
}

async fn set(operator: &Operator, name: &str, value: &impl Serialize, act: Act) -> Answered {
    let value = Some(serde_json::to_string(value)?);
    operator.services.store.set_policy(name.to_owned(), value, act).await?;
    effects::policy_changed(&operator.services).await?;
    state(operator)
}

fn state(operator: &Operator) -> Answered {
    let policy = &operator.services.policy;
    answer_of(&SignUpState { accounts: policy.sign_up(), guests: policy.guests() })
}

fn code(entropy: &mut Entropy) -> String {
    let bytes: [u8; LENGTH] = entropy.random();
    bytes.iter().map(|byte| char::from(CHARACTERS[usize::from(byte % 32)])).collect()
}
