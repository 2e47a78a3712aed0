//! Lists of live games, and the featured game of each kind. One task collects the changes that
//! rooms publish and sends them to the watchers, at most twice a second. Without watchers it
//! sleeps. Nothing here reads the store.

mod list;
mod live_lists;

pub(crate) use live_lists::LiveLists;
