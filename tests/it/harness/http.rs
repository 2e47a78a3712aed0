//! A reader of HTTP that knows as little as a person with a terminal.

use std::{collections::HashMap, net::SocketAddr};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::timeout,
};

use super::{PATIENCE, Server};

/// An answer whose body is read as it comes.
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// The headers, by name in lower case.
    pub(crate) headers: HashMap<String, String>,
    stream: BufReader<TcpStream>,
    /// What has been read of the body and not given out.
    pending: Vec<u8>,
    /// Whether the body has ended as a whole one does.
    ended: bool,
}

/// Asks, and waits for the head of the answer.
pub(crate) async fn ask(server: &Server, method: &str, path: &str) -> Answer {
    ask_at(server.address(), method, path).await
}

/// The same of whatever server listens there.
pub(crate) async fn ask_at(address: SocketAddr, method: &str, path: &str) -> Answer {
    let asking = async {
        let mut stream = TcpStream::connect(address).await?;
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        read_head(BufReader::new(stream)).await
    };
    timeout(PATIENCE, asking).await.expect("an answer in time").expect("an answer")
}

/// Reads something that must be there, as JSON.
pub(crate) async fn get(server: &Server, path: &str) -> Value {
    let answer = ask(server, "GET", path).await;
    assert_eq!(answer.status, 200, "{path}");
    assert_eq!(answer.headers["content-type"], "application/json", "{path}");
    serde_json::from_str(&answer.text().await).expect("JSON")
}

/// Reads something that must be refused: status and body.
pub(crate) async fn refused(server: &Server, path: &str) -> (u16, Value) {
    let answer = ask(server, "GET", path).await;
    let status = answer.status;
    (status, serde_json::from_str(&answer.text().await).expect("JSON"))
}

async fn read_head(mut stream: BufReader<TcpStream>) -> std::io::Result<Answer> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let status = status.unwrap_or_else(|| panic!("a status: {line:?}"));
    Ok(Answer { status, headers, stream, pending: Vec::new(), ended: false })
}

impl Answer {
    /// The next line of the body without its end; `None` once the body has ended.
    pub(crate) async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                return Some(String::from_utf8(line[..end].to_vec()).expect("text"));
            }
            let read = timeout(PATIENCE, self.read_chunk()).await.expect("a line in time");
            if !read {
                assert!(self.pending.is_empty(), "a line without an end");
                return None;
            }
        }
    }

    /// The next line that says something.
    pub(crate) async fn said(&mut self) -> Option<String> {
        loop {
            match self.line().await {
                Some(line) if line.is_empty() => {}
                line => return line,
            }
        }
    }

    /// Whether the body has come to its end, rather than been broken off.
    pub(crate) const fn is_whole(&self) -> bool {
        self.ended
    }

    /// The rest of the body.
    pub(crate) async fn text(mut self) -> String {
        let mut body = Vec::new();
        if self.headers.contains_key("transfer-encoding") {
            while timeout(PATIENCE, self.read_chunk()).await.expect("the rest in time") {}
            body.append(&mut self.pending);
        } else {
            let rest = self.stream.read_to_end(&mut body);
            timeout(PATIENCE, rest).await.expect("the rest in time").expect("the rest");
        }
        String::from_utf8(body).expect("text")
    }

    /// Reads one chunk; false once there are no more.
    async fn read_chunk(&mut self) -> bool {
        let mut size = String::new();
        if self.ended || !matches!(self.stream.read_line(&mut size).await, Ok(1..)) {
            return false;
        }
        let size = usize::from_str_radix(size.trim_end(), 16).expect("a chunk's size");
        let mut chunk = vec![0; size + 2];
        if self.stream.read_exact(&mut chunk).await.is_err() {
            return false;
        }
        self.ended = size == 0;
        self.pending.extend_from_slice(&chunk[..size]);
        !self.ended
    }
}
