//! The HTTP side of the one port: TLS, headers and the read-only API.

mod descriptions; // OpenAPI, AsyncAPI and TypeScript types, and answers as they say
mod headers; // paths, caching, security headers, the `Host` of a request
mod http_api; // the read-only API and the event stream
mod pictures; // pictures of boards
mod previews; // what links look like elsewhere
mod tls; // a server with a certificate
