//! Games for those who look at many: lists of what is being played, and the featured game of each
//! kind. One task gathers what rooms show and tells the watchers what has changed, at most twice a
//! second; while nobody watches it sleeps. Nothing here reads the store.

mod featured;
mod list;
mod live_lists;

pub(crate) use live_lists::LiveLists;
