//! The examples of `docs/PROTOCOL.md`, played on a real server.

mod document; // plays every example; every message has one
mod markdown; // parser of the document's blocks
mod matcher; // frames with `..` for what an example leaves out
mod runner; // plays a block
