//! A minimal HTTP client, which also reads streamed bodies line by line.

use std::{collections::HashMap, net::SocketAddr};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::timeout,
};

use super::{PATIENCE, server::Server};

/// A response whose body is read as it comes.
pub(crate) struct Response {
    pub(crate) status: u16,
    /// The headers, by name in lower case.
    pub(crate) headers: HashMap<String, String>,
    stream: BufReader<TcpStream>,
    /// Body bytes read from the socket and not returned yet.
    pending: Vec<u8>,
    /// Whether the body has ended with its last chunk.
    ended: bool,
}

/// Sends a request to a server and reads the head of the response.
pub(crate) async fn ask(server: &Server, method: &str, path: &str) -> Response {
    ask_at(server.address(), method, path).await
}

/// Sends a request to an address and reads the head of the response.
pub(crate) async fn ask_at(address: SocketAddr, method: &str, path: &str) -> Response {
    let asking = async {
        let mut stream = TcpStream::connect(address).await?;
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        read_head(BufReader::new(stream)).await
    };
    timeout(PATIENCE, asking).await.expect("an answer in time").expect("an answer")
}

/// Reads a JSON document that must exist.
pub(crate) async fn get(server: &Server, path: &str) -> Value {
    let answer = ask(server, "GET", path).await;
    assert_eq!(answer.status, 200, "{path}");
    assert_eq!(answer.headers["content-type"], "application/json", "{path}");
    serde_json::from_str(&answer.text().await).expect("JSON")
}

/// Reads a path that must be rejected; returns status and body.
pub(crate) async fn refused(server: &Server, path: &str) -> (u16, Value) {
    let answer = ask(server, "GET", path).await;
    let status = answer.status;
    (status, serde_json::from_str(&answer.text().await).expect("JSON"))
}

/// Reads `/readyz`: its status and body.
pub(crate) async fn readiness(server: &Server) -> (u16, String) {
    let response = ask(server, "GET", "/readyz").await;
    (response.status, response.text().await)
}

async fn read_head(mut stream: BufReader<TcpStream>) -> std::io::Result<Response> {
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
    Ok(Response { status, headers, stream, pending: Vec::new(), ended: false })
}

impl Response {
    /// Returns the next line of the body without its line break; `None` once the body has ended.
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

    /// Returns the next line that is not empty.
    pub(crate) async fn next_line_with_text(&mut self) -> Option<String> {
        loop {
            match self.line().await {
                Some(line) if line.is_empty() => {}
                line => return line,
            }
        }
    }

    /// Whether the body has come to its end, rather than been aborted.
    pub(crate) const fn is_whole(&self) -> bool {
        self.ended
    }

    /// Returns the rest of the body.
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

    /// Reads one chunk; false if it was the last.
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

/// The parsed response of `/metrics`.
pub(crate) struct Metrics(String);

impl Metrics {
    /// Reads the metrics.
    pub(crate) async fn fetch(server: &Server) -> Self {
        Self::fetch_at(server.address()).await
    }

    /// Reads the metrics of the node at an address.
    pub(crate) async fn fetch_at(address: SocketAddr) -> Self {
        let answer = ask_at(address, "GET", "/metrics").await;
        assert_eq!(answer.status, 200);
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        assert_eq!(answer.headers["content-type"], kind);
        Self(answer.text().await)
    }

    /// Reads the metrics until one has that value, because the server counts asynchronously.
    pub(crate) async fn wait_for(server: &Server, name: &str, value: u64) -> Self {
        let counted = async {
            loop {
                let metrics = Self::fetch(server).await;
                if metrics.value(name) == value {
                    return metrics;
                }
            }
        };
        timeout(PATIENCE, counted).await.unwrap_or_else(|_| panic!("{name} is never {value}"))
    }

    /// Returns the integer value of a metric, named with its labels.
    pub(crate) fn value(&self, name: &str) -> u64 {
        let value = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = value.unwrap_or_else(|| panic!("{name} is missing:\n{}", self.0));
        // Sums are written with a fraction.
        value.trim_end_matches(".0").parse().expect("a whole number")
    }
}
