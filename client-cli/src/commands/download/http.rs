//! Reads from a server by HTTP, over the same connections as the WebSocket.

use std::{path::Path, time::Duration};

use adamant_client::{Address, ConnectError, Dial as _, Network, RequestError};
use adamant_protocol::ToClient;
use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::{Request, Response, StatusCode, body::Incoming, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use tokio::time::timeout;

/// The longest that a connection and the head of an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest answer that is not a file.
const JSON_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A server to read from.
pub(super) struct HttpServer {
    address: Address,
    network: Network,
}

impl HttpServer {
    /// Names the server. Nothing is sent yet.
    pub(super) fn new(address: Address, extra_ca: Option<&Path>) -> anyhow::Result<Self> {
        let network = Network::new(address.clone(), extra_ca)?;
        Ok(Self { address, network })
    }

    /// Asks for the bytes of a path from an offset on, and returns the answer once its head is
    /// there.
    #[expect(clippy::disallowed_methods, reason = "the task ends with the body of the answer")]
    pub(super) async fn get(&self, path: &str, from: u64) -> anyhow::Result<Response<Incoming>> {
        let asking = async {
            let stream = self.network.dial().await.map_err(|error| self.unreachable(&error))?;
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
                .await
                .map_err(|error| self.unreachable(&error))?;
            tokio::spawn(connection);
            let url = self.address.page_url("");
            let host = url.split_once("://").map_or(url.as_str(), |(_, host)| host);
            let mut request = Request::get(path).header(header::HOST, host);
            if from > 0 {
                request = request.header(header::RANGE, format!("bytes={from}-"));
            }
            let request = request.body(Empty::<Bytes>::new()).context("no such path")?;
            Ok(sender.send_request(request).await.map_err(|error| self.unreachable(&error))?)
        };
        let address = Box::new(self.address.clone());
        timeout(ANSWER_TIMEOUT, asking)
            .await
            .unwrap_or_else(|_| Err(ConnectError::TimedOut { address }.into()))
    }

    /// Reads a JSON document.
    pub(super) async fn json<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
    ) -> anyhow::Result<T> {
        let answer = self.get(path, 0).await?;
        if answer.status() != StatusCode::OK {
            return Err(refusal(answer).await);
        }
        let body = body(answer).await?;
        serde_json::from_slice(&body).context("the server's answer cannot be read")
    }

    /// The connection ended or fell silent before the answer was complete.
    pub(super) fn silent(&self) -> ConnectError {
        ConnectError::TimedOut { address: Box::new(self.address.clone()) }
    }

    /// The connection broke.
    pub(super) fn unreachable(&self, error: &dyn std::error::Error) -> ConnectError {
        let why = error.to_string().into();
        ConnectError::Unreachable { address: Box::new(self.address.clone()), why }
    }
}

/// Returns the server's error from an answer that is none.
pub(super) async fn refusal(answer: Response<Incoming>) -> anyhow::Error {
    let status = answer.status();
    let body = body(answer).await.unwrap_or_default();
    match ToClient::from_bytes(&body) {
        Ok(Some(ToClient::Error(failed))) => RequestError::Refused(Box::new(failed)).into(),
        _ => anyhow::anyhow!("the server answers with status {status}"),
    }
}

async fn body(answer: Response<Incoming>) -> anyhow::Result<Bytes> {
    let body = Limited::new(answer.into_body(), JSON_BYTES_MAX).collect();
    match timeout(ANSWER_TIMEOUT, body).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) => Err(anyhow::anyhow!("the connection broke: {error}")),
        Err(_) => anyhow::bail!("the server did not answer in time"),
    }
}
