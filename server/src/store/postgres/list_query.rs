//! The queries of lists. Each searches an index and reads as many rows as the page has, with any
//! filter.

/// The columns of a list entry that change with moves. Without a join they are NULL.
pub(super) const LAST_ROW: &str = "LEFT JOIN LATERAL (
        SELECT journal.ply, journal.to_move, journal.last_at FROM journal
        WHERE NOT games.finished AND journal.game = games.game ORDER BY journal.seq DESC LIMIT 1
    ) AS last ON true";

/// What a list has, and its order. The newest games come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListOrder {
    /// Live games by start.
    Live,
    /// Finished games by start.
    FinishedByStart,
    /// Finished games by end; only with a user.
    FinishedByEnd,
}

/// A query for a page. Its parameters are the limit, the time and the game after which the page
/// begins, then the user, and then the kinds and their numbers of players.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListQuery {
    pub(super) order: ListOrder,
    /// Only games of a user.
    pub(super) of_user: bool,
    /// Only games of some kinds.
    pub(super) of_kinds: bool,
    /// Unlisted games, too.
    pub(super) unlisted: bool,
}

impl ListQuery {
    /// Returns the text. It has only the conditions that apply, so that an index can serve them.
    pub(super) fn text(self) -> String {
        let key = if self.order == ListOrder::FinishedByEnd { "ended_at" } else { "started_at" };
        let (table, state) = match (self.of_user, self.order == ListOrder::Live) {
            (false, true) => ("games", "listed.finished = false"),
            (false, false) => ("games", "listed.finished = true"),
            (true, true) => ("game_users", "listed.ended_at IS NULL"),
            (true, false) => ("game_users", "listed.ended_at IS NOT NULL"),
        };
        let user = if self.of_user { " AND listed.user_name = $4" } else { "" };
        let unlisted = if self.unlisted { "" } else { " AND NOT listed.unlisted" };
        let kind = if self.of_kinds {
            " AND listed.rules = kind.rules AND listed.players = kind.players"
        } else {
            ""
        };
        let page = format!(
            "SELECT listed.game, listed.{key} AS at FROM {table} AS listed
             WHERE {state}{user}{unlisted}{kind} AND (listed.{key}, listed.game) < ($2, $3)
             ORDER BY listed.{key} DESC, listed.game DESC LIMIT $1"
        );
        // There are few kinds: reads a page of each and merges them.
        let page = if self.of_kinds {
            let (rules, players) = if self.of_user { ("$5", "$6") } else { ("$4", "$5") };
            format!(
                "SELECT page.game, page.at
                 FROM unnest({rules}::text[], {players}::int2[]) AS kind (rules, players)
                     CROSS JOIN LATERAL ({page}) AS page
                 ORDER BY page.at DESC, page.game DESC LIMIT $1"
            )
        } else {
            page
        };
        format!(
            "SELECT games.entry, last.ply, last.to_move, last.last_at
             FROM ({page}) AS page JOIN games ON games.game = page.game {LAST_ROW}
             ORDER BY page.at DESC, page.game DESC"
        )
    }
}
