//! The client: asks a running server by its socket.

use std::{
    io::{self, BufRead as _, BufReader, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use crate::admin_words::{AdminRequest, Answer};

use super::error::{AdminError, Reply};

/// How long an answer may take.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The socket cannot be used.
    #[error("{path}: {error}{}", hint(.error))]
    Socket {
        /// Its path.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// The server has answered what this program does not understand.
    #[error("the server's answer is not understood: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The server refuses.
    #[error("{}", .0.message)]
    Refused(AdminError),
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => ": is the server running?",
        io::ErrorKind::PermissionDenied => {
            ": the server's user, the superuser and the group of admin.group may use it"
        }
        _ => "",
    }
}

/// Sends a request to the server with this socket, and returns its answer.
pub fn ask(socket: &Path, request: &AdminRequest) -> Result<Answer, AskError> {
    let failed = |error| AskError::Socket { path: socket.display().to_string(), error };
    let line = exchange(socket, &serde_json::to_string(request)?).map_err(failed)?;
    match serde_json::from_str(&line)? {
        Reply::Ok(answer) => Ok(answer),
        Reply::Error(error) => Err(AskError::Refused(error)),
    }
}

fn exchange(socket: &Path, request: &str) -> io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    writeln!(stream, "{request}")?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line)
}
