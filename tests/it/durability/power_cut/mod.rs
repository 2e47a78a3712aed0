//! The power fails at any moment of a busy server.

mod cuts; // the server started on what each power cut leaves
mod disk; // what the disk holds after a power cut
mod sent; // what the server had sent, and when
mod trace; // parser of strace's output
