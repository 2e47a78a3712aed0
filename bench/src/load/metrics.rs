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

/// Reads a histogram, of which there is one without labels; empty if the server has none.
pub async fn buckets(address: SocketAddr, name: &str) -> Result<Buckets> {
    Ok(Buckets::in_page(&read(address).await?, name))
}

/// The values of a histogram by bucket.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Buckets {
    /// The bucket's highest value, and how many values are up to it.
    up_to: Vec<(f64, f64)>,
    sum: f64,
}

impl Buckets {
    fn in_page(page: &str, name: &str) -> Self {
        let mut buckets = Self::default();
        for (what, value) in
            page.lines().filter_map(|line| line.strip_prefix(name)?.rsplit_once(' '))
        {
            let Ok(value) = value.parse() else { continue };
            let bound =
                what.strip_prefix("_bucket{le=\"").and_then(|rest| rest.strip_suffix("\"}"));
            if let Some(bound) = bound.and_then(|bound| bound.parse().ok()) {
                buckets.up_to.push((bound, value));
            } else if what == "_sum" {
                buckets.sum = value;
            }
        }
        buckets
    }

    /// The values since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before = |at: usize| earlier.up_to.get(at).map_or(0.0, |&(_, count)| count);
        let up_to = self.up_to.iter().enumerate();
        Self {
            up_to: up_to.map(|(at, &(bound, count))| (bound, count - before(at))).collect(),
            sum: self.sum - earlier.sum,
        }
    }

    /// The mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        let &(_, count) = self.up_to.last()?;
        (count > 0.0).then(|| self.sum / count)
    }

    /// The upper end of the bucket that this share of the values does not exceed; the highest
    /// bucket with a value if the share is 1.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let &(_, count) = self.up_to.last()?;
        let found = self.up_to.iter().find(|&&(_, up_to)| up_to >= share * count)?;
        (count > 0.0).then_some(found.0)
    }
}

async fn read(address: SocketAddr) -> Result<String> {
    get(address, "/metrics").await
}

/// Reads a path of the server, with the head of the response.
pub(super) async fn get(address: SocketAddr, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    // With HTTP/1.0 the response comes in one piece and ends with the connection.
    let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
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
    use super::{Buckets, found};

    #[test]
    fn buckets_are_those_of_the_time_between_two_readings() {
        let page = |low: u32, high: u32, sum: f64| {
            Buckets::in_page(
                &format!(
                    "# TYPE pass_seconds histogram\npass_seconds_sum {sum}\npass_seconds_count 9\n\
                     pass_seconds_bucket{{le=\"0.001\"}} {low}\n\
                     pass_seconds_bucket{{le=\"0.01\"}} {high}\n\
                     pass_seconds_bucket{{le=\"+Inf\"}} {high}\npass_seconds_bucket_of 7\n"
                ),
                "pass_seconds",
            )
        };
        let first = page(90, 100, 1.0);
        assert_eq!((first.quantile(0.9), first.quantile(1.0)), (Some(0.001), Some(0.01)));
        let between = page(98, 108, 1.5).since(&first);
        assert_eq!((between.quantile(1.0), between.mean()), (Some(0.001), Some(0.0625)));
        assert_eq!(first.since(&first).quantile(1.0), None);
        assert_eq!(Buckets::in_page("HTTP/1.0 404 Not Found", "pass_seconds").mean(), None);
    }

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
