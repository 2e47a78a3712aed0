//! Who is at the other end of the socket, as the machine knows it.

use std::io;

use nix::unistd::{Uid, User};
use tokio::net::UnixStream;

/// Returns the name of the Unix user, or the number of one without a name.
pub(super) fn user_of(stream: &UnixStream) -> io::Result<String> {
    let uid = Uid::from_raw(stream.peer_cred()?.uid());
    let user = User::from_uid(uid).ok().flatten();
    Ok(user.map_or_else(|| format!("uid {uid}"), |user| user.name))
}
