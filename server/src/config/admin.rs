//! The section `[admin]`: the socket of `adamant-server admin`.

use std::path::{Path, PathBuf};

use nix::unistd::{Gid, Group};
use serde::{Deserialize, Serialize};

/// The socket in the data directory.
const SOCKET: &str = "admin.sock";

/// The longest path of a Unix socket, in bytes.
const SOCKET_BYTES_MAX: usize = 107;

/// The socket of `adamant-server admin`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdminConfig {
    /// The path of the socket; without one it lies in the data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
    /// The group whose members may use the socket beside the server's user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

impl AdminConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if let Some(socket) = &self.socket
            && socket.as_os_str().len() > SOCKET_BYTES_MAX
        {
            mistakes.push(format!("admin.socket: is longer than {SOCKET_BYTES_MAX} bytes"));
        }
        if let Some(group) = &self.group
            && self.group_id().is_none()
        {
            mistakes.push(format!("admin.group: this machine has no group {group:?}"));
        }
    }

    /// Returns the path of the socket of a server with a data directory.
    pub fn path(&self, data: &Path) -> PathBuf {
        self.socket.clone().unwrap_or_else(|| data.join(SOCKET))
    }

    /// Returns the group whose members may use the socket, if this machine has it.
    pub(crate) fn group_id(&self) -> Option<Gid> {
        let group = Group::from_name(self.group.as_ref()?);
        group.ok().flatten().map(|group| group.gid)
    }
}
