"""The types of the protocol's frames, made from its JSON Schema by generate.py. Not written by hand.

A later server may send words, fields and kinds that these types do not have.
"""

# ruff: noqa

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, overload

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

# Why a game was aborted.
#
# - `by_player`: A player aborted it before each side had moved.
# - `agreed`: All remaining seats agreed to it.
# - `no_show`: A side made no first move: not in time, or it had gone and another claimed that.
# - `ruling`: An operator of the server has decided.
AbortReason: TypeAlias = Literal[
    "by_player",
    "agreed",
    "no_show",
    "ruling",
]

# Why a clock was adjusted.
#
# - `outage`: The server was down, or the player was not back after it.
# - `arrival`: The player with the first turn had not been sent the game yet.
AdjustReason: TypeAlias = Literal[
    "outage",
    "arrival",
]

# The algorithm of a signature.
#
# - `ed25519`: Ed25519, as in RFC 8032.
Algorithm: TypeAlias = Literal[
    "ed25519",
]

# How far the analysis of a game is.
#
# - `queued`: Others come first.
# - `running`: Its positions are being searched.
# - `done`: It is complete.
AnalysisState: TypeAlias = Literal[
    "queued",
    "running",
    "done",
]

# The role of a cell in a move.
#
# - `from`: Pieces leave it.
# - `to`: Pieces arrive at it.
CellRole: TypeAlias = Literal[
    "from",
    "to",
]

# 32 bytes as 64 hex digits: a link of a record chain.
Chain: TypeAlias = str

# The id of an open challenge.
ChallengeId: TypeAlias = str

# Who may challenge a user.
#
# - `all`: Every user.
# - `accounts`: Users with an account, and their bots.
# - `none`: No user.
Challengers: TypeAlias = Literal[
    "all",
    "accounts",
    "none",
]

# The kinds of claims.
#
# - `abandoned`: A player is away and does not come back.
ClaimKind: TypeAlias = Literal[
    "abandoned",
]

# A kind of clock.
#
# - `none`: No clock.
# - `fischer`: A time for the game, and an increment.
# - `per_move`: A time for each move.
# - `byoyomi`: A main time, then periods.
# - `days`: Days for each move.
ClockMode: TypeAlias = Literal[
    "none",
    "fischer",
    "per_move",
    "byoyomi",
    "days",
]

# Why a challenge was closed without a game. All reasons but the first two mean that a user
# declined it.
#
# - `cancelled`: The challenger cancelled it.
# - `expired`: It was not answered in time.
# - `later`: Not now.
# - `too_fast`: The clock is too fast.
# - `too_slow`: The clock is too slow.
# - `rated`: The game should be rated.
# - `casual`: The game should be casual.
# - `game`: Another game is preferred.
# - `options`: Other options are preferred.
# - `no_bot`: Bots are not welcome.
# - `busy`: The user plays too many games already.
# - `generic`: No reason was given.
ClosedReason: TypeAlias = Literal[
    "cancelled",
    "expired",
    "later",
    "too_fast",
    "too_slow",
    "rated",
    "casual",
    "game",
    "options",
    "no_bot",
    "busy",
    "generic",
]

# Why a user declined a challenge.
#
# - `later`: Not now.
# - `too_fast`: The clock is too fast.
# - `too_slow`: The clock is too slow.
# - `rated`: The game should be rated.
# - `casual`: The game should be casual.
# - `game`: Another game is preferred.
# - `options`: Other options are preferred.
# - `no_bot`: Bots are not welcome.
# - `busy`: The user plays too many games already.
# - `generic`: No reason was given.
DeclineReason: TypeAlias = Literal[
    "later",
    "too_fast",
    "too_slow",
    "rated",
    "casual",
    "game",
    "options",
    "no_bot",
    "busy",
    "generic",
]

# The direction of a challenge.
#
# - `in`: To the client's user.
# - `out`: By the client's user.
Direction: TypeAlias = Literal[
    "in",
    "out",
]

# Why a game ended.
#
# - `last_player`: One player was left.
# - `two_pieces`: Two pieces were left that do not see each other.
# - `connected`: Two edges were connected.
# - `aligned`: Two like pieces stood opposite each other.
# - `stuck`: No side could move.
# - `repetition`: The same position occurred for the third time.
# - `too_long`: The game reached the longest length that is allowed.
# - `agreement`: The players agreed.
# - `resigned`: The last opponent resigned.
# - `timed_out`: The last opponent's clock ran out.
# - `abandoned`: The last opponent went away.
# - `ruling`: An operator of the server has decided.
EndReason: TypeAlias = Literal[
    "last_player",
    "two_pieces",
    "connected",
    "aligned",
    "stuck",
    "repetition",
    "too_long",
    "agreement",
    "resigned",
    "timed_out",
    "abandoned",
    "ruling",
]

# Why a request failed.
#
# - `bad_json`: The frame is not a JSON object.
# - `bad_message`: A field is missing, of the wrong kind or out of its bounds.
# - `unknown_type`: The server does not know the type.
# - `too_large`: The frame or a field is larger than allowed.
# - `proto_unsupported`: Server and client share no version of the protocol.
# - `unauthorized`: The name, password or token is wrong.
# - `forbidden`: The user is not allowed to do this.
# - `blocked`: One of the two users has blocked the other.
# - `not_accepting`: The user accepts no such challenges.
# - `name_taken`: The name is taken.
# - `not_found`: There is no such game, seek, challenge or user.
# - `not_a_player`: The user does not play in this game.
# - `not_your_turn`: Another seat is to move.
# - `stale_turn`: The turn of the request is over.
# - `illegal_move`: The rules do not allow the move.
# - `game_over`: The game has ended.
# - `no_such_offer`: There is no such open offer.
# - `id_reuse`: The id was used for another request.
# - `too_soon`: Not allowed yet.
# - `busy`: All workers are busy.
# - `rate_limited`: The client exceeded a rate limit.
# - `overloaded`: A queue inside the server is full.
# - `read_only`: The server accepts no changes at present.
# - `internal`: The server failed. Sending the request again settles whether it succeeded.
# - `banned`: The user, the user's owner or the address is banned, or the account is closed.
# - `sign_up_closed`: The server takes no new accounts or no new guests at present, or an
#   invitation is needed.
# - `maintenance`: No game begins, because the server is about to be restarted.
# - `silenced`: An operator has silenced the user, or the user's owner.
ErrorCode: TypeAlias = Literal[
    "bad_json",
    "bad_message",
    "unknown_type",
    "too_large",
    "proto_unsupported",
    "unauthorized",
    "forbidden",
    "blocked",
    "not_accepting",
    "name_taken",
    "not_found",
    "not_a_player",
    "not_your_turn",
    "stale_turn",
    "illegal_move",
    "game_over",
    "no_such_offer",
    "id_reuse",
    "too_soon",
    "busy",
    "rate_limited",
    "overloaded",
    "read_only",
    "internal",
    "banned",
    "sign_up_closed",
    "maintenance",
    "silenced",
]

# The id of a game.
GameId: TypeAlias = str

# The kinds of option values.
#
# - `flag`: True or false; false by default.
# - `number`: A whole number.
# - `word`: A word.
GameOptionKind: TypeAlias = Literal[
    "flag",
    "number",
    "word",
]

# The state of the games in a list.
#
# - `live`: The game is live.
# - `finished`: The game has ended.
GameState: TypeAlias = Literal[
    "live",
    "finished",
]

# The level of one of the server's own bots.
#
# - `easy`: Level 1 plays random legal moves.
# - `level2`: Level 2 often prefers a better move.
# - `level3`: Level 3 is the first that takes and stops every win in one.
# - `medium`: Level 4 looks about one move ahead.
# - `level5`: Level 5 and those above it look further and further ahead.
# - `level6`: Level 6.
# - `level7`: Level 7.
# - `hard`: Level 8 looks as far ahead as it can.
HouseLevel: TypeAlias = Literal[
    "easy",
    "level2",
    "level3",
    "medium",
    "level5",
    "level6",
    "level7",
    "hard",
]

# The id of an invite. Every user who knows it may accept the invite.
InviteId: TypeAlias = str

# Why a seat left the game.
#
# - `no_pieces`: Its last piece was captured.
# - `no_move`: It could not move.
# - `resigned`: It resigned.
# - `timed_out`: Its clock ran out.
# - `abandoned`: Its player went away.
LeaveReason: TypeAlias = Literal[
    "no_pieces",
    "no_move",
    "resigned",
    "timed_out",
    "abandoned",
]

# How much of the chance to win a move lost.
#
# - `good`: Less than a tenth.
# - `inaccuracy`: At least a tenth.
# - `mistake`: At least a fifth.
# - `blunder`: At least three tenths.
MoveVerdict: TypeAlias = Literal[
    "good",
    "inaccuracy",
    "mistake",
    "blunder",
]

# The kinds of notices.
#
# - `restart`: The server restarts. Connections close with 1012.
# - `maintenance`: The operator has planned a restart. From then on no game begins.
# - `maintenance_cancelled`: The planned restart is cancelled.
# - `message`: A text of the operator.
# - `warning`: An operator warns the user.
# - `silenced`: An operator has silenced the user.
# - `report_closed`: A report of the user is closed.
# - `game_annulled`: An operator has annulled the result of a game of the user.
# - `game_ruled`: An operator has ended a game of the user by a ruling.
NoticeKind: TypeAlias = Literal[
    "restart",
    "maintenance",
    "maintenance_cancelled",
    "message",
    "warning",
    "silenced",
    "report_closed",
    "game_annulled",
    "game_ruled",
]

# Names an offer within its game: `o_` and a number counted from 1.
OfferId: TypeAlias = str

# The kinds of offers.
#
# - `draw`: A draw.
# - `takeback`: Taking back the last move of the seat that offers.
# - `abort`: Aborting the game.
# - `substitute`: A computer on the seat of a player who leaves. Only the server offers it.
OfferKind: TypeAlias = Literal[
    "draw",
    "takeback",
    "abort",
    "substitute",
]

# How an offer ended.
#
# - `accepted`: All seats agreed.
# - `declined`: A seat declined.
# - `withdrawn`: The seat withdrew it.
# - `moved`: A move closed it.
OfferOutcome: TypeAlias = Literal[
    "accepted",
    "declined",
    "withdrawn",
    "moved",
]

# Who plays a game.
#
# - `people`: Only people.
# - `bots`: Only bots.
# - `mixed`: Both people and bots.
Opponents: TypeAlias = Literal[
    "people",
    "bots",
    "mixed",
]

# What perfect play comes to for the side to move.
#
# - `win`: It wins.
# - `draw`: Nobody can force a win.
# - `loss`: It loses.
OracleValue: TypeAlias = Literal[
    "win",
    "draw",
    "loss",
]

# Covers everything that the rules remember of a position: 16 hex digits.
PositionHash: TypeAlias = str

# The public half of a server's key.
PublicKey: TypeAlias = str

# What operators did about a report.
#
# - `acted`: They acted on it.
# - `dismissed`: They saw nothing to act on.
ReportOutcome: TypeAlias = Literal[
    "acted",
    "dismissed",
]

# What a report is about.
#
# - `cheating`: A player gets help, or loses on purpose.
# - `abuse`: Insults or threats.
# - `spam`: Advertisement, or talk that floods a game.
# - `stalling`: A player lets the opponent wait instead of losing.
# - `name`: A name that offends, or that is somebody else's.
# - `other`: Anything else.
ReportReason: TypeAlias = Literal[
    "cheating",
    "abuse",
    "spam",
    "stalling",
    "name",
    "other",
]

# The id of a request, chosen by the client. The reply carries it as `re`.
RequestId: TypeAlias = str

# Why a game ended or was aborted.
#
# - `aborted`: The game was aborted and has no result.
# - `last_player`: One player was left.
# - `two_pieces`: Two pieces were left that do not see each other.
# - `connected`: Two edges were connected.
# - `aligned`: Two like pieces stood opposite each other.
# - `stuck`: No side could move.
# - `repetition`: The same position occurred for the third time.
# - `too_long`: The game reached the longest length that is allowed.
# - `agreement`: The players agreed.
# - `resigned`: The last opponent resigned.
# - `timed_out`: The last opponent's clock ran out.
# - `abandoned`: The last opponent went away.
# - `ruling`: An operator of the server has decided.
ResultReason: TypeAlias = Literal[
    "aborted",
    "last_player",
    "two_pieces",
    "connected",
    "aligned",
    "stuck",
    "repetition",
    "too_long",
    "agreement",
    "resigned",
    "timed_out",
    "abandoned",
    "ruling",
]

# How the server resumes a game after a (re)connect.
#
# - `tail`: The missing events follow.
# - `snapshot`: A snapshot follows.
# - `fork`: The client's history differs from the server's. The client forgets it; a snapshot
#   follows.
# - `gone`: The game does not exist.
ResumeDecision: TypeAlias = Literal[
    "tail",
    "snapshot",
    "fork",
    "gone",
]

# What a client should do after an error.
#
# - `never`: The same request will never succeed.
# - `same`: The same request may be sent again immediately.
# - `after`: The same request may be sent again after `retry_after_ms`.
# - `resync`: Fetch the game again, then decide.
Retry: TypeAlias = Literal[
    "never",
    "same",
    "after",
    "resync",
]

# A game's rules with their version, as in `NAME@1`; without a version, in a request, the
# present one.
RulesName: TypeAlias = str

# Whether a seat still plays, or why it left.
#
# - `in`: The seat plays.
# - `no_pieces`: Its last piece was captured.
# - `no_move`: It could not move.
# - `resigned`: It resigned.
# - `timed_out`: Its clock ran out.
# - `abandoned`: Its player went away.
SeatState: TypeAlias = Literal[
    "in",
    "no_pieces",
    "no_move",
    "resigned",
    "timed_out",
    "abandoned",
]

# The id of an open seek.
SeekId: TypeAlias = str

# A signature with such a key.
SignatureBytes: TypeAlias = str

# Why a snapshot came without a request.
#
# - `lagged`: The client read too slowly for every event.
# - `resumed`: It follows a `hello`.
SnapshotReason: TypeAlias = Literal[
    "lagged",
    "resumed",
]

# A result of a game from the side of one of its players.
#
# - `won`: The player alone won.
# - `lost`: Another player won.
# - `drawn`: The player shared the first place.
SoughtResult: TypeAlias = Literal[
    "won",
    "lost",
    "drawn",
]

# A place in the standings, from which the next page goes on; opaque to clients.
StandingsCursor: TypeAlias = str

# One of the two talk rooms of a game.
#
# - `players`: The room of the players.
# - `spectators`: The room of the spectators, and of all users after the end.
TalkRoom: TypeAlias = Literal[
    "players",
    "spectators",
]

# The public id of a token. It does not contain the secret.
TokenId: TypeAlias = str

# A user's name as the user spells it; names that differ only in case are the same name.
UserName: TypeAlias = str

class Aborted(TypedDict):
    """An aborted game."""

    type: Literal["event"]
    kind: Literal["aborted"]
    # epoch milliseconds; never less than the one before
    at: int
    # The seat that aborted, offered to abort, or did not move; of a ruling the seat to move.
    by: int
    chain: Chain
    # The seat that claimed that the other never came.
    claimed_by: NotRequired[int]
    game: GameId
    hash: PositionHash
    # The reason.
    reason: AbortReason
    req: NotRequired[RequestId]
    # gapless within the game
    seq: int

class Acceptance(TypedDict):
    """Which challenges a bot accepts. What is absent is not restricted."""

    # The kinds of opponents. By default `{"bots":true,"guests":true}`.
    allow: Allow
    # The kinds of clocks; all if the list is empty.
    clocks: NotRequired[list[ClockMode]]
    # Whether the bot may decline options other than a game's default ones.
    default_options: NotRequired[bool]
    # The games; all if the list is empty.
    games: NotRequired[list[AcceptedGame]]
    # The average time for a move.
    pace: NotRequired[PaceRange]
    # Only rated games, or only others.
    rated: NotRequired[bool]
    # The opponents' ratings.
    rating: NotRequired[RatingRange]

class AcceptanceGiven(TypedDict):
    """Which challenges a bot accepts. What is absent is not restricted."""

    # The kinds of opponents. By default `{"bots":true,"guests":true}`.
    allow: NotRequired[AllowGiven]
    # The kinds of clocks; all if the list is empty.
    clocks: NotRequired[list[ClockMode]]
    # Whether the bot may decline options other than a game's default ones.
    default_options: NotRequired[bool]
    # The games; all if the list is empty.
    games: NotRequired[list[AcceptedGame]]
    # The average time for a move.
    pace: NotRequired[PaceRange]
    # Only rated games, or only others.
    rated: NotRequired[bool]
    # The opponents' ratings.
    rating: NotRequired[RatingRange]

class AcceptedGame(TypedDict):
    """A game that a bot accepts."""

    # The number of players; any if absent.
    players: NotRequired[int]
    # The game.
    rules: RulesName

class Agreed(TypedDict):
    """An agreement to an offer by one of several seats."""

    type: Literal["event"]
    kind: Literal["agreed"]
    # epoch milliseconds; never less than the one before
    at: int
    chain: Chain
    game: GameId
    hash: PositionHash
    # The seats that have not answered yet.
    needs: list[int]
    # The offer.
    offer: OfferId
    req: NotRequired[RequestId]
    # The seat.
    seat: int
    # gapless within the game
    seq: int

class Allow(TypedDict):
    """The opponents that a seeker accepts."""

    # Whether bots may accept.
    bots: bool
    # Whether guests may accept.
    guests: bool

class AllowGiven(TypedDict):
    """The opponents that a seeker accepts."""

    # Whether bots may accept.
    bots: NotRequired[bool]
    # Whether guests may accept.
    guests: NotRequired[bool]

class AnalysedMove(TypedDict):
    """A move of an analysed game. Values are for the seat that made it: 1000 is a certain win,
    -1000 a
    certain loss, 0 is even.
    """

    # The best move in its place, and how the game would go on.
    best: list[str]
    # Whether that value is proven.
    best_exact: bool
    # The value of the best move.
    best_value: int
    # The plies from the best move to the end of the game, where these are proven.
    distance: NotRequired[int]
    # Whether that value is proven.
    exact: bool
    # In how many moves of the seat a certain win was missed by it.
    missed_win: NotRequired[int]
    # The move.
    move: str
    # Its ply.
    ply: int
    # The seat that made it.
    seat: int
    # The value of the move.
    value: int
    # How much of the chance to win it lost.
    verdict: MoveVerdict

class Analysis(TypedDict):
    """The analysis of a finished game of two."""

    type: Literal["analysis"]
    # The accuracy of the players who made a move, once it is done.
    accuracy: NotRequired[list[SeatAccuracy]]
    # How many others come first, while it is queued.
    ahead: NotRequired[int]
    # The game.
    game: GameId
    # The moves without skips, each with what is thought of it, once it is done.
    moves: NotRequired[list[AnalysedMove]]
    # How many positions the game has, from then on.
    positions: NotRequired[int]
    # The request that this answers.
    re: RequestId
    # How many positions are searched, while it is running.
    searched: NotRequired[int]
    # How far it is.
    state: AnalysisState
    # The plies of the moves that lost the most, at most three, once it is done.
    turning_points: NotRequired[list[int]]

class BlockList(TypedDict):
    """The users that the client's user has blocked."""

    type: Literal["blocks"]
    # The request that this answers.
    re: RequestId
    # The names of the users.
    users: list[UserName]

class BoardLayout(TypedDict):
    """A board to draw."""

    type: Literal["layout"]
    # Every cell.
    cells: list[LayoutCell]
    # Its goals.
    edges: list[LayoutEdge]
    # The game, if the request names one.
    game: NotRequired[GameId]
    # For each seat, the letters of its pieces.
    letters: list[str]
    # How many pieces a cell holds, where the height of each one matters.
    levels: NotRequired[int]
    # The request that this answers.
    re: RequestId

class BotEntry(TypedDict):
    """A bot in the list of its owner."""

    # The time of creation in epoch milliseconds.
    created: int
    # The name that it plays under.
    name: UserName
    # The number of its tokens.
    tokens: int

class Bots(TypedDict):
    """A user's bots, the oldest first."""

    type: Literal["bots"]
    # All of them.
    bots: list[BotEntry]
    # The request that this answers.
    re: RequestId

class ByoyomiClock(TypedDict):
    """A main time, then periods. A move within a period restores it."""

    # The main time.
    base_ms: int
    mode: Literal["byoyomi"]
    # The length of a period in milliseconds.
    period_ms: int
    # The number of periods after the main time.
    periods: int

class Capture(TypedDict):
    """Pieces that a move captured."""

    # Their cell.
    cell: str
    # One letter per piece.
    pieces: str
    # The seat that they belonged to.
    seat: int

class ChallengeClosed(TypedDict):
    """A challenge was closed, with or without a game."""

    type: Literal["challenge_closed"]
    # The user who declined or cancelled it.
    by: NotRequired[UserName]
    # The challenge.
    challenge: ChallengeId
    # The new game.
    game: NotRequired[GameId]
    # The limit that is reached, if a house player declined it as `busy`:
    # `house_games_per_user`, `house_games_per_network` or `house_games`.
    limit: NotRequired[str]
    # The reason in words, if a house player declined it.
    message: NotRequired[str]
    # The reason, if there is no game.
    reason: NotRequired[ClosedReason]
    # The game of which this was a rematch.
    rematch_of: NotRequired[GameId]

class ChallengeList(TypedDict):
    """Open challenges to and by the client's user."""

    type: Literal["challenges"]
    # The challenges, the newest first.
    challenges: list[OpenChallenge]
    # Whether there are more: request them with `before` set to the last one.
    more: bool
    # The request that this answers.
    re: RequestId

class Challenged(TypedDict):
    """A challenge to the client's user, or a further acceptance of one."""

    type: Literal["challenged"]
    # The users who have accepted so far.
    accepted: list[UserName]
    # Whether the user is a bot.
    bot: NotRequired[bool]
    # The challenger.
    by: UserName
    # The id of the challenge.
    challenge: ChallengeId
    # The time control.
    clock: TimeControl
    # The time of creation in epoch milliseconds.
    created: int
    # The number of moves that spectators are behind while the game is live.
    delay: NotRequired[int]
    # The time at which it expires, in epoch milliseconds.
    expires: int
    # Whether the user is a guest.
    guest: NotRequired[bool]
    # Its options, complete.
    options: dict[str, OptionValue]
    # Whether the game is rated.
    rated: bool
    # The game of which this is a rematch.
    rematch_of: NotRequired[GameId]
    # The game.
    rules: RulesName
    # The users by seat.
    seats: list[UserName]
    # Whether the seats are shuffled.
    shuffle: bool
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class ChosenCell(TypedDict):
    """A picked cell with its amount and the possible amounts."""

    # The cell.
    cell: str
    # The chosen one of `choices`, if there are any.
    choice: NotRequired[str]
    # The possible choices.
    choices: NotRequired[list[str]]
    # The smallest possible number.
    least: NotRequired[int]
    # The largest possible number, with the other amounts unchanged.
    most: NotRequired[int]
    # The number of its pieces that take part, if there is a choice.
    pieces: NotRequired[int]

class ClaimAfter(TypedDict):
    """The absence on a player's turn after which the others may claim the game. Games with days
    for
    each move allow no claims.
    """

    # With clocks, in milliseconds.
    timed_ms: int
    # Without clocks, in milliseconds.
    untimed_ms: int

class ClockAdjusted(TypedDict):
    """A credit of time to the running clock."""

    type: Literal["event"]
    kind: Literal["clock_adjusted"]
    # epoch milliseconds; never less than the one before
    at: int
    # The credit in milliseconds.
    by_ms: int
    chain: Chain
    game: GameId
    hash: PositionHash
    # The reason.
    reason: AdjustReason
    req: NotRequired[RequestId]
    # The seat of the clock.
    seat: int
    # gapless within the game
    seq: int

class ClockState(TypedDict):
    """The clocks of a game at one moment."""

    # For the whole game in `fischer`, before the periods in `byoyomi`.
    base_ms: NotRequired[int]
    # Added after each move, in `fischer`.
    inc_ms: NotRequired[int]
    # The remaining times, without what the running clock has lost since `since`.
    left_ms: NotRequired[list[int]]
    # The time control's name.
    mode: str
    # For each move, in `per_move`.
    move_ms: NotRequired[int]
    # For each move, in `days`.
    per_move_days: NotRequired[int]
    # The length of one, in `byoyomi`.
    period_ms: NotRequired[int]
    # How many periods follow the main time, in `byoyomi`.
    periods: NotRequired[int]
    # The seat whose clock runs.
    running: NotRequired[int]
    # The start of the running clock, later by the credited time.
    since: NotRequired[int]

class Created(TypedDict):
    """The setup of a game."""

    type: Literal["event"]
    kind: Literal["created"]
    # epoch milliseconds; never less than the one before
    at: int
    chain: Chain
    # The time control.
    clock: TimeControl
    # The number of moves that spectators are behind while the game is live.
    delay: NotRequired[int]
    game: GameId
    hash: PositionHash
    # Its options, complete.
    options: dict[str, OptionValue]
    # Whether the game is rated.
    rated: bool
    req: NotRequired[RequestId]
    # The game, with the version of its rules.
    rules: RulesName
    # The users in turn order.
    seats: list[SeatUser]
    # gapless within the game
    seq: int
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class Cursor(TypedDict):
    """The last event that a client knows of a game."""

    # The chain of that event.
    chain: NotRequired[Chain]
    # The seq of that event.
    seq: int

class DaysClock(TypedDict):
    """Days for each move."""

    mode: Literal["days"]
    # The time for one move.
    per_move_days: int

class DirectoryEntry(TypedDict):
    """A bot in the directory."""

    # Which challenges the bot accepts.
    accepts: Acceptance
    # How many more games the bot would begin at present. The server's own bots do not say.
    free: NotRequired[int]
    # Whether the bot is a guest.
    guest: NotRequired[bool]
    # The level, if the bot is one of the server's own.
    level: NotRequired[HouseLevel]
    # The owner, if the bot has one.
    owner: NotRequired[UserName]
    # The bot's ratings, by game and number of players: `adamas/2`.
    ratings: NotRequired[dict[str, int]]
    # The name, which challenges go to.
    user: UserName

class DirectoryList(TypedDict):
    """The bots that are connected and accept challenges, in the order of their names."""

    type: Literal["directory"]
    # One page of them.
    bots: list[DirectoryEntry]
    # Whether there are more: request them with `before` set to the last one.
    more: bool
    # The request that this answers.
    re: NotRequired[RequestId]

class Done(TypedDict):
    """A request succeeded. Which fields are present depends on the request."""

    type: Literal["ok"]
    # The pieces that the tried move would capture.
    captures: NotRequired[list[Capture]]
    # The challenge that it opened or accepted.
    challenge: NotRequired[ChallengeId]
    # Whether the request was a repetition and had succeeded before.
    dup: NotRequired[bool]
    # The time at which the new invite expires, in epoch milliseconds.
    expires: NotRequired[int]
    # The game of the request, or the new game.
    game: NotRequired[GameId]
    # The invite that it made or accepted.
    invite: NotRequired[InviteId]
    # `true` for a tried move.
    legal: NotRequired[bool]
    # The tried move in canonical notation.
    move: NotRequired[str]
    # The number of the new line of talk.
    n: NotRequired[int]
    # The new offer.
    offer: NotRequired[OfferId]
    # The position after the tried move.
    position: NotRequired[dict[str, str]]
    # The request that this answers.
    re: RequestId
    # The recovery code of the account, which sets a new password once. Sent only once.
    recovery: NotRequired[str]
    # The number of the report.
    report: NotRequired[int]
    # The result after the tried move.
    result: NotRequired[GameResult]
    # The secret that signs the requests to the new webhook, sent only once.
    secret: NotRequired[str]
    # The seek that it opened or joined.
    seek: NotRequired[SeekId]
    # The seq of the event that it caused.
    seq: NotRequired[int]
    # Cells with pieces that another seat could capture then, were it that seat's turn.
    threatened: NotRequired[list[str]]
    # The seat to move after the tried move; absent if the game would end.
    to_move: NotRequired[int]
    # The secret of a token, sent only once.
    token: NotRequired[str]
    # The id of that token.
    token_id: NotRequired[TokenId]
    # The turn counter after it.
    turn: NotRequired[int]
    # The new user.
    user: NotRequired[UserName]

class Ended(TypedDict):
    """The end of a game."""

    type: Literal["event"]
    kind: Literal["ended"]
    # epoch milliseconds; never less than the one before
    at: int
    # The seat that resigned, ran out of time or went away, if that ended the game.
    by: NotRequired[int]
    chain: Chain
    # The seat that claimed the abandonment.
    claimed_by: NotRequired[int]
    game: GameId
    hash: PositionHash
    # Each seat's place, from 1; equal numbers are shared.
    places: list[int]
    # The reason.
    reason: EndReason
    req: NotRequired[RequestId]
    # gapless within the game
    seq: int
    # One seat, or several for a draw.
    winners: list[int]

class Explored(TypedDict):
    """The position after tried moves."""

    type: Literal["explored"]
    # The pieces that the last move captured.
    captures: list[Capture]
    # The tried moves, canonical.
    moves: list[str]
    # The opinion of one of the server's bots, if the request asks for it.
    opinion: NotRequired[Opinion]
    # Its options, complete.
    options: dict[str, OptionValue]
    # What perfect play comes to, if the request asks for it and it is known: in Adamas with few
    # pieces on boards of size 2 and 3 without `prog_cap`, in Stymie on boards up to size 5,
    # where no swap is due and a proof is short.
    oracle: NotRequired[Oracle]
    # How many play it.
    players: int
    # The number of moves and skips before the position.
    ply: int
    # The board.
    position: dict[str, str]
    # The request that this answers.
    re: RequestId
    # For each seat, a letter for each piece that it has yet to bring onto the board; absent if
    # no
    # seat has any.
    reserve: NotRequired[list[str]]
    # The result; `null` if the game would go on.
    result: GameResult | None
    # The kind of game.
    rules: RulesName
    # The completions of the sketch with the board, if the request has one.
    sketch: NotRequired[Outlook]
    # The first steps of the next move, if the request asks for them.
    steps: NotRequired[FirstSteps]
    # Cells with pieces that another seat could capture, were it that seat's turn; absent in
    # games
    # without captures.
    threatened: NotRequired[list[str]]
    # The seat to move; `null` if the game would be over.
    to_move: int | None
    # The cells by which the game would be won.
    winning: NotRequired[list[str]]

class Failed(TypedDict):
    """A request failed, or a frame was not a request."""

    type: Literal["error"]
    # The code for programs.
    code: ErrorCode
    # The game of the request.
    game: NotRequired[GameId]
    # Which of several tried moves failed, from 0.
    index: NotRequired[int]
    # The limit that was exceeded.
    limit: NotRequired[str]
    # One sentence for people.
    message: str
    # The protocol versions of the server, after an unknown one.
    proto: NotRequired[list[int]]
    # The request, if its id could be decoded.
    re: NotRequired[RequestId]
    # What the client should do.
    retry: Retry
    # The wait before sending it again, for `retry` `after`.
    retry_after_ms: NotRequired[int]
    # The present turn, after a stale one.
    turn: NotRequired[int]
    # When the ban ends, in epoch milliseconds; absent if it does not.
    until: NotRequired[int]
    # The rule that an illegal move violates.
    why: NotRequired[str]
    # What the sentence names, by the names in the key's sentence.
    why_args: NotRequired[dict[str, OptionValue]]
    # The key of that rule, for translations.
    why_key: NotRequired[str]

class Featured(TypedDict):
    """The featured game of a kind. Without `re` it has just changed."""

    type: Literal["tv"]
    # The entry as in lists.
    entry: NotRequired[GameEntry]
    # The game; `null` if there is no live game.
    game: GameId | None
    # The request that this answers.
    re: NotRequired[RequestId]
    # The kind of game.
    rules: RulesName

# A cell that a move can begin with.
FirstStep = TypedDict(
    "FirstStep",
    {
        # The list of the sketch that the cell joins.
        "as": 'CellRole',
        # Those of `to` where going there captures.
        "capture": 'NotRequired[list[str]]',
        # The cell.
        "cell": 'str',
        # The chosen one of `choices`, if there are any.
        "choice": 'NotRequired[str]',
        # The possible choices.
        "choices": 'NotRequired[list[str]]',
        # The cells that can be picked next for more pieces to leave.
        "from": 'NotRequired[list[str]]',
        # The smallest possible number.
        "least": 'NotRequired[int]',
        # The largest possible number.
        "most": 'NotRequired[int]',
        # The legal move that the cell is by itself, if it is one.
        "move": 'NotRequired[str]',
        # The number of its pieces that take part, if there is a choice.
        "pieces": 'NotRequired[int]',
        # The cells that can be picked next for pieces to arrive at.
        "to": 'NotRequired[list[str]]',
    },
)

class FirstSteps(TypedDict):
    """The first steps of a turn: what a player can pick first, and what can follow each of
    these.
    """

    # Whether some steps lack everything but their cell and role, because the list would be too
    # long.
    cut: NotRequired[bool]
    # The cells that a move can begin with, once for each role.
    first: list[FirstStep]
    # Legal moves that have no cells.
    words: NotRequired[list[str]]

class FischerClock(TypedDict):
    """A time for the game, and an increment for each move."""

    # The main time in milliseconds.
    base_ms: int
    # The increment after each move in milliseconds.
    inc_ms: int
    mode: Literal["fischer"]

class GameCatalogue(TypedDict):
    """The games that can be played."""

    type: Literal["catalogue"]
    # Every game.
    games: list[PlayableGame]
    # The server's own bots, weakest first; empty if there are none.
    house: list[HousePlayer]
    # The request that this answers.
    re: RequestId

class GameEntry(TypedDict):
    """A game in a list."""

    # Whether an operator has annulled the result: it counts for nothing.
    annulled: NotRequired[bool]
    # The time control.
    clock: TimeControl
    # The number of moves that spectators are behind while the game is live.
    delay: NotRequired[int]
    # The game.
    game: GameId
    # The last change in epoch milliseconds.
    last_at: int
    # Its options.
    options: dict[str, OptionValue]
    # Moves and skips so far.
    ply: int
    # Whether the game is rated.
    rated: bool
    # The change of the players' ratings, if the game counts for them.
    ratings: NotRequired[RatingChange]
    # The outcome.
    result: NotRequired[GameResult]
    # The game that is played.
    rules: RulesName
    # The users by seat.
    seats: list[SeatUser]
    # The start in epoch milliseconds.
    started_at: int
    # Whether the game is live or finished.
    state: GameState
    # The player who left the game, and whose seat a computer has taken.
    substituted: NotRequired[SubstitutedUser]
    # The seat to move, in a live game.
    to_move: NotRequired[int]
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class GameList(TypedDict):
    """A list of games."""

    type: Literal["games"]
    # The games, the newest first.
    games: list[GameEntry]
    # Whether there are more, or may be: request them with `before` set to `next`.
    more: bool
    # The game after which the list goes on.
    next: NotRequired[GameId]
    # The request that this answers.
    re: NotRequired[RequestId]

class GameOption(TypedDict):
    """An option of a game."""

    # The kind of its values.
    kind: GameOptionKind
    # Its effect and default, in one line.
    about: str
    # The values that there are, where they are few.
    choices: NotRequired[list[GameOptionChoice]]
    # The least number.
    least: NotRequired[int]
    # The greatest number.
    most: NotRequired[int]
    # Its name in `options`.
    name: str
    # Its name for people.
    title: str

class GameOptionChoice(TypedDict):
    """A value of an option."""

    # What it means, for people.
    title: str
    # The value, as in `options`.
    value: OptionValue

class GameResult(TypedDict):
    """How a game ended."""

    # Each seat's place, from 1; empty for an aborted game.
    places: list[int]
    # The reason.
    reason: ResultReason
    # One seat, several for a draw, none for an aborted game.
    winners: list[int]

class GameStats(TypedDict):
    """The statistics of a game. A game is counted some seconds after its end."""

    type: Literal["stats"]
    # The number of aborted games. Nothing else counts them.
    aborted: int
    # Those that several seats won.
    draws: int
    # All games.
    games: int
    # How long the games were; absent without games.
    length: NotRequired[LengthCounts]
    # The most played openings of one, two and three moves; of each length the most played
    # first.
    openings: list[OpeningCount]
    # Who plays the games that are counted; everyone if absent.
    opponents: NotRequired[Opponents]
    # The number of players.
    players: int
    # The request that this answers.
    re: NotRequired[RequestId]
    # Why the games ended, the most frequent reason first.
    reasons: list[ReasonCount]
    # The game.
    rules: RulesName
    # Those that one seat won, by seat.
    wins: list[int]

class GuestAuth(TypedDict):
    """A guest of that name."""

    # Whether the guest is a bot.
    bot: NotRequired[bool]
    guest: UserName

class Heartbeat(TypedDict):
    """The heartbeat of a connection."""

    # The silence after which the server closes a connection, in milliseconds.
    idle_close_ms: int
    # The interval of WebSocket pings, in milliseconds.
    ping_every_ms: int

class Hello(TypedDict):
    """Opens the session."""

    type: Literal["hello"]
    # The id of the request.
    id: RequestId
    # The user's credentials. Without them the session may watch and sign up, but not play.
    auth: NotRequired[Auth]
    # Optional capabilities that the client asks for.
    caps: NotRequired[list[str]]
    # The name and version of the client program.
    client: NotRequired[Software]
    # The versions of the protocol that the client speaks.
    proto: list[int]
    # The client's cursors, by game id.
    resume: NotRequired[dict[str, Cursor]]

# The cells that a move can use.
HintList = TypedDict(
    "HintList",
    {
        "type": 'Literal["hints"]',
        # The cells that it may pick.
        "cells": 'list[str]',
        # The cell of the request.
        "from": 'NotRequired[str]',
        # The game.
        "game": 'GameId',
        # The request that this answers.
        "re": 'RequestId',
        # The completions of the sketch, if the request had one.
        "sketch": 'NotRequired[Outlook]',
        # The targets of that cell.
        "to": 'NotRequired[list[HintTarget]]',
        # The seat to move.
        "to_move": 'int',
        # The turn that this is valid for.
        "turn": 'int',
        # Legal moves that have no cells.
        "words": 'NotRequired[list[str]]',
    },
)

class HintTarget(TypedDict):
    """A target cell."""

    # Whether moving there captures.
    capture: NotRequired[bool]
    # The cell.
    cell: str

class HistoryList(TypedDict):
    """A user's finished games, the one that ended last first."""

    type: Literal["history"]
    # One page of them.
    games: list[GameEntry]
    # Whether there are more: request them with `before` set to the last one.
    more: bool
    # The request that this answers.
    re: NotRequired[RequestId]
    # The user.
    user: UserName

class HousePlayer(TypedDict):
    """One of the server's own bots, which accepts every challenge."""

    # What its measured strength is above that of level 1, in Elo, by game: `diam`.
    elo: NotRequired[dict[str, int]]
    # Its level.
    level: HouseLevel
    # The number of its level, from 1, the weakest, to 8.
    number: NotRequired[int]
    # The name of a second bot of this level, for another seat of the same game.
    twin: NotRequired[UserName]
    # Its name, which challenges go to.
    user: UserName

class InviteEntry(TypedDict):
    """An invite."""

    # Whether the user is a bot.
    bot: NotRequired[bool]
    # The inviting user.
    by: UserName
    # The time control.
    clock: TimeControl
    # The time of creation in epoch milliseconds.
    created: int
    # The number of moves that spectators are behind while the game is live.
    delay: NotRequired[int]
    # The time at which it expires, in epoch milliseconds.
    expires: int
    # The game that has begun.
    game: NotRequired[GameId]
    # Whether the user is a guest.
    guest: NotRequired[bool]
    # The id of the invite.
    invite: InviteId
    # The users who have joined so far, the inviting user included.
    joined: list[UserName]
    # Its options, complete.
    options: dict[str, OptionValue]
    # The number of players.
    players: int
    # Whether the game is rated, if no player is a guest.
    rated: bool
    # The reason, if it was closed without a game.
    reason: NotRequired[ClosedReason]
    # The game.
    rules: RulesName
    # The seat that the inviting user prefers.
    seat: SeatWish
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class InviteList(TypedDict):
    """The user's open invites."""

    type: Literal["invites"]
    # The invites, the newest first.
    invites: list[InviteEntry]
    # The request that this answers.
    re: RequestId

class InviteState(TypedDict):
    """One invite. Without `re` it has changed."""

    type: Literal["invite"]
    # Whether the user is a bot.
    bot: NotRequired[bool]
    # The inviting user.
    by: UserName
    # The time control.
    clock: TimeControl
    # The time of creation in epoch milliseconds.
    created: int
    # The number of moves that spectators are behind while the game is live.
    delay: NotRequired[int]
    # The time at which it expires, in epoch milliseconds.
    expires: int
    # The game that has begun.
    game: NotRequired[GameId]
    # Whether the user is a guest.
    guest: NotRequired[bool]
    # The id of the invite.
    invite: InviteId
    # The users who have joined so far, the inviting user included.
    joined: list[UserName]
    # Its options, complete.
    options: dict[str, OptionValue]
    # The number of players.
    players: int
    # Whether the game is rated, if no player is a guest.
    rated: bool
    # The request that this answers.
    re: NotRequired[RequestId]
    # The reason, if it was closed without a game.
    reason: NotRequired[ClosedReason]
    # The game.
    rules: RulesName
    # The seat that the inviting user prefers.
    seat: SeatWish
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class LayoutCell(TypedDict):
    """A cell to draw."""

    # Its name.
    name: str
    # `hex`, `point`, `octagon`, `square` or `sector`.
    shape: str
    # Its middle, to the right; neighbours are 1 apart.
    x: float
    # Its middle, downwards.
    y: float

class LayoutEdge(TypedDict):
    """An edge that means something to the game."""

    # Its cells.
    cells: list[str]
    # Its meaning for that seat, such as `home`.
    name: str
    # The seat that it belongs to.
    seat: int

class LengthCounts(TypedDict):
    """Lengths of games, in moves of all players."""

    # The number of lengths that each bar has.
    bar_width: int
    # Numbers of games. The first bar begins at length 0, the next ones follow without a gap.
    bars: list[int]
    # The longest game. Games of 1000 moves and more count as one of 1000.
    longest: int
    # A quarter of the games are not longer.
    lower_quartile: int
    # Half of the games are not longer.
    median: int
    # The shortest game.
    shortest: int
    # Three quarters of the games are not longer.
    upper_quartile: int

class Limits(TypedDict):
    """The limits of the server."""

    # Bots of one owner.
    bots: int
    # The burst of messages; 0 for no limit.
    burst: int
    # The largest frame.
    frame_bytes: int
    # Challenges and rematches asked for, and seeks and challenges accepted, by one user a
    # minute; 0 when there is no limit.
    games_per_min: int
    # Live games of one user.
    live_games: int
    # Open challenges made by one user.
    open_challenges: int
    # Open seeks of one session.
    open_seeks: int
    # The sustained messages per second; 0 for no limit.
    per_s: int
    # Seeks of one user per minute; 0 for no limit.
    seeks_per_min: int
    # Sessions of one user.
    sessions: int
    # Log-in tokens of one user. The same number applies to tokens for programs.
    tokens: int
    # Games that one session may watch at the same time.
    watched_games: int

class LiveChange(TypedDict):
    """The live games, or their changes. A game that is added again replaces the old entry."""

    type: Literal["live"]
    # Games that are new or have changed, the latest change first.
    add: list[LiveGame]
    # Whether these are all games. The client then forgets all others.
    full: NotRequired[bool]
    # Whether the next `live` without `re` continues this one, which did not fit into one frame.
    more: NotRequired[bool]
    # The request that this answers.
    re: NotRequired[RequestId]
    # The games that are no longer listed.
    remove: list[GameId]

class LiveGame(TypedDict):
    """A game with its board, small enough for a page of many."""

    # The entry as in lists.
    entry: GameEntry
    # The position's hash.
    hash: PositionHash
    # The last move; `pass` for a skip, absent before the first.
    move: NotRequired[str]
    # The board: cell name to pieces, bottom piece first.
    position: dict[str, str]
    # The seq of the last event that this contains.
    seq: int

class LobbyChange(TypedDict):
    """The open seeks, or their changes. A seek that is added again replaces the old entry."""

    type: Literal["lobby"]
    # The new or changed seeks.
    add: list[SeekEntry]
    # Whether an answer omits older seeks: request them with `before` set to the first one.
    more: NotRequired[bool]
    # The request that this answers. The answer adds every open seek.
    re: NotRequired[RequestId]
    # The closed seeks.
    remove: list[SeekId]

class Mail(TypedDict):
    """The mail address of an account."""

    type: Literal["mail"]
    # The confirmed address; absent if the account has none.
    address: NotRequired[str]
    # The request that this answers.
    re: RequestId
    # The address that waits for its code, if any.
    waiting: NotRequired[str]

class Me(TypedDict):
    """The user of a session."""

    # Whether the user is a bot.
    bot: bool
    # Whether the user is a guest.
    guest: bool
    # The name.
    name: UserName
    # The owner, if the user is a bot.
    owner: NotRequired[UserName]
    # The user's ratings, by game and number of players: `adamas/2`.
    ratings: NotRequired[dict[str, int]]

class MoveList(TypedDict):
    """Legal moves of the side to move, a page of them."""

    type: Literal["moves"]
    # The game.
    game: GameId
    # The moves, canonical.
    moves: list[str]
    # What to ask with as `after` for the next page; absent on the last one.
    next: NotRequired[str]
    # Moves and skips so far.
    ply: int
    # The request that this answers.
    re: RequestId
    # The seat to move.
    to_move: int
    # How many the position has in all, from whatever cell; `null` above 2^53 and where it
    # cannot
    # be told.
    total: int | None
    # The turn that this is valid for.
    turn: int

class Moved(TypedDict):
    """A move."""

    type: Literal["event"]
    kind: Literal["moved"]
    # epoch milliseconds; never less than the one before
    at: int
    # The captured pieces.
    captures: list[Capture]
    chain: Chain
    game: GameId
    hash: PositionHash
    # The network lag that was not charged, in milliseconds.
    lag_ms: int
    # The clocks after it; absent without clocks.
    left_ms: NotRequired[list[int]]
    # The move in canonical notation.
    move: str
    # The number of the move among moves and skips.
    ply: int
    req: NotRequired[RequestId]
    # The seat.
    seat: int
    # gapless within the game
    seq: int
    # The time used, in milliseconds.
    spent_ms: int
    # The seat to move after it.
    to_move: int | None
    # The turn counter after it.
    turn: int

class MuteList(TypedDict):
    """The users that the client's user has muted."""

    type: Literal["mutes"]
    # The request that this answers.
    re: RequestId
    # The names of the users.
    users: list[UserName]

# A cell that may be picked next.
NextCell = TypedDict(
    "NextCell",
    {
        # The list that the cell joins. It leaves the other list.
        "as": 'CellRole',
        # Whether moving there captures.
        "capture": 'NotRequired[bool]',
        # The cell.
        "cell": 'str',
        # The cell that this one replaces.
        "instead_of": 'NotRequired[str]',
    },
)

class NoClock(TypedDict):
    """No limit."""

    mode: Literal["none"]

class Notice(TypedDict):
    """A notice of the server."""

    type: Literal["notice"]
    # The game of `game_annulled` and `game_ruled`.
    game: NotRequired[GameId]
    # For `restart`, the wait before reconnecting, in milliseconds: the server spreads its
    # clients
    # over time. For `maintenance`, the time until it begins. Otherwise 0.
    in_ms: int
    # The number of a notice that each `hello` brings again until `notice_seen`.
    n: NotRequired[int]
    # What was done about that report.
    outcome: NotRequired[ReportOutcome]
    # The report of `report_closed`.
    report: NotRequired[int]
    # The operator's text; of `report_closed` the answer, if there is one.
    text: NotRequired[str]
    # For `silenced`, the end, in epoch milliseconds; absent if it has none.
    until: NotRequired[int]
    # The kind.
    what: NoticeKind

class OfferClosed(TypedDict):
    """An offer that is no longer open."""

    type: Literal["event"]
    kind: Literal["offer_closed"]
    # epoch milliseconds; never less than the one before
    at: int
    # The seat that closed it.
    by: int
    chain: Chain
    game: GameId
    hash: PositionHash
    # The offer.
    offer: OfferId
    # The outcome.
    outcome: OfferOutcome
    req: NotRequired[RequestId]
    # gapless within the game
    seq: int

class Offered(TypedDict):
    """An offer."""

    type: Literal["event"]
    kind: Literal["offered"]
    # epoch milliseconds; never less than the one before
    at: int
    # The seat that offers.
    by: int
    chain: Chain
    game: GameId
    hash: PositionHash
    # The seats that have not answered yet.
    needs: list[int]
    # The id of the offer within this game.
    offer: OfferId
    req: NotRequired[RequestId]
    # gapless within the game
    seq: int
    # The kind of the offer.
    what: OfferKind

class OfferedSubstitute(TypedDict):
    """The computer that can take the seat of a player who leaves."""

    # Its level.
    level: int
    # Why the player leaves.
    reason: LeaveReason
    # The time in epoch milliseconds at which the seat is removed without the answers.
    until: int
    # The computer.
    user: UserName

class OpenChallenge(TypedDict):
    """An open challenge in a list."""

    # The users who have accepted so far.
    accepted: list[UserName]
    # Whether the user is a bot.
    bot: NotRequired[bool]
    # The challenger.
    by: UserName
    # The id of the challenge.
    challenge: ChallengeId
    # The time control.
    clock: TimeControl
    # The time of creation in epoch milliseconds.
    created: int
    # The number of moves that spectators are behind while the game is live.
    delay: NotRequired[int]
    # The direction. By default `"in"`.
    direction: Direction
    # The time at which it expires, in epoch milliseconds.
    expires: int
    # Whether the user is a guest.
    guest: NotRequired[bool]
    # Its options, complete.
    options: dict[str, OptionValue]
    # Whether the game is rated.
    rated: bool
    # The game of which this is a rematch.
    rematch_of: NotRequired[GameId]
    # The game.
    rules: RulesName
    # The users by seat.
    seats: list[UserName]
    # Whether the seats are shuffled.
    shuffle: bool
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class OpenOffer(TypedDict):
    """An open offer."""

    # The seat that offers.
    by: int
    # The seats that have not answered yet.
    needs: list[int]
    # The id of the offer within this game.
    offer: OfferId
    # Who would take the seat, with `substitute`.
    substitute: NotRequired[OfferedSubstitute]
    # The kind of the offer.
    what: OfferKind

class OpeningCount(TypedDict):
    """How the games with an opening ended."""

    # Those that several seats won.
    draws: int
    # All games.
    games: int
    # The first moves.
    moves: list[str]
    # Those that one seat won, by seat.
    wins: list[int]

class Opinion(TypedDict):
    """What one of the server's bots thinks of a position."""

    # The move that it would make.
    best: str
    # How many moves it has looked ahead.
    depth: int
    # Its value for the side to move: 1000 is a certain win, -1000 a certain loss, 0 is even.
    score: int

class Oracle(TypedDict):
    """What is known of a position for certain, as if no position had occurred before."""

    # The best moves, at most 64. In Stymie moves are left out to which a piece can be added.
    best: list[str]
    # The moves and skips to the end, if both sides play perfectly; absent for a draw.
    distance: NotRequired[int]
    # How many moves are as good.
    moves: int
    # What perfect play comes to for the side to move.
    value: OracleValue

# What a sketch can become.
Outlook = TypedDict(
    "Outlook",
    {
        # With the board of a move: the captured pieces.
        "captures": 'NotRequired[list[Capture]]',
        # The cells that pieces leave, as the server interprets them.
        "from": 'list[ChosenCell]',
        # The legal move that the sketch stands for; `null` if there is none yet.
        "move": 'str | None',
        # The cells that may be picked next.
        "next": 'list[NextCell]',
        # The board after the move or, without a move, with the sketch as far as it goes; only
        # if the
        # request asks for it.
        "position": 'NotRequired[dict[str, str]]',
        # With the board of a move: cells with pieces that another seat could capture, were it
        # that
        # seat's turn; absent in games without captures.
        "threatened": 'NotRequired[list[str]]',
        # The cells that pieces arrive at, as the server interprets them.
        "to": 'list[ChosenCell]',
        # Why the sketch is no legal move, if there is a reason.
        "why": 'NotRequired[str]',
        # What the reason names, by the names in the key's sentence.
        "why_args": 'NotRequired[dict[str, OptionValue]]',
        # The key of that reason, for translations.
        "why_key": 'NotRequired[str]',
    },
)

class PaceRange(TypedDict):
    """The average time for a move: that of a move, or a fortieth of the main time with the
    increment
    or the period. Without a clock it is endless.
    """

    # The longest, in milliseconds.
    max_ms: NotRequired[int]
    # The shortest, in milliseconds.
    min_ms: NotRequired[int]

class PasswordAuth(TypedDict):
    """Name and password."""

    # The password.
    password: str
    user: UserName

class PerMoveClock(TypedDict):
    """A time for each move."""

    mode: Literal["per_move"]
    # The time for one move.
    move_ms: int

class PlayableGame(TypedDict):
    """A game that can be played."""

    # What it is about, in one sentence.
    goal: str
    # The options.
    options: list[GameOption]
    # A summary of the rules and the notation, in lines of text.
    page: str
    # The possible numbers of players.
    players: list[int]
    # Its name, with the version of its rules.
    rules: RulesName
    # Its name for people.
    title: str

class PlyPosition(TypedDict):
    """A position of a game."""

    # The captured pieces.
    captures: list[Capture]
    # The clocks after it; absent without clocks.
    left_ms: NotRequired[list[int]]
    # The move in canonical notation; a skip is `pass`.
    move: NotRequired[str]
    # The number of moves and skips before it.
    ply: int
    # The board after it and all its consequences.
    position: dict[str, str]
    # The seat that moved or was skipped; absent before the first move.
    seat: NotRequired[int]
    # Cells with pieces that another seat could capture, were it that seat's turn; absent in
    # games
    # without captures.
    threatened: NotRequired[list[str]]
    # The seat to move; `null` if the game had ended.
    to_move: int | None
    # The cells by which the game was won on the board.
    winning: NotRequired[list[str]]

class Pong(TypedDict):
    """Answers a ping."""

    type: Literal["pong"]
    # The request that this answers.
    re: RequestId
    # The client's time, unchanged.
    t0: NotRequired[int]
    # The arrival of the ping in epoch milliseconds.
    t1: int
    # The departure of the answer in epoch milliseconds.
    t2: int

class PoolRating(TypedDict):
    """A user's rating in one pool."""

    # The deviation of the rating.
    deviation: int
    # The games in which the user shared the first place.
    draws: int
    # The number of rated games.
    games: int
    # The games in which another user was first.
    losses: int
    # The place in the standings of the pool.
    place: int
    # The number of players.
    players: int
    # Whether the rating is provisional, for lack of games.
    provisional: NotRequired[bool]
    # The rating.
    rating: int
    # The game.
    rules: RulesName
    # The games in which the user alone was first.
    wins: int

class PositionList(TypedDict):
    """The positions of a game, in order."""

    type: Literal["positions"]
    # The game.
    game: GameId
    # Whether there are later ones: request them from the ply after the last.
    more: bool
    # The positions.
    positions: list[PlyPosition]
    # The request that this answers.
    re: RequestId

class Presence(TypedDict):
    """The connected players and spectators, sent after changes. Several changes may share one
    message.
    """

    type: Literal["presence"]
    # The game.
    game: GameId
    # Each player.
    seats: list[SeatPresence]
    # The names of spectators who want to be named, up to a limit.
    spectator_names: NotRequired[list[UserName]]
    # The number of spectators.
    spectators: int

class PushKey(TypedDict):
    """What a browser needs to subscribe."""

    # The server's public key in base64url, the `applicationServerKey` of a subscription.
    key: str

class PushSubscription(TypedDict):
    """A push subscription in a list."""

    # The time of creation in epoch milliseconds.
    created: int
    # The URL of the push service.
    endpoint: str
    # Notifications that have failed since one was delivered.
    failures: int

class PushSubscriptions(TypedDict):
    """A user's push subscriptions, the oldest first."""

    type: Literal["push_subscriptions"]
    # The request that this answers.
    re: RequestId
    # All of them.
    subscriptions: list[PushSubscription]

class Rated(TypedDict):
    """Ratings before and after a game, by seat."""

    type: Literal["event"]
    kind: Literal["rated"]
    # The rating of each seat's user after the game.
    after: list[int]
    # epoch milliseconds; never less than the one before
    at: int
    # The rating of each seat's user before the game.
    before: list[int]
    chain: Chain
    game: GameId
    hash: PositionHash
    req: NotRequired[RequestId]
    # gapless within the game
    seq: int

class RatingChange(TypedDict):
    """The change of the players' ratings by a game, by seat at the end."""

    # The ratings after the game.
    after: list[int]
    # The ratings before the game.
    before: list[int]

class RatingRange(TypedDict):
    """The ratings that a seeker accepts, in the game that is sought. A user without a rating
    counts as
    one with the first rating, 1500.
    """

    # The highest rating.
    max: NotRequired[int]
    # The lowest rating.
    min: NotRequired[int]

class ReasonCount(TypedDict):
    """The number of games that ended for a reason."""

    # The number of games.
    games: int
    # The reason.
    reason: ResultReason

class Removed(TypedDict):
    """A seat that left."""

    type: Literal["event"]
    kind: Literal["removed"]
    # epoch milliseconds; never less than the one before
    at: int
    chain: Chain
    # The seat that claimed the abandonment.
    claimed_by: NotRequired[int]
    game: GameId
    hash: PositionHash
    # The reason.
    reason: LeaveReason
    req: NotRequired[RequestId]
    # The seat.
    seat: int
    # gapless within the game
    seq: int
    # The seat to move after it.
    to_move: int | None
    # The turn counter after it.
    turn: int

# A game in the answer to `hello`.
ResumedGame = TypedDict(
    "ResumedGame",
    {
        # The first seq that follows a `tail`.
        "from": 'NotRequired[int]',
        # The game.
        "game": 'GameId',
        # What follows.
        "resume": 'ResumeDecision',
        # The user's seat; absent for a spectator.
        "seat": 'NotRequired[int]',
    },
)

class Said(TypedDict):
    """A new line of talk."""

    type: Literal["said"]
    # The time in epoch milliseconds.
    at: int
    # The user.
    by: UserName
    # The game.
    game: GameId
    # The line's number in that room, from 1.
    n: int
    # The room.
    room: TalkRoom
    # The text.
    text: str

class SeatAccuracy(TypedDict):
    """How accurately the player moved who has a seat at the end of the game."""

    # 100 if no move lost any chance to win.
    percent: int
    # The seat.
    seat: int

class SeatOffered(TypedDict):
    """The seat of a player who leaves a game of three, offered to a computer. All clocks stand."""

    type: Literal["event"]
    kind: Literal["seat_offered"]
    # epoch milliseconds; never less than the one before
    at: int
    # The computer that would play.
    by: SeatUser
    chain: Chain
    # The seat that claimed the abandonment.
    claimed_by: NotRequired[int]
    game: GameId
    hash: PositionHash
    # The clocks as they stand; absent without clocks.
    left_ms: NotRequired[list[int]]
    # Its level.
    level: int
    # The seats that have not answered yet.
    needs: list[int]
    # The id of the offer within this game, for `answer`.
    offer: OfferId
    # Why its player leaves.
    reason: LeaveReason
    req: NotRequired[RequestId]
    # The seat.
    seat: int
    # gapless within the game
    seq: int
    # The time in epoch milliseconds at which the seat is removed without their answers.
    until: int

class SeatPresence(TypedDict):
    """Whether a player is connected."""

    # The time from which the others may claim, in epoch milliseconds.
    claim_at: NotRequired[int]
    # Whether a session of its user watches the game.
    online: bool
    # The seat.
    seat: int
    # The start of the absence in epoch milliseconds.
    since: NotRequired[int]

class SeatUser(TypedDict):
    """A seat of a game, as it was agreed."""

    # Whether the user is a bot.
    bot: bool
    # Whether the user is a guest.
    guest: bool
    # The letter of the seat's pieces.
    letter: str
    # The rating at the start, where there is one.
    rating: NotRequired[int]
    # The user's name.
    user: UserName

class SeekEntry(TypedDict):
    """An open seek."""

    # The opponents that the seeker accepts.
    allow: Allow
    # Whether the user is a bot.
    bot: bool
    # The seeker.
    by: UserName
    # The time control.
    clock: TimeControl
    # The number of moves that spectators are behind while the game is live.
    delay: NotRequired[int]
    # The time at which a lasting seek expires, in epoch milliseconds.
    expires: NotRequired[int]
    # Whether the user is a guest.
    guest: bool
    # The users who have joined so far, the seeker included.
    joined: list[UserName]
    # Whether the seek outlives the seeker's connection.
    lasting: NotRequired[bool]
    # Its options, complete.
    options: dict[str, OptionValue]
    # The number of players.
    players: int
    # Whether the game is rated.
    rated: bool
    # The ratings that the seeker accepts.
    rating: NotRequired[RatingRange]
    # The game.
    rules: RulesName
    # The seat that the seeker prefers.
    seat: SeatWish
    # The id of the seek.
    seek: SeekId
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class SettingsState(TypedDict):
    """The user's settings."""

    type: Literal["settings"]
    # Who may challenge the user. By default `"all"`.
    challenges: Challengers
    # The request that this answers. Without it another session of the user has changed them.
    re: NotRequired[RequestId]

class SignedHead(TypedDict):
    """A server's signature of a game's record up to one event, and by its chain of all before
    it.
    """

    type: Literal["signature"]
    # The algorithm.
    alg: Algorithm
    # The chain of that event.
    chain: Chain
    # The game.
    game: GameId
    # The public half of the key that it is signed with.
    key: PublicKey
    # The request it answers; absent in a file.
    re: NotRequired[RequestId]
    # The seq of the last signed event.
    seq: int
    # The signature.
    sig: SignatureBytes

# A partial move: the cells picked so far, in order.
Sketch = TypedDict(
    "Sketch",
    {
        # The cells that pieces leave.
        "from": 'NotRequired[list[SketchCell]]',
        # The cells that pieces arrive at.
        "to": 'NotRequired[list[SketchCell]]',
    },
)

class SketchCell(TypedDict):
    """A picked cell."""

    # The cell.
    cell: str
    # One of the cell's choices.
    choice: NotRequired[str]
    # The number of its pieces that take part.
    pieces: NotRequired[int]

class Skipped(TypedDict):
    """A skipped turn."""

    type: Literal["event"]
    kind: Literal["skipped"]
    # epoch milliseconds; never less than the one before
    at: int
    chain: Chain
    game: GameId
    hash: PositionHash
    # The number of the skip among moves and skips.
    ply: int
    req: NotRequired[RequestId]
    # The seat without a legal move.
    seat: int
    # gapless within the game
    seq: int
    # The seat to move after it.
    to_move: int | None
    # The turn counter after it.
    turn: int

class Snapshot(TypedDict):
    """The state of a game at one event. The events after it follow without a gap."""

    type: Literal["snapshot"]
    # Whether an operator has annulled the result: it counts for nothing.
    annulled: NotRequired[bool]
    # The time of that event in epoch milliseconds.
    at: int
    # The chain of that event.
    chain: Chain
    # The clocks.
    clock: ClockState
    # The number of moves that spectators are behind while the game is live.
    delay: NotRequired[int]
    # The game.
    game: GameId
    # The position's hash.
    hash: PositionHash
    # The moves so far, canonical; a skip is `pass`.
    moves: list[str]
    # Open offers.
    offers: list[OpenOffer]
    # Its options, complete.
    options: dict[str, OptionValue]
    # Moves and skips so far.
    ply: int
    # The board: cell name to pieces, bottom piece first.
    position: dict[str, str]
    # The connected players.
    presence: list[SeatPresence]
    # Whether the game is rated.
    rated: bool
    # The request it answers, if any.
    re: NotRequired[RequestId]
    # Why it came without a request.
    reason: NotRequired[SnapshotReason]
    # The result; `null` in a live game.
    result: GameResult | None
    # The game that is played.
    rules: RulesName
    # The users by seat.
    seats: list[SnapshotSeat]
    # The seq of the last event that this contains.
    seq: int
    # The names of spectators who want to be named, up to a limit.
    spectator_names: NotRequired[list[UserName]]
    # The number of spectators.
    spectators: int
    # Cells with pieces that another seat could capture, were it that seat's turn; absent in
    # games
    # without captures.
    threatened: NotRequired[list[str]]
    # The seat to move; `null` after the end.
    to_move: int | None
    # The turn counter.
    turn: int
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]
    # The cells by which the game was won on the board.
    winning: NotRequired[list[str]]

class SnapshotSeat(TypedDict):
    """A seat in a snapshot."""

    # Whether the user is a bot.
    bot: NotRequired[bool]
    # Whether the user is a guest.
    guest: NotRequired[bool]
    # The player who left the seat to this computer.
    instead_of: NotRequired[UserName]
    # The letter of the seat's pieces.
    letter: str
    # The rating at the start, where there is one.
    rating: NotRequired[int]
    # A letter for each piece that it has yet to bring onto the board.
    reserve: NotRequired[str]
    # Whether it still plays, or why not.
    state: SeatState
    # The user's name.
    user: UserName

class Software(TypedDict):
    """A program and its version."""

    # Its name.
    name: str
    # Its version.
    version: str

class Standing(TypedDict):
    """A player in the standings of a game."""

    # Whether the user is a bot.
    bot: NotRequired[bool]
    # The deviation of the rating.
    deviation: int
    # The games in which the user shared the first place.
    draws: int
    # The number of rated games.
    games: int
    # The games in which another user was first.
    losses: int
    # The place from 1 among the users listed. Equal ratings share it.
    place: int
    # Whether the rating is provisional, for lack of games.
    provisional: NotRequired[bool]
    # The rating.
    rating: int
    # The user.
    user: UserName
    # The games in which the user alone was first.
    wins: int

class StandingList(TypedDict):
    """The players of a game, strongest first. Provisional ratings follow the others."""

    type: Literal["standings"]
    # Whether there are more: request them with `before` set to `next`.
    more: bool
    # The place at which the next page begins.
    next: NotRequired[StandingsCursor]
    # The number of players.
    players: int
    # The request that this answers.
    re: NotRequired[RequestId]
    # The game.
    rules: RulesName
    # One page of them.
    standings: list[Standing]

class Started(TypedDict):
    """The start of a game."""

    type: Literal["event"]
    kind: Literal["started"]
    # epoch milliseconds; never less than the one before
    at: int
    chain: Chain
    game: GameId
    hash: PositionHash
    req: NotRequired[RequestId]
    # gapless within the game
    seq: int
    # The seat to move.
    to_move: int

class Substituted(TypedDict):
    """A computer on the seat of a player who left. The clocks run again."""

    type: Literal["event"]
    kind: Literal["substituted"]
    # epoch milliseconds; never less than the one before
    at: int
    # The computer, whose seat it is from here on.
    by: SeatUser
    chain: Chain
    game: GameId
    hash: PositionHash
    # The clocks after it: the seat has its first time again. Absent without clocks.
    left_ms: NotRequired[list[int]]
    # Its level.
    level: int
    req: NotRequired[RequestId]
    # The seat.
    seat: int
    # gapless within the game
    seq: int
    # The seat to move after it.
    to_move: int
    # The turn counter after it.
    turn: int

class SubstitutedUser(TypedDict):
    """A player whose seat a computer has taken."""

    # The seat.
    seat: int
    # The user who left it.
    user: UserName

class Swapped(TypedDict):
    """Two players have changed seats; the pieces stay where they are."""

    type: Literal["event"]
    kind: Literal["swapped"]
    # epoch milliseconds; never less than the one before
    at: int
    chain: Chain
    game: GameId
    hash: PositionHash
    # The network lag that was not charged, in milliseconds; absent if zero.
    lag_ms: NotRequired[int]
    # The clocks after it, each with its player; absent without clocks.
    left_ms: NotRequired[list[int]]
    # The number of the swap among moves and skips.
    ply: int
    req: NotRequired[RequestId]
    # The seat whose player swapped.
    seat: int
    # The users by seat after it.
    seats: list[SeatUser]
    # gapless within the game
    seq: int
    # The time used, in milliseconds.
    spent_ms: int
    # The seat to move after it.
    to_move: int | None
    # The turn counter after it.
    turn: int

class TakenBack(TypedDict):
    """A takeback of a move and all later ones."""

    type: Literal["event"]
    kind: Literal["taken_back"]
    # epoch milliseconds; never less than the one before
    at: int
    chain: Chain
    game: GameId
    hash: PositionHash
    # The clocks after it; absent without clocks.
    left_ms: NotRequired[list[int]]
    # The number of remaining moves and skips.
    ply: int
    # The restored board: cell name to pieces, bottom piece first.
    position: dict[str, str]
    req: NotRequired[RequestId]
    # gapless within the game
    seq: int
    # The seat whose move was taken back. It is to move again.
    to_move: int
    # The turn counter after it. It never decreases.
    turn: int

class TalkLine(TypedDict):
    """A line of talk."""

    # The time in epoch milliseconds.
    at: int
    # The speaker.
    by: UserName
    # Its number in its room.
    n: int
    # Lines of talk.
    text: str

class TalkList(TypedDict):
    """Lines of talk of one room of a game."""

    type: Literal["talk"]
    # The game.
    game: GameId
    # The lines, the oldest first.
    lines: list[TalkLine]
    # Whether there are earlier ones: request them with `before` set to the first one's number.
    more: bool
    # The request that this answers.
    re: RequestId
    # The room.
    room: TalkRoom

class TokenAuth(TypedDict):
    """The secret of an earlier session or of `token_create`."""

    # The token.
    token: str

class TokenEntry(TypedDict):
    """A token in a list, without its secret."""

    # Whether its sessions are a bot's.
    bot: NotRequired[bool]
    # The time of creation in epoch milliseconds.
    created: int
    # Whether this session was opened with it.
    current: NotRequired[bool]
    # The expiry in epoch milliseconds.
    expires: NotRequired[int]
    # The purpose.
    label: str
    # The last use in epoch milliseconds, accurate to ten minutes.
    last_used: NotRequired[int]
    # The id of the token.
    token: TokenId

class Tokens(TypedDict):
    """A user's tokens, the newest first."""

    type: Literal["tokens"]
    # The request that this answers.
    re: RequestId
    # The valid tokens.
    tokens: list[TokenEntry]

class Unsaid(TypedDict):
    """A line of talk was deleted. Clients remove it."""

    type: Literal["unsaid"]
    # The game.
    game: GameId
    # The line's number.
    n: int
    # The room.
    room: TalkRoom

class UserProfile(TypedDict):
    """A user's profile. All of it is public."""

    type: Literal["user"]
    # Whether the user is a bot.
    bot: bool
    # The number of finished games, aborted ones included.
    finished: int
    # Whether the user is a guest.
    guest: bool
    # The number of live games.
    live: int
    # Whether the user is connected.
    online: bool
    # The owner, if the user is a bot.
    owner: NotRequired[UserName]
    # The user's rating in each pool.
    ratings: list[PoolRating]
    # The request that this answers.
    re: NotRequired[RequestId]
    # The time of creation in epoch milliseconds.
    since: int
    # The name, as its owner spells it.
    user: UserName

class UserSettings(TypedDict):
    """The settings of a user."""

    # Who may challenge the user. By default `"all"`.
    challenges: Challengers

class Webhook(TypedDict):
    """The webhook of a user."""

    type: Literal["webhook"]
    # The time at which it was set, in epoch milliseconds.
    created: NotRequired[int]
    # Whether it has failed so often that the server no longer calls it.
    disabled: NotRequired[bool]
    # Notifications that have failed since one was delivered.
    failures: NotRequired[int]
    # The request that this answers.
    re: RequestId
    # The URL; absent if the user has no webhook.
    url: NotRequired[str]

class Welcome(TypedDict):
    """The session is open."""

    type: Literal["welcome"]
    # Open challenges to and by the user, the newest first.
    challenges: list[OpenChallenge]
    # The number of all challenges, if `challenges` is incomplete.
    challenges_total: NotRequired[int]
    # The absence of a player after which the others may claim the game.
    claim_after: NotRequired[ClaimAfter]
    # The durability of an acknowledged move: `fsync` survives a power cut.
    durability: str
    # Every live game of the user.
    games: list[ResumedGame]
    # The heartbeat of the connection.
    heartbeat: Heartbeat
    # The public keys that the server has signed records with, the present one first.
    keys: NotRequired[list[PublicKey]]
    # The limits of the server.
    limits: Limits
    # Whether the server sends mail, so that an account can have an address.
    mail: NotRequired[bool]
    # The version that is spoken from here on.
    proto: int
    # What a browser needs to subscribe; absent if the server sends no push messages.
    push: NotRequired[PushKey]
    # The `hello` it answers.
    re: RequestId
    # The games that can be played, with the version of their rules.
    rules: dict[str, int]
    # The server program.
    server: Software
    # The id of the session in the server's logs.
    session: str
    # The settings of the user.
    settings: NotRequired[UserSettings]
    # The secret to reconnect with, after a log-in by password or as a guest.
    token: NotRequired[str]
    # The server's time in epoch milliseconds.
    ts: int
    # The user; `null` without credentials.
    user: Me | None

class YourTurn(TypedDict):
    """The client's user is to move. Sent at the start of the turn and after every (re)connect."""

    type: Literal["your_turn"]
    # The time at which the flag falls or the server aborts the game, in epoch milliseconds.
    deadline: NotRequired[int]
    # The game.
    game: GameId
    # The position.
    hash: PositionHash
    # The clocks when this turn began.
    left_ms: NotRequired[list[int]]
    # Legal moves, for clients that asked for them.
    legal: NotRequired[list[str]]
    # Whether `legal` leaves some out.
    legal_cut: NotRequired[bool]
    # How many there are in all; `null` above 2^53 and where it cannot be told.
    legal_total: NotRequired[int | None]
    # Moves and skips so far.
    ply: int
    # The board, for clients that asked for it: cell name to pieces, bottom piece first.
    position: NotRequired[dict[str, str]]
    # The user's seat.
    seat: int
    # The first steps of a move, for clients that asked for them.
    steps: NotRequired[FirstSteps]
    # With the board: cells with pieces that another seat could capture, were it that seat's
    # turn;
    # absent in games without captures.
    threatened: NotRequired[list[str]]
    # The turn to move with.
    turn: int

# The credentials of a user, in one of three forms.
Auth: TypeAlias = TokenAuth | PasswordAuth | GuestAuth

# A record of a game, by kind. Receivers ignore unknown kinds.
Event: TypeAlias = (
    Created
    | Started
    | Moved
    | Swapped
    | Skipped
    | Removed
    | Offered
    | SeatOffered
    | Substituted
    | Agreed
    | OfferClosed
    | TakenBack
    | ClockAdjusted
    | Aborted
    | Ended
    | Rated
)

# The value of a game's option: a flag, a whole number or a word.
OptionValue: TypeAlias = bool | int | str

# A game's options: an object, or text like `-size=4 -prog_cap`.
Options: TypeAlias = dict[str, OptionValue] | str

# The seat that the seeker prefers: any, or one by its number.
SeatWish: TypeAlias = Literal["random"] | int

# A time control.
TimeControl: TypeAlias = (
    NoClock
    | FischerClock
    | PerMoveClock
    | ByoyomiClock
    | DaysClock
)

# Messages to a client, by type
ToClient: TypeAlias = (
    Welcome
    | Done
    | Failed
    | Snapshot
    | SignedHead
    | BoardLayout
    | HintList
    | MoveList
    | GameList
    | GameCatalogue
    | StandingList
    | GameStats
    | UserProfile
    | HistoryList
    | Tokens
    | Bots
    | DirectoryList
    | PushSubscriptions
    | Mail
    | Webhook
    | Pong
    | YourTurn
    | Presence
    | Challenged
    | ChallengeClosed
    | ChallengeList
    | InviteState
    | InviteList
    | LobbyChange
    | PositionList
    | Explored
    | Analysis
    | Featured
    | LiveChange
    | Said
    | Unsaid
    | TalkList
    | MuteList
    | BlockList
    | SettingsState
    | Notice
    | Event
)

class SignupFields(TypedDict):
    """Creates an account, or turns the guest of this session into one."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The invitation, where the server asks for one.
    invitation: NotRequired[str]
    # The new password.
    password: str
    # The name of the account.
    user: UserName

class TokenCreateFields(TypedDict):
    """Creates a token. Its secret is sent only once."""

    # The id of the request.
    id: NotRequired[RequestId]
    # Whether sessions with this token are a bot's.
    bot: NotRequired[bool]
    # The expiry in epoch milliseconds.
    expires: NotRequired[int]
    # The purpose of the token, in the user's words.
    label: str
    # The user's bot that the token is for, if it is for one.
    user: NotRequired[UserName]

class TokenListFields(TypedDict):
    """Lists tokens."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The user's bot whose tokens to list, if not the user's own.
    user: NotRequired[UserName]

class TokenRevokeFields(TypedDict):
    """Ends a token and all sessions with that token."""

    # The id of the request.
    id: NotRequired[RequestId]
    # A token of the user or of one of the user's bots.
    token: TokenId

class LogoutFields(TypedDict):
    """Ends the token of this session, and all sessions with that token."""

    # The id of the request.
    id: NotRequired[RequestId]
    # Whether a guest, who cannot log in again, resigns from live games.
    forget: NotRequired[bool]

class PasswordChangeFields(TypedDict):
    """Changes the password and ends the sessions of the old one."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The new password.
    new: str
    # The old password.
    old: str
    # Whether the tokens of programs end, too.
    revoke_all: NotRequired[bool]

class RecoveryCodeFields(TypedDict):
    """Gives the account a new recovery code, in place of the last one."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The password of the account.
    password: str

class MailSetFields(TypedDict):
    """Sets the mail address of the account, to which the server sends a code, or deletes it."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The address; absent to delete the one that the account has.
    address: NotRequired[str]
    # The password of the account.
    password: str

class MailConfirmFields(TypedDict):
    """Confirms a mail address with the code that the server has sent to it."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The code from the mail.
    code: str

class MailGetFields(TypedDict):
    """Requests the mail address of the account."""

    # The id of the request.
    id: NotRequired[RequestId]

class PasswordMailFields(TypedDict):
    """Asks for a code to set a new password with, sent to the mail address of an account."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The name of the account.
    user: UserName

class AccountCloseFields(TypedDict):
    """Closes the account and those of its bots for good."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The password of the account.
    password: str

class PasswordResetFields(TypedDict):
    """Sets a new password with the account's recovery code or a code from the server's operator,
    and
    ends all sessions of the account and its bots.
    """

    # The id of the request.
    id: NotRequired[RequestId]
    # The code, which is valid once.
    code: str
    # The new password.
    new: str
    # The name of the account.
    user: UserName

class BotCreateFields(TypedDict):
    """Creates an account for a bot, which belongs to this session's user."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The name of the bot.
    name: UserName

class BotListFields(TypedDict):
    """Lists the user's bots."""

    # The id of the request.
    id: NotRequired[RequestId]

class BotStatusFields(TypedDict):
    """Lists the bot in the directory until the session ends, or changes what it says there."""

    # The id of the request.
    id: NotRequired[RequestId]
    # Which challenges the bot accepts. Without it the directory lists the bot no longer.
    accepts: NotRequired[AcceptanceGiven]
    # How many more games the bot would begin at present.
    free: NotRequired[int]

class DirectoryFields(TypedDict):
    """Lists the bots that are connected and accept challenges, in the order of their names."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The last entry of the page before.
    before: NotRequired[UserName]
    # Only bots that would begin a game at present.
    free: NotRequired[bool]
    # The most entries to return.
    limit: NotRequired[int]
    # Only bots that accept games with this number of players.
    players: NotRequired[int]
    # Only bots that accept this game.
    rules: NotRequired[RulesName]

class PushSubscribeFields(TypedDict):
    """Stores the push subscription of this browser. It ends with the token of this session."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The authentication secret of the subscription in base64url: 16 bytes.
    auth: str
    # The URL of the push service, with `https`.
    endpoint: str
    # The public key of the subscription in base64url: an uncompressed point of P-256.
    p256dh: str

class PushUnsubscribeFields(TypedDict):
    """Deletes a push subscription of the user."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The URL that it was stored with.
    endpoint: str

class PushListFields(TypedDict):
    """Lists the user's push subscriptions."""

    # The id of the request.
    id: NotRequired[RequestId]

class WebhookSetFields(TypedDict):
    """Sets the webhook of the user, or of a bot of the user. Replaces an earlier one."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The URL to which the server sends notifications, with `https`.
    url: str
    # The user's bot whose webhook to set, if not the user's own.
    user: NotRequired[UserName]

class WebhookGetFields(TypedDict):
    """Requests the webhook of the user, or of a bot of the user."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The user's bot whose webhook to show, if not the user's own.
    user: NotRequired[UserName]

class WebhookDeleteFields(TypedDict):
    """Deletes the webhook of the user, or of a bot of the user."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The user's bot whose webhook to delete, if not the user's own.
    user: NotRequired[UserName]

class CatalogueFields(TypedDict):
    """Requests the games that can be played, with their numbers of players and options."""

    # The id of the request.
    id: NotRequired[RequestId]

class SeekFields(TypedDict):
    """Opens a seek."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The opponents that the seeker accepts. By default `{"bots":true,"guests":true}`.
    allow: NotRequired[AllowGiven]
    # The time control. By default `{"mode":"none"}`.
    clock: NotRequired[TimeControl]
    # The number of moves that spectators are behind.
    delay: NotRequired[int]
    # Whether the seek outlives the connection. Only games without a running clock allow it.
    lasting: NotRequired[bool]
    # Its options. By default `{}`.
    options: NotRequired[Options]
    # The number of players, the seeker included.
    players: NotRequired[int]
    # Whether the game is rated.
    rated: NotRequired[bool]
    # The ratings that the seeker accepts.
    rating: NotRequired[RatingRange]
    # The game.
    rules: RulesName
    # The seat that the seeker prefers. By default `"random"`.
    seat: NotRequired[SeatWish]
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class UnseekFields(TypedDict):
    """Closes a seek."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The seek.
    seek: SeekId

class ChallengeFields(TypedDict):
    """Challenges other users."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The time control. By default `{"mode":"none"}`.
    clock: NotRequired[TimeControl]
    # The number of moves that spectators are behind.
    delay: NotRequired[int]
    # Its options. By default `{}`.
    options: NotRequired[Options]
    # Whether the game is rated.
    rated: NotRequired[bool]
    # The game.
    rules: RulesName
    # The users by seat: the challenger included, or server bots alone.
    seats: list[UserName]
    # Whether the seats are shuffled.
    shuffle: NotRequired[bool]
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class AcceptFields(TypedDict):
    """Accepts a seek, a challenge or an invite. Exactly one of the three is given."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The challenge to accept.
    challenge: NotRequired[ChallengeId]
    # The invite to accept.
    invite: NotRequired[InviteId]
    # The seek to accept.
    seek: NotRequired[SeekId]

class DeclineFields(TypedDict):
    """Declines a challenge."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The challenge.
    challenge: ChallengeId
    # The reason. By default `"generic"`.
    reason: NotRequired[DeclineReason]

class CancelFields(TypedDict):
    """Cancels the user's own challenge or invite, or leaves an invite that the user has joined.
    Exactly one of the two is given.
    """

    # The id of the request.
    id: NotRequired[RequestId]
    # The challenge.
    challenge: NotRequired[ChallengeId]
    # The invite.
    invite: NotRequired[InviteId]

class ChallengesFields(TypedDict):
    """Lists the open challenges to and by the client's user, the newest first."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The last entry of the page before.
    before: NotRequired[ChallengeId]
    # The most entries to return.
    limit: NotRequired[int]

class InviteFields(TypedDict):
    """Makes an invite: every user who knows its id may accept it."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The time control. By default `{"mode":"none"}`.
    clock: NotRequired[TimeControl]
    # The number of moves that spectators are behind.
    delay: NotRequired[int]
    # Its options. By default `{}`.
    options: NotRequired[Options]
    # The number of players, the inviting user included.
    players: NotRequired[int]
    # Whether the game is rated.
    rated: NotRequired[bool]
    # The game.
    rules: RulesName
    # The seat that the inviting user prefers. By default `"random"`.
    seat: NotRequired[SeatWish]
    # Whether no list shows the game to others than its players.
    unlisted: NotRequired[bool]

class InvitesFields(TypedDict):
    """Lists the user's own open invites, the newest first."""

    # The id of the request.
    id: NotRequired[RequestId]

class InviteInfoFields(TypedDict):
    """Requests an invite by its id."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The invite.
    invite: InviteId

class LobbyFields(TypedDict):
    """Lists the open seeks, and subscribes to their changes or unsubscribes."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The oldest seek of the page before.
    before: NotRequired[SeekId]
    # Whether to send changes from now on.
    watch: NotRequired[bool]

class GamesFields(TypedDict):
    """Lists games, the newest first."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The last entry of the page before.
    before: NotRequired[GameId]
    # The most entries to return.
    limit: NotRequired[int]
    # Among finished games of `user`: only those against this user.
    opponent: NotRequired[UserName]
    # The number of players; any if absent.
    players: NotRequired[int]
    # Among finished games: only rated ones, or only others.
    rated: NotRequired[bool]
    # Among finished games of `user`: only those with this result for `user`.
    result: NotRequired[SoughtResult]
    # The kind of games to list; all kinds if absent.
    rules: NotRequired[RulesName]
    # Whether to list live or finished games. By default `"live"`.
    state: NotRequired[GameState]
    # The user whose games to list; all games if absent.
    user: NotRequired[UserName]

class StandingsFields(TypedDict):
    """Lists the players of a game, strongest first."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The place at which the page before ended: its `next`.
    before: NotRequired[StandingsCursor]
    # Lists only bots, or only people; both if absent. Places are those among the users listed.
    bot: NotRequired[bool]
    # The most entries to return.
    limit: NotRequired[int]
    # The number of players; by default the smallest that the game allows.
    players: NotRequired[int]
    # The game.
    rules: RulesName

class StatsFields(TypedDict):
    """Requests the statistics of a game."""

    # The id of the request.
    id: NotRequired[RequestId]
    # Counts only the games between such players; all if absent.
    opponents: NotRequired[Opponents]
    # The number of players; by default the smallest that the game allows.
    players: NotRequired[int]
    # The game.
    rules: RulesName

class UserFields(TypedDict):
    """Requests a user's profile."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The user.
    name: UserName

class HistoryFields(TypedDict):
    """Lists a user's finished games, most recently ended first."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The last entry of the page before.
    before: NotRequired[GameId]
    # The most entries to return.
    limit: NotRequired[int]
    # The kind of games to list; all kinds if absent.
    rules: NotRequired[RulesName]
    # The user.
    user: UserName

class WatchFields(TypedDict):
    """Subscribes to a game."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The seq from which to replay events; absent for a snapshot.
    from_: NotRequired[int]
    # The game.
    game: GameId
    # Whether to be named among the spectators; by default as in `hello`.
    named: NotRequired[bool]

class UnwatchFields(TypedDict):
    """Unsubscribes from a game."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId

class SignatureFields(TypedDict):
    """Requests the server's signature of the game's present record."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId

class LayoutFields(TypedDict):
    """Requests the board to draw: of a game, or of a kind of game."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game. Without it `rules` names the kind of game.
    game: NotRequired[GameId]
    # Its options. By default `{}`.
    options: NotRequired[Options]
    # How many play it.
    players: NotRequired[int]
    # The kind of game, without `game`.
    rules: NotRequired[RulesName]

class HintsFields(TypedDict):
    """Requests the cells that can be picked, the targets of one cell, and the completions of a
    sketch.
    """

    # The id of the request.
    id: NotRequired[RequestId]
    # Whether the answer has the board with the sketch.
    board: NotRequired[bool]
    # The cell whose targets to return.
    from_: NotRequired[str]
    # The game.
    game: GameId
    # The partial move to complete.
    sketch: NotRequired[Sketch]

class MovesFields(TypedDict):
    """Requests the legal moves of the side to move, page by page."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The move after which to continue: `next` of the page before, or any legal move.
    after: NotRequired[str]
    # The cell that the moves start from; any if absent.
    from_: NotRequired[str]
    # The game.
    game: GameId
    # The most entries to return.
    limit: NotRequired[int]

class TryFields(TypedDict):
    """Checks whether a move would be legal, and returns what would follow. It records nothing."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId
    # The move in the game's notation.
    move: str
    # The turn as the client knows it. The server rejects a stale one.
    turn: int

class MoveFields(TypedDict):
    """Makes a move."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId
    # The move in the game's notation.
    move: str
    # The turn as the client knows it. The server rejects a stale one.
    turn: int

class ResignFields(TypedDict):
    """Resigns."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId

class AbortFields(TypedDict):
    """Aborts the game before each side has moved."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId

class OfferFields(TypedDict):
    """Offers a draw, a takeback or an abort to the opponents."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId
    # The kind.
    what: OfferKind

class AnswerFields(TypedDict):
    """Accepts or declines an offer."""

    # The id of the request.
    id: NotRequired[RequestId]
    # Whether to accept.
    accept: bool
    # The game.
    game: GameId
    # The offer.
    offer: OfferId

class WithdrawFields(TypedDict):
    """Withdraws the user's own offer."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId
    # The offer.
    offer: OfferId

class ClaimFields(TypedDict):
    """Claims the game from a player who is away."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId
    # The seat that is away, if it is ambiguous.
    seat: NotRequired[int]
    # The kind.
    what: ClaimKind

class RematchFields(TypedDict):
    """Challenges the same players to the same game again."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId

class PositionsFields(TypedDict):
    """Requests the positions of a game by ply."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The first ply. 0 is the position before the first move.
    from_ply: NotRequired[int]
    # The game.
    game: GameId
    # The most entries to return.
    limit: NotRequired[int]

class ExploreFields(TypedDict):
    """Requests the position after moves that are tried on a game, or on the beginning of a kind
    of
    game. The server stores nothing of it.
    """

    # The id of the request.
    id: NotRequired[RequestId]
    # The game to begin from. Without it `rules` names the kind of game.
    game: NotRequired[GameId]
    # The moves to try, in order.
    moves: NotRequired[list[str]]
    # The level whose opinion of the position the answer has.
    opinion: NotRequired[HouseLevel]
    # Its options. By default `{}`.
    options: NotRequired[Options]
    # Whether the answer says what perfect play comes to, where that is known.
    oracle: NotRequired[bool]
    # How many play it.
    players: NotRequired[int]
    # The ply of that game to begin from; its last one if absent.
    ply: NotRequired[int]
    # The kind of game, without `game`.
    rules: NotRequired[RulesName]
    # A partial move to complete in the position after them.
    sketch: NotRequired[Sketch]
    # Whether the answer has the first steps of the next move.
    steps: NotRequired[bool]

class AnalyseFields(TypedDict):
    """Requests the analysis of a finished game of two. If there is none yet, the server makes
    one.
    """

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId

class TvFields(TypedDict):
    """Returns the featured game of a kind, and subscribes to changes or unsubscribes."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The kind of game.
    rules: RulesName
    # Whether to send changes from now on.
    watch: NotRequired[bool]

class LiveFields(TypedDict):
    """Lists the live games with their boards, and subscribes to changes or unsubscribes."""

    # The id of the request.
    id: NotRequired[RequestId]
    # Whether to send as many games as allowed instead of a small selection.
    many: NotRequired[bool]
    # The kind of games to list; all kinds if absent.
    rules: NotRequired[RulesName]
    # Whether to send changes from now on.
    watch: NotRequired[bool]

class SayFields(TypedDict):
    """Sends a line of talk about a game."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId
    # The room.
    room: TalkRoom
    # The text.
    text: str

class UnsayFields(TypedDict):
    """Deletes a line of talk."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game.
    game: GameId
    # The line's number.
    n: int
    # The room.
    room: TalkRoom

class TalkFields(TypedDict):
    """Requests the last lines of talk, or those before a line."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The first line of the page before. Earlier lines follow.
    before: NotRequired[int]
    # The game.
    game: GameId
    # The most entries to return.
    limit: NotRequired[int]
    # The room.
    room: TalkRoom

class MuteFields(TypedDict):
    """Mutes a user."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The user.
    user: UserName

class UnmuteFields(TypedDict):
    """Unmutes a user."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The user.
    user: UserName

class MutesFields(TypedDict):
    """Lists the users that the user has muted."""

    # The id of the request.
    id: NotRequired[RequestId]

class BlockFields(TypedDict):
    """Blocks a user: neither may challenge the other, and the talk of the blocked user is
    hidden.
    """

    # The id of the request.
    id: NotRequired[RequestId]
    # The user.
    user: UserName

class UnblockFields(TypedDict):
    """Unblocks a user."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The user.
    user: UserName

class BlocksFields(TypedDict):
    """Lists the users that the user has blocked."""

    # The id of the request.
    id: NotRequired[RequestId]

class ReportFields(TypedDict):
    """Reports a user, a game or both to the operators."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The game in which it happened. The server adds its state and its last lines of talk.
    game: NotRequired[GameId]
    # What it is about.
    reason: ReportReason
    # What has happened, in the user's words.
    text: str
    # The user; absent for a game as a whole.
    user: NotRequired[UserName]

class NoticeSeenFields(TypedDict):
    """The user has read a notice with a number, and those before it."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The number of the notice.
    n: int

class SettingsGetFields(TypedDict):
    """Requests the user's settings."""

    # The id of the request.
    id: NotRequired[RequestId]

class SettingsSetFields(TypedDict):
    """Changes the settings that are given."""

    # The id of the request.
    id: NotRequired[RequestId]
    # Who may challenge the user.
    challenges: NotRequired[Challengers]

class PingFields(TypedDict):
    """Measures the round trip to the server and the difference of the clocks."""

    # The id of the request.
    id: NotRequired[RequestId]
    # The client's time. The answer returns it unchanged.
    t0: NotRequired[int]

class Requests:
    """Sends requests. Each request has its fields as keyword arguments, and its own type of reply.

    A name that Python reserves has an underscore behind it: `from_`.
    """

    async def _request(self, type: str, fields: dict[str, Any]) -> Any:
        raise NotImplementedError

    @overload
    async def request(self, type: Literal["signup"], /, **fields: Unpack[SignupFields]) -> Done:
        """Creates an account, or turns the guest of this session into one."""

    @overload
    async def request(self, type: Literal["token_create"], /, **fields: Unpack[TokenCreateFields]) -> Done:
        """Creates a token. Its secret is sent only once."""

    @overload
    async def request(self, type: Literal["token_list"], /, **fields: Unpack[TokenListFields]) -> Tokens:
        """Lists tokens."""

    @overload
    async def request(self, type: Literal["token_revoke"], /, **fields: Unpack[TokenRevokeFields]) -> Done:
        """Ends a token and all sessions with that token."""

    @overload
    async def request(self, type: Literal["logout"], /, **fields: Unpack[LogoutFields]) -> Done:
        """Ends the token of this session, and all sessions with that token."""

    @overload
    async def request(self, type: Literal["password_change"], /, **fields: Unpack[PasswordChangeFields]) -> Done:
        """Changes the password and ends the sessions of the old one."""

    @overload
    async def request(self, type: Literal["recovery_code"], /, **fields: Unpack[RecoveryCodeFields]) -> Done:
        """Gives the account a new recovery code, in place of the last one."""

    @overload
    async def request(self, type: Literal["mail_set"], /, **fields: Unpack[MailSetFields]) -> Done:
        """Sets the mail address of the account, to which the server sends a code, or deletes it."""

    @overload
    async def request(self, type: Literal["mail_confirm"], /, **fields: Unpack[MailConfirmFields]) -> Done:
        """Confirms a mail address with the code that the server has sent to it."""

    @overload
    async def request(self, type: Literal["mail_get"], /, **fields: Unpack[MailGetFields]) -> Done:
        """Requests the mail address of the account."""

    @overload
    async def request(self, type: Literal["password_mail"], /, **fields: Unpack[PasswordMailFields]) -> Done:
        """Asks for a code to set a new password with, sent to the mail address of an account."""

    @overload
    async def request(self, type: Literal["account_close"], /, **fields: Unpack[AccountCloseFields]) -> Done:
        """Closes the account and those of its bots for good."""

    @overload
    async def request(self, type: Literal["password_reset"], /, **fields: Unpack[PasswordResetFields]) -> Done:
        """Sets a new password with the account's recovery code or a code from the server's
        operator, and
        ends all sessions of the account and its bots.
        """

    @overload
    async def request(self, type: Literal["bot_create"], /, **fields: Unpack[BotCreateFields]) -> Done:
        """Creates an account for a bot, which belongs to this session's user."""

    @overload
    async def request(self, type: Literal["bot_list"], /, **fields: Unpack[BotListFields]) -> Bots:
        """Lists the user's bots."""

    @overload
    async def request(self, type: Literal["bot_status"], /, **fields: Unpack[BotStatusFields]) -> Done:
        """Lists the bot in the directory until the session ends, or changes what it says there."""

    @overload
    async def request(self, type: Literal["directory"], /, **fields: Unpack[DirectoryFields]) -> DirectoryList:
        """Lists the bots that are connected and accept challenges, in the order of their names."""

    @overload
    async def request(self, type: Literal["push_subscribe"], /, **fields: Unpack[PushSubscribeFields]) -> Done:
        """Stores the push subscription of this browser. It ends with the token of this session."""

    @overload
    async def request(self, type: Literal["push_unsubscribe"], /, **fields: Unpack[PushUnsubscribeFields]) -> Done:
        """Deletes a push subscription of the user."""

    @overload
    async def request(self, type: Literal["push_list"], /, **fields: Unpack[PushListFields]) -> PushSubscriptions:
        """Lists the user's push subscriptions."""

    @overload
    async def request(self, type: Literal["webhook_set"], /, **fields: Unpack[WebhookSetFields]) -> Done:
        """Sets the webhook of the user, or of a bot of the user. Replaces an earlier one."""

    @overload
    async def request(self, type: Literal["webhook_get"], /, **fields: Unpack[WebhookGetFields]) -> Webhook:
        """Requests the webhook of the user, or of a bot of the user."""

    @overload
    async def request(self, type: Literal["webhook_delete"], /, **fields: Unpack[WebhookDeleteFields]) -> Done:
        """Deletes the webhook of the user, or of a bot of the user."""

    @overload
    async def request(self, type: Literal["catalogue"], /, **fields: Unpack[CatalogueFields]) -> GameCatalogue:
        """Requests the games that can be played, with their numbers of players and options."""

    @overload
    async def request(self, type: Literal["seek"], /, **fields: Unpack[SeekFields]) -> Done:
        """Opens a seek."""

    @overload
    async def request(self, type: Literal["unseek"], /, **fields: Unpack[UnseekFields]) -> Done:
        """Closes a seek."""

    @overload
    async def request(self, type: Literal["challenge"], /, **fields: Unpack[ChallengeFields]) -> Done:
        """Challenges other users."""

    @overload
    async def request(self, type: Literal["accept"], /, **fields: Unpack[AcceptFields]) -> Done:
        """Accepts a seek, a challenge or an invite. Exactly one of the three is given."""

    @overload
    async def request(self, type: Literal["decline"], /, **fields: Unpack[DeclineFields]) -> Done:
        """Declines a challenge."""

    @overload
    async def request(self, type: Literal["cancel"], /, **fields: Unpack[CancelFields]) -> Done:
        """Cancels the user's own challenge or invite, or leaves an invite that the user has
        joined.
        Exactly one of the two is given.
        """

    @overload
    async def request(self, type: Literal["challenges"], /, **fields: Unpack[ChallengesFields]) -> ChallengeList:
        """Lists the open challenges to and by the client's user, the newest first."""

    @overload
    async def request(self, type: Literal["invite"], /, **fields: Unpack[InviteFields]) -> Done:
        """Makes an invite: every user who knows its id may accept it."""

    @overload
    async def request(self, type: Literal["invites"], /, **fields: Unpack[InvitesFields]) -> InviteList:
        """Lists the user's own open invites, the newest first."""

    @overload
    async def request(self, type: Literal["invite_info"], /, **fields: Unpack[InviteInfoFields]) -> InviteState:
        """Requests an invite by its id."""

    @overload
    async def request(self, type: Literal["lobby"], /, **fields: Unpack[LobbyFields]) -> LobbyChange:
        """Lists the open seeks, and subscribes to their changes or unsubscribes."""

    @overload
    async def request(self, type: Literal["games"], /, **fields: Unpack[GamesFields]) -> GameList:
        """Lists games, the newest first."""

    @overload
    async def request(self, type: Literal["standings"], /, **fields: Unpack[StandingsFields]) -> StandingList:
        """Lists the players of a game, strongest first."""

    @overload
    async def request(self, type: Literal["stats"], /, **fields: Unpack[StatsFields]) -> GameStats:
        """Requests the statistics of a game."""

    @overload
    async def request(self, type: Literal["user"], /, **fields: Unpack[UserFields]) -> UserProfile:
        """Requests a user's profile."""

    @overload
    async def request(self, type: Literal["history"], /, **fields: Unpack[HistoryFields]) -> HistoryList:
        """Lists a user's finished games, most recently ended first."""

    @overload
    async def request(self, type: Literal["watch"], /, **fields: Unpack[WatchFields]) -> Snapshot | Done:
        """Subscribes to a game."""

    @overload
    async def request(self, type: Literal["unwatch"], /, **fields: Unpack[UnwatchFields]) -> Done:
        """Unsubscribes from a game."""

    @overload
    async def request(self, type: Literal["signature"], /, **fields: Unpack[SignatureFields]) -> SignedHead:
        """Requests the server's signature of the game's present record."""

    @overload
    async def request(self, type: Literal["layout"], /, **fields: Unpack[LayoutFields]) -> BoardLayout:
        """Requests the board to draw: of a game, or of a kind of game."""

    @overload
    async def request(self, type: Literal["hints"], /, **fields: Unpack[HintsFields]) -> HintList:
        """Requests the cells that can be picked, the targets of one cell, and the completions of
        a sketch.
        """

    @overload
    async def request(self, type: Literal["moves"], /, **fields: Unpack[MovesFields]) -> MoveList:
        """Requests the legal moves of the side to move, page by page."""

    @overload
    async def request(self, type: Literal["try"], /, **fields: Unpack[TryFields]) -> Done:
        """Checks whether a move would be legal, and returns what would follow. It records
        nothing.
        """

    @overload
    async def request(self, type: Literal["move"], /, **fields: Unpack[MoveFields]) -> Done:
        """Makes a move."""

    @overload
    async def request(self, type: Literal["resign"], /, **fields: Unpack[ResignFields]) -> Done:
        """Resigns."""

    @overload
    async def request(self, type: Literal["abort"], /, **fields: Unpack[AbortFields]) -> Done:
        """Aborts the game before each side has moved."""

    @overload
    async def request(self, type: Literal["offer"], /, **fields: Unpack[OfferFields]) -> Done:
        """Offers a draw, a takeback or an abort to the opponents."""

    @overload
    async def request(self, type: Literal["answer"], /, **fields: Unpack[AnswerFields]) -> Done:
        """Accepts or declines an offer."""

    @overload
    async def request(self, type: Literal["withdraw"], /, **fields: Unpack[WithdrawFields]) -> Done:
        """Withdraws the user's own offer."""

    @overload
    async def request(self, type: Literal["claim"], /, **fields: Unpack[ClaimFields]) -> Done:
        """Claims the game from a player who is away."""

    @overload
    async def request(self, type: Literal["rematch"], /, **fields: Unpack[RematchFields]) -> Done:
        """Challenges the same players to the same game again."""

    @overload
    async def request(self, type: Literal["positions"], /, **fields: Unpack[PositionsFields]) -> PositionList:
        """Requests the positions of a game by ply."""

    @overload
    async def request(self, type: Literal["explore"], /, **fields: Unpack[ExploreFields]) -> Explored:
        """Requests the position after moves that are tried on a game, or on the beginning of a
        kind of
        game. The server stores nothing of it.
        """

    @overload
    async def request(self, type: Literal["analyse"], /, **fields: Unpack[AnalyseFields]) -> Analysis:
        """Requests the analysis of a finished game of two. If there is none yet, the server
        makes one.
        """

    @overload
    async def request(self, type: Literal["tv"], /, **fields: Unpack[TvFields]) -> Featured:
        """Returns the featured game of a kind, and subscribes to changes or unsubscribes."""

    @overload
    async def request(self, type: Literal["live"], /, **fields: Unpack[LiveFields]) -> LiveChange:
        """Lists the live games with their boards, and subscribes to changes or unsubscribes."""

    @overload
    async def request(self, type: Literal["say"], /, **fields: Unpack[SayFields]) -> Done:
        """Sends a line of talk about a game."""

    @overload
    async def request(self, type: Literal["unsay"], /, **fields: Unpack[UnsayFields]) -> Done:
        """Deletes a line of talk."""

    @overload
    async def request(self, type: Literal["talk"], /, **fields: Unpack[TalkFields]) -> TalkList:
        """Requests the last lines of talk, or those before a line."""

    @overload
    async def request(self, type: Literal["mute"], /, **fields: Unpack[MuteFields]) -> Done:
        """Mutes a user."""

    @overload
    async def request(self, type: Literal["unmute"], /, **fields: Unpack[UnmuteFields]) -> Done:
        """Unmutes a user."""

    @overload
    async def request(self, type: Literal["mutes"], /, **fields: Unpack[MutesFields]) -> MuteList:
        """Lists the users that the user has muted."""

    @overload
    async def request(self, type: Literal["block"], /, **fields: Unpack[BlockFields]) -> Done:
        """Blocks a user: neither may challenge the other, and the talk of the blocked user is
        hidden.
        """

    @overload
    async def request(self, type: Literal["unblock"], /, **fields: Unpack[UnblockFields]) -> Done:
        """Unblocks a user."""

    @overload
    async def request(self, type: Literal["blocks"], /, **fields: Unpack[BlocksFields]) -> BlockList:
        """Lists the users that the user has blocked."""

    @overload
    async def request(self, type: Literal["report"], /, **fields: Unpack[ReportFields]) -> Done:
        """Reports a user, a game or both to the operators."""

    @overload
    async def request(self, type: Literal["notice_seen"], /, **fields: Unpack[NoticeSeenFields]) -> Done:
        """The user has read a notice with a number, and those before it."""

    @overload
    async def request(self, type: Literal["settings_get"], /, **fields: Unpack[SettingsGetFields]) -> SettingsState:
        """Requests the user's settings."""

    @overload
    async def request(self, type: Literal["settings_set"], /, **fields: Unpack[SettingsSetFields]) -> SettingsState:
        """Changes the settings that are given."""

    @overload
    async def request(self, type: Literal["ping"], /, **fields: Unpack[PingFields]) -> Pong:
        """Measures the round trip to the server and the difference of the clocks."""

    async def request(self, type: str, /, **fields: Any) -> Any:
        """Sends a request and returns its reply."""
        return await self._request(type, fields)

__all__ = [
    "AbortFields",
    "AbortReason",
    "Aborted",
    "AcceptFields",
    "Acceptance",
    "AcceptanceGiven",
    "AcceptedGame",
    "AccountCloseFields",
    "AdjustReason",
    "Agreed",
    "Algorithm",
    "Allow",
    "AllowGiven",
    "AnalyseFields",
    "AnalysedMove",
    "Analysis",
    "AnalysisState",
    "AnswerFields",
    "Auth",
    "BlockFields",
    "BlockList",
    "BlocksFields",
    "BoardLayout",
    "BotCreateFields",
    "BotEntry",
    "BotListFields",
    "BotStatusFields",
    "Bots",
    "ByoyomiClock",
    "CancelFields",
    "Capture",
    "CatalogueFields",
    "CellRole",
    "Chain",
    "ChallengeClosed",
    "ChallengeFields",
    "ChallengeId",
    "ChallengeList",
    "Challenged",
    "Challengers",
    "ChallengesFields",
    "ChosenCell",
    "ClaimAfter",
    "ClaimFields",
    "ClaimKind",
    "ClockAdjusted",
    "ClockMode",
    "ClockState",
    "ClosedReason",
    "Created",
    "Cursor",
    "DaysClock",
    "DeclineFields",
    "DeclineReason",
    "Direction",
    "DirectoryEntry",
    "DirectoryFields",
    "DirectoryList",
    "Done",
    "EndReason",
    "Ended",
    "ErrorCode",
    "Event",
    "ExploreFields",
    "Explored",
    "Failed",
    "Featured",
    "FirstStep",
    "FirstSteps",
    "FischerClock",
    "GameCatalogue",
    "GameEntry",
    "GameId",
    "GameList",
    "GameOption",
    "GameOptionChoice",
    "GameOptionKind",
    "GameResult",
    "GameState",
    "GameStats",
    "GamesFields",
    "GuestAuth",
    "Heartbeat",
    "Hello",
    "HintList",
    "HintTarget",
    "HintsFields",
    "HistoryFields",
    "HistoryList",
    "HouseLevel",
    "HousePlayer",
    "InviteEntry",
    "InviteFields",
    "InviteId",
    "InviteInfoFields",
    "InviteList",
    "InviteState",
    "InvitesFields",
    "LayoutCell",
    "LayoutEdge",
    "LayoutFields",
    "LeaveReason",
    "LengthCounts",
    "Limits",
    "LiveChange",
    "LiveFields",
    "LiveGame",
    "LobbyChange",
    "LobbyFields",
    "LogoutFields",
    "Mail",
    "MailConfirmFields",
    "MailGetFields",
    "MailSetFields",
    "Me",
    "MoveFields",
    "MoveList",
    "MoveVerdict",
    "Moved",
    "MovesFields",
    "MuteFields",
    "MuteList",
    "MutesFields",
    "NextCell",
    "NoClock",
    "Notice",
    "NoticeKind",
    "NoticeSeenFields",
    "OfferClosed",
    "OfferFields",
    "OfferId",
    "OfferKind",
    "OfferOutcome",
    "Offered",
    "OfferedSubstitute",
    "OpenChallenge",
    "OpenOffer",
    "OpeningCount",
    "Opinion",
    "Opponents",
    "OptionValue",
    "Options",
    "Oracle",
    "OracleValue",
    "Outlook",
    "PaceRange",
    "PasswordAuth",
    "PasswordChangeFields",
    "PasswordMailFields",
    "PasswordResetFields",
    "PerMoveClock",
    "PingFields",
    "PlayableGame",
    "PlyPosition",
    "Pong",
    "PoolRating",
    "PositionHash",
    "PositionList",
    "PositionsFields",
    "Presence",
    "PublicKey",
    "PushKey",
    "PushListFields",
    "PushSubscribeFields",
    "PushSubscription",
    "PushSubscriptions",
    "PushUnsubscribeFields",
    "Rated",
    "RatingChange",
    "RatingRange",
    "ReasonCount",
    "RecoveryCodeFields",
    "RematchFields",
    "Removed",
    "ReportFields",
    "ReportOutcome",
    "ReportReason",
    "RequestId",
    "ResignFields",
    "ResultReason",
    "ResumeDecision",
    "ResumedGame",
    "Retry",
    "RulesName",
    "Said",
    "SayFields",
    "SeatAccuracy",
    "SeatOffered",
    "SeatPresence",
    "SeatState",
    "SeatUser",
    "SeatWish",
    "SeekEntry",
    "SeekFields",
    "SeekId",
    "SettingsGetFields",
    "SettingsSetFields",
    "SettingsState",
    "SignatureBytes",
    "SignatureFields",
    "SignedHead",
    "SignupFields",
    "Sketch",
    "SketchCell",
    "Skipped",
    "Snapshot",
    "SnapshotReason",
    "SnapshotSeat",
    "Software",
    "SoughtResult",
    "Standing",
    "StandingList",
    "StandingsCursor",
    "StandingsFields",
    "Started",
    "StatsFields",
    "Substituted",
    "SubstitutedUser",
    "Swapped",
    "TakenBack",
    "TalkFields",
    "TalkLine",
    "TalkList",
    "TalkRoom",
    "TimeControl",
    "ToClient",
    "TokenAuth",
    "TokenCreateFields",
    "TokenEntry",
    "TokenId",
    "TokenListFields",
    "TokenRevokeFields",
    "Tokens",
    "TryFields",
    "TvFields",
    "UnblockFields",
    "UnmuteFields",
    "Unsaid",
    "UnsayFields",
    "UnseekFields",
    "UnwatchFields",
    "UserFields",
    "UserName",
    "UserProfile",
    "UserSettings",
    "WatchFields",
    "Webhook",
    "WebhookDeleteFields",
    "WebhookGetFields",
    "WebhookSetFields",
    "Welcome",
    "WithdrawFields",
    "YourTurn",
]
