//! Engines as processes: small programs in Python, some of them faulty.
#![cfg(test)]

mod conversations; // what an engine may ask and say
mod failures; // engines that crash, hang or cheat
mod programs; // the engines of the tests
