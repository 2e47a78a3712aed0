//! The HTTP side of the one port: TLS, headers and the read-only API.

mod http_api; // the read-only API and the event stream
pub(crate) mod tls_and_proxies; // TLS, headers, caching and the `Host` of a request
