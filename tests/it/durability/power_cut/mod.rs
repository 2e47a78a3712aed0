//! The power fails at any moment of a busy server.

mod cuts; // the server started on what each power cut leaves
mod disk; // what the disk holds after a power cut
