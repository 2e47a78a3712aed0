//! How a bot finds opponents: it opens seeks, or challenges users.

use std::time::Duration;

use adamant_client::RequestError;
use adamant_protocol::{
    from_client::{Cancel, Unseek},
    to_client::{ChallengeClosed, Done},
};
use tokio::time::Instant;

use super::{
    answering::challenge,
    requests::with_retries,
    run::{Bot, Report, Seeking},
};

/// The wait before a seek that the server has refused is opened again.
const SEEK_AGAIN: Duration = Duration::from_secs(10);

impl Bot {
    /// Opens a seek, or challenges the next opponent, if there is a free place and no open seek.
    pub(super) fn seek_if_free(&mut self) {
        let Seeking::Closed(from) = self.seeking else { return };
        let Some(terms) = self.terms.clone().filter(|_| from <= Instant::now() && self.may_seek())
        else {
            return;
        };
        let mut terms = terms;
        // Places for people are not for bots.
        terms.allow.bots &= self.may_begin(true);
        self.seeking = Seeking::Asking { has_begun: false };
        let (client, output) = (self.context.client.clone(), self.output());
        // After the last opponent it is the first one's turn again.
        self.opponents.rotate_left(usize::from(self.opponents.len() > 1));
        let opponent = self.opponents.back().cloned();
        let seats = opponent.map(|opponent| [self.context.me.clone(), opponent]);
        self.tasks.spawn_local(async move {
            let seek = async || match seats.clone() {
                Some(seats) => challenge(&client, &terms, seats).await,
                None => terms.seek(&client).await,
            };
            match with_retries(seek).await {
                Ok(done) => Ok(Report::Sought(Ok(Box::new(done)))),
                // The bot seeks again after the reconnect.
                Err(RequestError::ConnectionLost) => Ok(Report::Sought(Err(Duration::ZERO))),
                Err(RequestError::Refused(failed)) => {
                    output.message(format_args!("no opponent: {}", failed.message));
                    Ok(Report::Sought(Err(SEEK_AGAIN)))
                }
                Err(error) => Err(error.into()),
            }
        });
    }

    /// Closes the seek after a game has begun, so that a new one is for the places that are left.
    pub(super) fn close_seek(&mut self) {
        let has_room = self.may_begin(false);
        match &mut self.seeking {
            Seeking::Closed(_) => {}
            Seeking::Challenging(_) if has_room => {}
            Seeking::Asking { has_begun } => *has_begun = true,
            Seeking::Open(seek) => {
                let (client, seek) = (self.context.client.clone(), seek.clone());
                self.seeking = Seeking::Closed(Instant::now());
                self.tasks.spawn_local(async move {
                    // It may be the seek that has led to the game.
                    client.done(|id| Unseek { id, seek }).await.ok();
                    Ok(Report::Unsought)
                });
            }
            Seeking::Challenging(challenge) => {
                let (client, challenge) = (self.context.client.clone(), Some(challenge.clone()));
                self.seeking = Seeking::Closed(Instant::now());
                self.tasks.spawn_local(async move {
                    // It may be the challenge that has led to the game.
                    client.done(|id| Cancel { id, challenge, invite: None }).await.ok();
                    Ok(Report::Unsought)
                });
            }
        }
    }

    /// Goes on to the next opponent after a challenge.
    pub(super) fn challenge_closed(&mut self, closed: &ChallengeClosed) {
        self.end_challenge(&closed.challenge, closed.game.as_ref());
        if let Seeking::Challenging(challenge) = &self.seeking
            && *challenge == closed.challenge
        {
            let wait = if closed.game.is_some() { Duration::ZERO } else { SEEK_AGAIN };
            self.seeking = Seeking::Closed(Instant::now() + wait);
            if let Some(game) = &closed.game {
                self.slot(game);
            }
        }
    }

    pub(super) fn sought(&mut self, sought: Result<Box<Done>, Duration>) {
        // After a reconnect this is about a seek of the session before.
        let Seeking::Asking { has_begun } = self.seeking else { return };
        self.seeking = Seeking::Closed(Instant::now());
        let open = match sought.map(|done| *done) {
            // A game begins at once; its place is taken from now on.
            Ok(Done { game: Some(game), .. }) if !has_begun => {
                self.slot(&game);
                None
            }
            Ok(Done { game: None, seek, challenge, .. }) => {
                seek.map(Seeking::Open).or(challenge.map(Seeking::Challenging))
            }
            Ok(_) => None,
            Err(wait) => Some(Seeking::Closed(Instant::now() + wait)),
        };
        if let Some(open) = open {
            self.seeking = open;
            if has_begun {
                self.close_seek();
            }
        }
    }
}
