//! Reads `/metrics` of the server.

use std::net::SocketAddr;

use anyhow::Result;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Reads the counter with this name and label, such as `cause="slow consumer"`; `None` if the
/// server has none.
pub async fn counter(address: SocketAddr, name: &str, label: &str) -> Result<Option<f64>> {
    Ok(found(&read(address).await?, name, label))
}

/// Reads the values with these names and without labels, all at the same time; `None` for those
/// that the server does not have.
pub async fn values<const N: usize>(
    address: SocketAddr,
    names: [&str; N],
) -> Result<[Option<f64>; N]> {
    let answer = read(address).await?;
    Ok(names.map(|name| {
        let value = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        value.split_whitespace().next()?.parse().ok()
    }))
}

async fn read(address: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    // With HTTP/1.0 the response comes in one piece and ends with the connection.
    stream.write_all(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n").await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

fn found(answer: &str, name: &str, label: &str) -> Option<f64> {
    let (_, body) = answer.split_once("\r\n\r\n").filter(|(head, _)| head.contains(" 200 "))?;
    body.lines().find_map(|line| {
        let (labels, value) = line.strip_prefix(name)?.strip_prefix('{')?.split_once('}')?;
        let is_it = labels.split(',').any(|one| one == label);
        if is_it { value.split_whitespace().next()?.parse().ok() } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn a_counter_is_found_by_its_label() {
        let answer = "HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\n\
                      # TYPE ended counter\nended_total{cause=\"left\"} 7\n\
                      ended_total{kind=\"b\",cause=\"slow consumer\"} 50\n";
        let find = |label| found(answer, "ended_total", label);
        assert_eq!(find("cause=\"slow consumer\""), Some(50.0));
        assert_eq!(find("cause=\"slow\""), None);
        assert_eq!(found("HTTP/1.0 404 Not Found\r\n\r\n", "ended_total", "a"), None);
    }
}
