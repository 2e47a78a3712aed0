//! Time controls as arithmetic on milliseconds. Nothing here knows what time it is.
