//! Attacks: what strangers do to a server whose limits are at their defaults, and what others notice.
//!
//! The server has one core. The attackers have the other one, on a thread that gives way to the
//! bystander's. The bystander is connected before the attack begins and pings. A newcomer connects
//! again and again, says hello, challenges the server's own player and makes a move.

mod bystander;
mod games;
mod handshakes;
mod lists;
mod lobby;
mod newcomer;
mod report;
mod requests;
mod stranger;

use std::{net::SocketAddr, thread, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use clap::ValueEnum;
use tokio::{
    sync::oneshot,
    task::LocalSet,
    time::{Instant, sleep_until},
};

pub use self::report::{AttackReport, Outcome};
use self::{
    bystander::Bystander,
    stranger::{Counts, Tally},
};
use super::{
    metrics,
    subject::{Conditions, Launch, Program, Subject},
};

/// How long the bystander pings before the attack, for the figure beside it.
const IDLE: Duration = Duration::from_secs(5);

/// How long the bystander pings after it.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// How long a room without a player stays open here: so short that what stays open is seen.
const PARK_AFTER: Duration = Duration::from_secs(2);

/// How far the attackers' thread gives way: as far as can be.
const GIVE_WAY: i32 = 19;

/// What strangers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Attack {
    /// A game with many takebacks, whose text record is then read by many at once.
    Takebacks,
    /// Draw offers and withdrawals without end.
    Offers,
    /// Games against the server's player, each given up at once by a guest who stays.
    FinishedGames,
    /// Challenges by many guests to one user, who then comes back.
    Challenges,
    /// Games without clocks against the server's players, none of which is ever played.
    HouseGames,
    /// Connections that come, ask as much as one may ask at once, and come again.
    Reconnects,
    /// Lists of finished games whose filter finds nothing.
    Lists,
    /// The page's style sheet and the schema, again and again.
    Pages,
    /// Half-open connections of sixteen addresses.
    Handshakes,
    /// Seeks by one address, and watchers of the lobby.
    Seeks,
    /// Log-ins with wrong passwords of thirty addresses.
    LogIns,
}

/// Where an attack takes place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arena {
    address: SocketAddr,
    until: Instant,
}

impl Arena {
    fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }
}

impl Attack {
    /// Its name, as on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    async fn run(self, arena: Arena, tally: &Tally) -> Result<()> {
        match self {
            Self::Takebacks => games::takebacks(arena, tally).await,
            Self::Offers => games::offers(arena, tally).await,
            Self::FinishedGames => games::finished(arena, tally).await,
            Self::HouseGames => games::occupy_house(arena, tally).await,
            Self::Challenges => lobby::challenges(arena, tally).await,
            Self::Seeks => lobby::seeks(arena, tally).await,
            Self::Reconnects => requests::reconnects(arena, tally).await,
            Self::Pages => requests::pages(arena, tally).await,
            Self::LogIns => requests::log_ins(arena, tally).await,
            Self::Lists => lists::read(arena, tally).await,
            Self::Handshakes => handshakes::hold(arena, tally).await,
        }
    }
}

/// Carries out one attack on a fresh server, for so long.
pub async fn measure(
    attack: Attack,
    launch: &Launch,
    lasts: Duration,
    full: bool,
) -> Result<Outcome> {
    let conditions =
        Conditions { public: true, park_after: Some(PARK_AFTER), ..Conditions::default() };
    let subject = if attack == Attack::Lists {
        lists::prepared(conditions, launch, full).await?
    } else {
        Subject::start_under(conditions, Program::Adamant, launch)?
    };
    let address = subject.address();
    let mut bystander = Bystander::connect(address).await?;
    let idle = bystander.ping_until(Instant::now() + IDLE).await?;
    let (memory_before, disk_before) = (subject.memory_bytes()?, subject.disk_bytes()?);

    let until = Instant::now() + lasts;
    let done = begin(attack, Arena { address, until })?;
    let (attacked, newcomers) =
        tokio::join!(bystander.ping_until(until), newcomer::come_until(address, until));
    let (memory_during, disk_during) = (subject.memory_bytes()?, subject.disk_bytes()?);
    let (counts, harms) = done.await.context("the attackers' thread has ended")??;
    // What lasts is seen once the attackers have gone.
    let after = bystander.ping_until(Instant::now() + AFTERWARDS).await?;
    sleep_until(Instant::now() + 2 * PARK_AFTER).await;
    Ok(Outcome {
        attack: attack.name(),
        idle,
        attacked: attacked?,
        after,
        newcomers,
        memory_mib: [memory_before, memory_during, subject.memory_bytes()?].map(report::mib),
        disk_mib: [disk_before, disk_during, subject.disk_bytes()?].map(report::mib),
        rooms: metrics::gauge(address, "adamant_rooms").await?,
        counts,
        harms,
    })
}

/// Starts the attackers on a thread of their own, which ends with the attack.
fn begin(attack: Attack, arena: Arena) -> Result<oneshot::Receiver<Result<(Counts, Counts)>>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (send, done) = oneshot::channel();
    thread::spawn(move || {
        // Of this thread alone. If it cannot be, the figures are only worse.
        let _niceness = rustix::process::nice(GIVE_WAY);
        let tally = Tally::default();
        let result = LocalSet::new().block_on(&runtime, attack.run(arena, &tally));
        let counts = result.map(|()| tally.counts());
        // The measurement that would receive it may have failed already.
        drop(send.send(counts.map_err(|error| anyhow!("{attack:?}: {error:#}"))));
    });
    Ok(done)
}
