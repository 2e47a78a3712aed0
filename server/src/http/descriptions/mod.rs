//! What programs can read about the server's interfaces: JSON Schema, TypeScript types, AsyncAPI
//! for the socket and OpenAPI for HTTP. All of it is made from the types that the server uses.

mod documents;
mod endpoints;
mod openapi;

pub(super) use documents::{asyncapi, json_schema, openapi, typescript};
#[cfg(test)]
pub(super) use openapi::paths;
