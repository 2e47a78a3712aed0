//! A server that is too old. The tests have no such PostgreSQL, so a task speaks its protocol.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_util::task::TaskTracker;

use super::open;
use crate::store::postgres::PostgresError;

/// What the server asks a new connection, and what PostgreSQL 14 answers. The answers are in the
/// order of the question.
const ANSWERS: [&str; 6] = ["00000001", "140011", "on", "on", "ANY 1 (pg2)", "UTF8"];

/// The type `text`.
const TEXT: i32 = 25;

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = i32::try_from(body.len() + 4).unwrap();
    [&[kind], &length.to_be_bytes()[..], body].concat()
}

fn columns() -> Vec<u8> {
    let mut body = i16::try_from(ANSWERS.len()).unwrap().to_be_bytes().to_vec();
    for _ in ANSWERS {
        body.extend(b"column\0");
        body.extend([0; 6]);
        body.extend(TEXT.to_be_bytes());
        body.extend((-1_i16).to_be_bytes());
        body.extend((-1_i32).to_be_bytes());
        body.extend([0; 2]);
    }
    message(b'T', &body)
}

fn row() -> Vec<u8> {
    let mut body = i16::try_from(ANSWERS.len()).unwrap().to_be_bytes().to_vec();
    for answer in ANSWERS {
        body.extend(i32::try_from(answer.len()).unwrap().to_be_bytes());
        body.extend(answer.as_bytes());
    }
    message(b'D', &body)
}

fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

/// Lets a client log in, and answers its question.
async fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    let length = stream.read_i32().await?;
    let mut startup = vec![0; usize::try_from(length - 4).unwrap()];
    stream.read_exact(&mut startup).await?;
    stream.write_all(&[message(b'R', &[0; 4]), ready()].concat()).await?;
    loop {
        let (kind, length) = (stream.read_u8().await?, stream.read_i32().await?);
        let mut body = vec![0; usize::try_from(length - 4).unwrap()];
        stream.read_exact(&mut body).await?;
        let answer = match kind {
            b'P' => message(b'1', &[]),
            b'D' => [message(b't', &[0; 2]), columns()].concat(),
            b'B' => message(b'2', &[]),
            b'E' => [row(), message(b'C', b"SELECT 1\0")].concat(),
            b'S' => ready(),
            _ => return Ok(()),
        };
        stream.write_all(&answer).await?;
    }
}

#[tokio::test]
async fn an_old_server_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    TaskTracker::new().spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        serve(stream).await.ok();
    });
    let error = open(&format!("postgres://ann@127.0.0.1:{port}/games"), false).await.unwrap_err();
    assert!(matches!(error, PostgresError::Version { found: 14, needed: 15, .. }), "{error}");
}
