//! The socket: its file and permissions, and one JSON request a line, each with one line in answer.

use std::{
    fs, io,
    os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
    sync::Arc,
};

use nix::unistd::Uid;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream},
    sync::{Semaphore, mpsc},
    time::timeout,
};

use super::{
    acts::answer,
    error::{AdminError, Reply},
    operator::Operator,
    peer,
    reloaded::ReloadAnswer,
};
use crate::{
    config::Config,
    limits::{ADMIN_CONNECTIONS_MAX, ADMIN_IDLE_MAX, ADMIN_REQUEST_BYTES_MAX},
    session::Services,
};

/// Why the socket cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum AdminSocketError {
    /// A file that this server has not left lies there.
    #[error("{path}: {what}; move it away, or set admin.socket to another path")]
    Taken {
        /// The path of the socket.
        path: String,
        /// What lies there.
        what: &'static str,
    },
    /// The machine refuses.
    #[error("{path}: cannot make the socket of admin: {error}")]
    File {
        /// The path of the socket.
        path: String,
        /// The cause.
        error: io::Error,
    },
}

/// The listening socket. Dropping it removes its file.
#[derive(Debug)]
pub(crate) struct AdminSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl Drop for AdminSocket {
    fn drop(&mut self) {
        // One that stays is taken for what it is at the next start.
        drop(fs::remove_file(&self.path));
    }
}

impl AdminSocket {
    /// Makes the socket. Without it the server still plays: if the data directory cannot have one,
    /// there is none.
    pub(crate) fn bind(config: &Config) -> Result<Option<Self>, AdminSocketError> {
        match Self::try_bind(config) {
            Err(error @ AdminSocketError::File { .. }) if config.admin.socket.is_none() => {
                // operator: the server runs without `adamant-server admin`: the disk is full, or the
                // path of the data directory is too long for a socket. Set `admin.socket`
                tracing::warn!(%error, "no socket for administration");
                Ok(None)
            }
            bound => bound.map(Some),
        }
    }

    /// Replaces a socket that a server of the same user has left.
    fn try_bind(config: &Config) -> Result<Self, AdminSocketError> {
        let path = config.admin.path(&config.store.data);
        let shown = || path.display().to_string();
        let failed = |error| AdminSocketError::File { path: shown(), error };
        if let Some(what) = clear(&path).map_err(failed)? {
            return Err(AdminSocketError::Taken { path: shown(), what });
        }
        let listener = UnixListener::bind(&path).map_err(failed)?;
        // From here on, its file goes with it.
        let socket = Self { listener, path: path.clone() };
        let group = config.admin.group_id();
        let mode = if group.is_some() { 0o660 } else { 0o600 };
        if let Some(group) = group {
            chown(&path, None, Some(group.as_raw())).map_err(failed)?;
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).map_err(failed)?;
        Ok(socket)
    }

    /// Answers requests until the server stops.
    pub(crate) async fn serve(self, services: Arc<Services>, reloads: mpsc::Sender<ReloadAnswer>) {
        let places = Arc::new(Semaphore::new(ADMIN_CONNECTIONS_MAX));
        let lifecycle = services.lifecycle.clone();
        let accept = async {
            loop {
                // The semaphore is never closed.
                let place = Arc::clone(&places).acquire_owned().await;
                match self.listener.accept().await {
                    Ok((stream, _)) => {
                        let (services, reloads) = (Arc::clone(&services), reloads.clone());
                        lifecycle.tasks.spawn(async move {
                            let stop = services.lifecycle.soft.clone();
                            stop.run_until_cancelled(converse(services, reloads, stream)).await;
                            drop(place);
                        });
                    }
                    Err(error) => {
                        // operator: there are too few file descriptors, perhaps; the next attempt
                        // may succeed
                        tracing::warn!(%error, "accepting an administrator failed");
                        tokio::time::sleep(ADMIN_IDLE_MAX).await;
                    }
                }
            }
        };
        // The loop has no end of its own.
        let _stopped: Option<()> = lifecycle.soft.run_until_cancelled(accept).await;
    }
}

/// Removes a socket that nobody listens on any more. Returns what lies there instead.
fn clear(path: &Path) -> io::Result<Option<&'static str>> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !found.file_type().is_socket() {
        return Ok(Some("a file lies there that is no socket"));
    }
    if found.uid() != Uid::effective().as_raw() {
        return Ok(Some("the socket of another user lies there"));
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Ok(Some("another server listens there"));
    }
    fs::remove_file(path)?;
    Ok(None)
}

/// Answers the requests of one connection.
async fn converse(
    services: Arc<Services>,
    reloads: mpsc::Sender<ReloadAnswer>,
    stream: UnixStream,
) {
    let Ok(who) = peer::user_of(&stream) else { return };
    let operator = Operator { services, reloads, who };
    let (reads, mut writes) = stream.into_split();
    let mut reads = BufReader::new(reads);
    loop {
        let mut line = Vec::new();
        let mut request = (&mut reads).take(ADMIN_REQUEST_BYTES_MAX);
        match timeout(ADMIN_IDLE_MAX, request.read_until(b'\n', &mut line)).await {
            Ok(Ok(read)) if read > 0 => {}
            Ok(Ok(_) | Err(_)) | Err(_) => return,
        }
        let is_whole = line.ends_with(b"\n");
        let reply = match serde_json::from_slice(&line) {
            _ if !is_whole => Reply::Error(AdminError::bad_request(format!(
                "a request is one line of at most {ADMIN_REQUEST_BYTES_MAX} bytes"
            ))),
            Ok(request) => Box::pin(answer(&operator, request)).await,
            Err(error) => Reply::Error(AdminError::bad_request(error.to_string())),
        };
        let mut text = serde_json::to_vec(&reply).expect("answers are plain data");
        text.push(b'\n');
        if writes.write_all_buf(&mut text.as_slice()).await.is_err() || !is_whole {
            return;
        }
    }
}
