//! Requests of a bot, repeated as often as the server asks for it.

use std::time::Duration;

use adamant_client::RequestError;
use adamant_protocol::{
    Retry,
    to_client::{Done, Failed},
};

/// How long to wait before a retry if the server names no time.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Repeats a request after the wait that the server names, as long as it is rate limited.
pub(super) async fn with_retries(
    ask: impl AsyncFn() -> Result<Done, RequestError>,
) -> Result<Done, RequestError> {
    loop {
        match ask().await {
            Err(RequestError::Refused(failed)) if failed.retry == Retry::After => {
                tokio::time::sleep(wait(&failed)).await;
            }
            answered => return answered,
        }
    }
}

/// Returns how long to wait before a retry.
pub(super) fn wait(failed: &Failed) -> Duration {
    failed.retry_after_ms.map_or(RETRY_AFTER, Duration::from_millis)
}
