//! `keys`: of records and of push messages.

use serde::Serialize;

use super::{
    error::AdminError,
    operator::{Answered, Operator, answer_of},
};
use crate::{admin_words::KeysWord, cluster::ClusterEvent, session::Services, store::Act};

#[derive(Debug, Serialize)]
struct Keys {
    signing: Option<String>,
    /// With which records are verified that were signed before, or by other nodes.
    verifying: Vec<String>,
    push: Option<Box<str>>,
    /// Those of browsers that have not subscribed again.
    push_earlier: Vec<Box<str>>,
}

pub(super) async fn carry_out(operator: &Operator, word: KeysWord, act: Act) -> Answered {
    match word {
        KeysWord::Show => {}
        KeysWord::Replace { .. } => replace(&operator.services, act).await?,
        KeysWord::ReplacePush { .. } => replace_push(&operator.services, act).await?,
    }
    let Services { signing, notifications, .. } = &*operator.services;
    let mut keys = signing.keys().into_iter().map(|key| key.to_string());
    let signs = !signing.own_keys().is_empty();
    let signing = if signs { keys.next() } else { None };
    let mut push = notifications.public_keys().into_iter();
    let verifying = keys.collect();
    answer_of(&Keys { signing, verifying, push: push.next(), push_earlier: push.collect() })
}

fn must_write(services: &Services) -> Result<(), AdminError> {
    if services.store.backend.read_only().is_some() {
        return Err(AdminError::refused("the server can store nothing at present"));
    }
    Ok(())
}

/// Replaces the key of push messages on all nodes.
async fn replace_push(services: &Services, act: Act) -> Result<(), AdminError> {
    must_write(services)?;
    let Services { notifications, store, .. } = services;
    if notifications.push_key().is_none() {
        return Err(AdminError::refused("this server sends no push messages"));
    }
    store.note_act(act).await?;
    let replaced = notifications.replace_key(&services.work).await;
    replaced.map_err(|error| AdminError::internal(error.to_string()))?;
    services.lobby.cluster().publish(|| ClusterEvent::KeysChanged);
    Ok(())
}

/// Replaces the key of this node, and tells the others.
async fn replace(services: &Services, act: Act) -> Result<(), AdminError> {
    must_write(services)?;
    services.store.note_act(act.clone()).await?;
    let (signing, mut entropy) = (services.signing.clone(), services.entropy.clone());
    let replaced = services.work.run(move || signing.replace(&mut entropy)).await;
    let replaced = replaced.map_err(|error| AdminError::internal(error.to_string()))?;
    replaced.map_err(|error| AdminError::internal(error.to_string()))?;
    if let Some(keys) = &services.store.keys {
        keys.register_keys(services.signing.own_keys(), act.at).await?;
        services.lobby.cluster().publish(|| ClusterEvent::KeysChanged);
    }
    Ok(())
}
