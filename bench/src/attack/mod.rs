//! Attacks on a server with default limits, and what other clients notice.
//!
//! The server has one core. The attackers have the other one, on a thread with a lower priority
//! than the bystander's. The bystander connects before the attack and pings. Newcomers connect one
//! after the other, send `hello`, challenge a server bot and make a move. A player whose clock runs
//! comes back to the game every few seconds.

mod attacks;
mod witnesses;

use std::{thread, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use clap::ValueEnum;
use tokio::{
    sync::oneshot,
    task::LocalSet,
    time::{Instant, sleep_until},
};

use self::{
    attacks::{Arena, Counts, Tally},
    witnesses::{Bystander, Returning},
};
use crate::{
    machine,
    target::{Conditions, Launch, Program, Service, Target},
};

pub(crate) use witnesses::{AttackReport, Outcome};

/// How long the bystander pings before the attack, for comparison.
const IDLE: Duration = Duration::from_secs(5);

/// How long the bystander pings after the attack.
const AFTER: Duration = Duration::from_secs(5);

/// How long a room without clients stays open: short, so that rooms that stay open show.
const PARK_AFTER: Duration = Duration::from_secs(2);

/// How often finished games are published, so that there are some to download.
const PUBLISH_EVERY: Duration = Duration::from_secs(1);

/// The attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Attack {
    /// Extend a game with many takebacks; then many clients read its record at once.
    Takebacks,
    /// Offer draws and withdraw them without end.
    Offers,
    /// Start games against a server bot and resign each at once.
    FinishedGames,
    /// Challenge one user from many guests; then the user reconnects.
    Challenges,
    /// Start games without clocks against the server bots and leave them.
    HouseGames,
    /// Connect, send as many requests as allowed at once, and connect again.
    Reconnects,
    /// Request lists of finished games without a match.
    Lists,
    /// Request the page's style sheet and the schema again and again.
    Pages,
    /// Open connections from sixteen addresses and never finish the handshake.
    Handshakes,
    /// Seek from one address, and watch the lobby from others.
    Seeks,
    /// Log in with wrong passwords from thirty addresses.
    LogIns,
    /// Request the largest pictures of a board from one address, and hang up.
    Pictures,
    /// Request compressed drawings of the largest board from one address.
    Drawings,
    /// Request documents of the page from sixteen addresses.
    Documents,
    /// Ask for opinions of positions from thirty addresses.
    Opinions,
    /// Subscribe endpoints that never answer, and challenge absent users again and again; then a
    /// friend challenges one of them.
    Notices,
    /// Take all downloads from eight networks and read them slowly; others download, too.
    Downloads,
    /// List bots of one address, which say their status without end; others read the directory.
    Directory,
}

impl Attack {
    /// Its name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    async fn run(self, arena: Arena, tally: &Tally) -> Result<()> {
        match self {
            Self::Takebacks => attacks::takebacks(arena, tally).await,
            Self::Offers => attacks::offers(arena, tally).await,
            Self::FinishedGames => attacks::finished(arena, tally).await,
            Self::HouseGames => attacks::occupy_house(arena, tally).await,
            Self::Challenges => attacks::challenges(arena, tally).await,
            Self::Seeks => attacks::seeks(arena, tally).await,
            Self::Reconnects => attacks::reconnects(arena, tally).await,
            Self::Pages => attacks::pages(arena, tally).await,
            Self::LogIns => attacks::log_ins(arena, tally).await,
            Self::Lists => attacks::lists(arena, tally).await,
            Self::Handshakes => attacks::handshakes(arena, tally).await,
            Self::Pictures => attacks::pictures(arena, tally).await,
            Self::Drawings => attacks::drawings(arena, tally).await,
            Self::Documents => attacks::documents(arena, tally).await,
            Self::Opinions => attacks::opinions(arena, tally).await,
            Self::Notices => attacks::notices(arena, tally).await,
            Self::Downloads => attacks::downloads(arena, tally).await,
            Self::Directory => attacks::directory(arena, tally).await,
        }
    }
}

/// Runs one attack on a fresh server for this long.
pub(crate) async fn measure(
    attack: Attack,
    launch: &Launch,
    duration: Duration,
    full: bool,
) -> Result<Outcome> {
    let conditions = Conditions {
        service: Service::Public,
        park_after: Some(PARK_AFTER),
        publish_every: Some(PUBLISH_EVERY),
        ..Conditions::default()
    };
    let target = if matches!(attack, Attack::Lists | Attack::Downloads) {
        attacks::with_finished_games(conditions, launch, full).await?
    } else {
        Target::start_under(conditions, Program::Adamant, launch)?
    };
    let address = target.address();
    let returning = Returning::begin(address).await?;
    let mut bystander = Bystander::connect(address).await?;
    let idle = bystander.ping_until(Instant::now() + IDLE).await?;
    let (memory_before, disk_before) = (target.memory_bytes()?, target.disk_bytes()?);

    let until = Instant::now() + duration;
    let done = begin(attack, Arena { address, until })?;
    let (attacked, newcomers, returns) = tokio::join!(
        bystander.ping_until(until),
        witnesses::newcomers(address, until),
        returning.return_until(until)
    );
    let (memory_during, disk_during) = (target.memory_bytes()?, target.disk_bytes()?);
    let (counts, harms) = done.await.context("the attackers' thread has ended")??;
    // Lasting effects show once the attackers have gone.
    let after = bystander.ping_until(Instant::now() + AFTER).await?;
    sleep_until(Instant::now() + 2 * PARK_AFTER).await;
    Ok(Outcome {
        attack: attack.name(),
        idle,
        attacked: attacked?,
        after,
        newcomers,
        returns,
        memory_mib: [memory_before, memory_during, target.memory_bytes()?].map(witnesses::mib),
        disk_mib: [disk_before, disk_during, target.disk_bytes()?].map(witnesses::mib),
        rooms: machine::values(address, ["adamant_rooms"]).await?[0],
        counts,
        harms,
    })
}

/// Starts the attackers on their own thread, which ends with the attack.
fn begin(attack: Attack, arena: Arena) -> Result<oneshot::Receiver<Result<(Counts, Counts)>>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (send, done) = oneshot::channel();
    thread::spawn(move || {
        machine::give_way();
        let tally = Tally::default();
        let result = LocalSet::new().block_on(&runtime, attack.run(arena, &tally));
        let counts = result.map(|()| tally.counts());
        // The receiving measurement may have failed already.
        drop(send.send(counts.map_err(|error| anyhow!("{attack:?}: {error:#}"))));
    });
    Ok(done)
}
