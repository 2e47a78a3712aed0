// The wire's types, made from the server's JSON Schema by web/generated/generate.mjs. Not written by hand.

/**
 * One JSON object per frame. Receivers ignore fields that they do not know.
 */
export type TheAdamantWireProtocolVersion1 = FromClient | ToClient;
/**
 * What a client may say: requests, by type
 */
export type FromClient =
  | Hello
  | Signup
  | TokenCreate
  | TokenList
  | TokenRevoke
  | Logout
  | PasswordChange
  | BotCreate
  | BotList
  | Catalogue
  | Seek
  | Unseek
  | Challenge
  | Accept
  | Decline
  | Cancel
  | Challenges
  | Lobby
  | Games
  | Standings
  | User
  | History
  | Watch
  | Unwatch
  | Signature
  | Layout
  | Hints
  | Moves
  | Try
  | Move
  | Resign
  | Abort
  | Offer
  | Answer
  | Withdraw
  | Claim
  | Rematch
  | Positions
  | Tv
  | Live
  | Say
  | Unsay
  | Talk
  | Mute
  | Unmute
  | Mutes
  | Ping;
/**
 * Who one is, in one of three ways.
 */
export type Auth = TokenAuth | PasswordAuth | GuestAuth;
/**
 * A user's name as the user spells it; names that differ only in case are the same name.
 */
export type UserName = string;
/**
 * Names a request, chosen by the client; a reply carries it as `re`.
 */
export type RequestId = string;
/**
 * 32 bytes as 64 hex digits: a link of a record chain.
 */
export type Chain = string;
/**
 * Names a token without telling its secret.
 */
export type TokenId = string;
/**
 * A time control.
 */
export type Clock = NoClock | FischerClock | PerMoveClock | ByoyomiClock | DaysClock;
/**
 * A game's options: an object, or text like `-size=4 -prog_cap`.
 */
export type OptionsGiven =
  | {
      [k: string]: OptionValue;
    }
  | string;
/**
 * The value of a game's option: a flag, a whole number or a word.
 */
export type OptionValue = boolean | number | string;
/**
 * A game's rules with their version, as in `NAME@1`; without a version, in a request, the present one.
 */
export type RulesName = string;
/**
 * Where a seeker would like to sit: anywhere, or in a seat by its number.
 */
export type SeatWish = "random" | number;
/**
 * Names an open seek.
 */
export type SeekId = string;
/**
 * Names an open challenge.
 */
export type ChallengeId = string;
/**
 * Why a challenge was turned down.
 *
 * - `later`: Not now.
 * - `too_fast`: The clock is too fast.
 * - `too_slow`: The clock is too slow.
 * - `rated`: It should be rated.
 * - `casual`: It should be casual.
 * - `game`: Another game is preferred.
 * - `options`: Other options are preferred.
 * - `no_bot`: No programs.
 * - `busy`: Too many games already.
 * - `generic`: No reason given.
 */
export type DeclineReason =
  | "later"
  | "too_fast"
  | "too_slow"
  | "rated"
  | "casual"
  | "game"
  | "options"
  | "no_bot"
  | "busy"
  | "generic";
/**
 * Names a game for ever.
 */
export type GameId = string;
/**
 * Which games a list is of.
 *
 * - `live`: Being played.
 * - `finished`: Over.
 */
export type GameState = "live" | "finished";
/**
 * A place in the standings, from which the next page goes on; opaque to clients.
 */
export type StandingsCursor = string;
/**
 * What can be offered.
 *
 * - `draw`: To end the game undecided.
 * - `takeback`: To go back to before the last move of the one who offers.
 * - `abort`: To call the game off.
 */
export type OfferWhat = "draw" | "takeback" | "abort";
/**
 * Names an offer within its game: `o_` and a number counted from 1.
 */
export type OfferId = string;
/**
 * What can be claimed.
 *
 * - `abandoned`: That a player has gone and does not come back.
 */
export type ClaimWhat = "abandoned";
/**
 * One of the two rooms in which a game is talked about.
 *
 * - `players`: That of the players.
 * - `spectators`: That of everybody else, and of all once the game is over.
 */
export type TalkRoom = "players" | "spectators";
/**
 * What a client may hear, by type
 */
export type ToClient =
  | Welcome
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
  | UserProfile
  | HistoryList
  | Tokens
  | Bots
  | Pong
  | YourTurn
  | Presence
  | Challenged
  | ChallengeClosed
  | ChallengeList
  | LobbyChange
  | PositionList
  | Featured
  | LiveChange
  | Said
  | Unsaid
  | TalkList
  | MuteList
  | Notice
  | Event;
/**
 * Which way a challenge goes.
 *
 * - `in`: To the client's user.
 * - `out`: By the client's user.
 */
export type Direction = "in" | "out";
/**
 * How a game goes on after a (re)connect.
 *
 * - `tail`: The missing events follow.
 * - `snapshot`: A snapshot follows.
 * - `fork`: The client's past is not the server's: forget it; a snapshot follows.
 * - `gone`: There is no such game any more.
 */
export type ResumeVerdict = "tail" | "snapshot" | "fork" | "gone";
/**
 * The public half of a server's key.
 */
export type PublicKey = string;
/**
 * How a game ended, the called-off ones included.
 *
 * - `aborted`: Called off without a result.
 * - `last_player`: One player was left.
 * - `two_pieces`: Two pieces were left that do not see each other.
 * - `connected`: Two edges were connected.
 * - `aligned`: Two like pieces stood opposite each other.
 * - `stuck`: Nobody could move.
 * - `repetition`: The same position for the third time.
 * - `too_long`: The game had become longer than one may be.
 * - `agreement`: Agreed.
 * - `resigned`: The last opponent gave up.
 * - `timed_out`: The last opponent's clock ran out.
 * - `abandoned`: The last opponent went away.
 */
export type ResultReason =
  | "aborted"
  | "last_player"
  | "two_pieces"
  | "connected"
  | "aligned"
  | "stuck"
  | "repetition"
  | "too_long"
  | "agreement"
  | "resigned"
  | "timed_out"
  | "abandoned";
/**
 * Why a request was not carried out.
 *
 * - `bad_json`: The frame is not a JSON object.
 * - `bad_message`: A field is missing, of the wrong kind or out of its bounds.
 * - `unknown_type`: The server knows no such message.
 * - `too_large`: The frame or a field is larger than allowed.
 * - `proto_unsupported`: Server and client share no version of the protocol.
 * - `unauthorized`: Name, password or token are not right.
 * - `forbidden`: Known, but not allowed to do this.
 * - `name_taken`: Somebody has this name already.
 * - `not_found`: There is no such game, seek, challenge or user.
 * - `not_a_player`: The user does not play in this game.
 * - `not_your_turn`: Somebody else is to move.
 * - `stale_turn`: The position has moved on since the sender looked.
 * - `illegal_move`: The rules do not allow the move.
 * - `game_over`: The game has ended.
 * - `no_such_offer`: There is no such open offer.
 * - `id_reuse`: The id was used for another request.
 * - `too_soon`: Not yet allowed; try later.
 * - `busy`: A bounded worker is fully occupied.
 * - `rate_limited`: The client has sent more than its limit.
 * - `overloaded`: A queue inside the server is full.
 * - `read_only`: The server takes no changes at the moment.
 * - `internal`: The server failed. What became of the request is settled by sending it again.
 */
export type ErrorCode =
  | "bad_json"
  | "bad_message"
  | "unknown_type"
  | "too_large"
  | "proto_unsupported"
  | "unauthorized"
  | "forbidden"
  | "name_taken"
  | "not_found"
  | "not_a_player"
  | "not_your_turn"
  | "stale_turn"
  | "illegal_move"
  | "game_over"
  | "no_such_offer"
  | "id_reuse"
  | "too_soon"
  | "busy"
  | "rate_limited"
  | "overloaded"
  | "read_only"
  | "internal";
/**
 * What a client should do about an error.
 *
 * - `never`: The same request will never succeed.
 * - `same`: The same request may be sent again at once.
 * - `after`: The same request may be sent again after `retry_after_ms`.
 * - `resync`: Look at the game anew, then decide.
 */
export type Retry = "never" | "same" | "after" | "resync";
/**
 * Covers everything that the rules remember of a position: 16 hex digits.
 */
export type PositionHash = string;
/**
 * Why a snapshot came unasked.
 *
 * - `lagged`: The client reads too slowly to be sent every event.
 * - `resumed`: It follows a `hello`.
 */
export type SnapshotReason = "lagged" | "resumed";
/**
 * Whether a seat still plays.
 *
 * - `in`: In the game.
 * - `no_pieces`: Its last piece was captured.
 * - `no_move`: It could not move.
 * - `resigned`: It gave up.
 * - `timed_out`: Its clock ran out.
 * - `abandoned`: It went away.
 */
export type SeatState = "in" | "no_pieces" | "no_move" | "resigned" | "timed_out" | "abandoned";
/**
 * How a record is signed.
 *
 * - `ed25519`: Ed25519, as in RFC 8032.
 */
export type Algorithm = "ed25519";
/**
 * A signature with such a key.
 */
export type SignatureBytes = string;
/**
 * What a cell is to a move.
 *
 * - `from`: Pieces leave it.
 * - `to`: Pieces arrive at it.
 */
export type CellRole = "from" | "to";
/**
 * What the values of an option are.
 *
 * - `flag`: True or false; false by default.
 * - `number`: A whole number.
 * - `word`: A word.
 */
export type GameOptionKind = "flag" | "number" | "word";
/**
 * How well a player of the server's own plays.
 *
 * - `easy`: By the rules, and no more.
 * - `medium`: One move ahead.
 * - `hard`: Some moves ahead.
 */
export type HouseLevel = "easy" | "medium" | "hard";
/**
 * Why a challenge came to nothing.
 *
 * - `cancelled`: The challenger took it back.
 * - `expired`: Nobody answered in time.
 * - `later`: Turned down: not now.
 * - `too_fast`: Turned down: the clock is too fast.
 * - `too_slow`: Turned down: the clock is too slow.
 * - `rated`: Turned down: it should be rated.
 * - `casual`: Turned down: it should be casual.
 * - `game`: Turned down: another game is preferred.
 * - `options`: Turned down: other options are preferred.
 * - `no_bot`: Turned down: no programs.
 * - `busy`: Turned down: too many games already.
 * - `generic`: Turned down.
 */
export type ClosedReason =
  | "cancelled"
  | "expired"
  | "later"
  | "too_fast"
  | "too_slow"
  | "rated"
  | "casual"
  | "game"
  | "options"
  | "no_bot"
  | "busy"
  | "generic";
/**
 * What a notice is about.
 *
 * - `restart`: The server restarts; connections close with 1012.
 */
export type NoticeWhat = "restart";
/**
 * A record of a game, by kind; receivers let kinds pass that they do not know
 */
export type Event =
  | Created
  | Started
  | Moved
  | Swapped
  | Skipped
  | Removed
  | Offered
  | Agreed
  | OfferClosed
  | TakenBack
  | ClockAdjusted
  | Aborted
  | Ended
  | Rated;
/**
 * Why a seat left.
 *
 * - `no_pieces`: Its last piece was captured.
 * - `no_move`: It could not move.
 * - `resigned`: It gave up.
 * - `timed_out`: Its clock ran out.
 * - `abandoned`: It went away.
 */
export type RemovedReason = "no_pieces" | "no_move" | "resigned" | "timed_out" | "abandoned";
/**
 * How an offer ended.
 *
 * - `accepted`: All agreed.
 * - `declined`: Somebody did not.
 * - `withdrawn`: It was taken back.
 * - `moved`: The game moved on instead.
 */
export type OfferOutcome = "accepted" | "declined" | "withdrawn" | "moved";
/**
 * Why a clock was adjusted.
 *
 * - `outage`: The server was away.
 */
export type AdjustReason = "outage";
/**
 * Why a game was called off.
 *
 * - `by_player`: A player called it off before each side had moved.
 * - `agreed`: All who were left agreed to it.
 * - `no_show`: A side let its first move wait for too long.
 */
export type AbortReason = "by_player" | "agreed" | "no_show";
/**
 * Why a game ended.
 *
 * - `last_player`: One player was left.
 * - `two_pieces`: Two pieces were left that do not see each other.
 * - `connected`: Two edges were connected.
 * - `aligned`: Two like pieces stood opposite each other.
 * - `stuck`: Nobody could move.
 * - `repetition`: The same position for the third time.
 * - `too_long`: The game had become longer than one may be.
 * - `agreement`: Agreed.
 * - `resigned`: The last opponent gave up.
 * - `timed_out`: The last opponent's clock ran out.
 * - `abandoned`: The last opponent went away.
 */
export type EndReason =
  | "last_player"
  | "two_pieces"
  | "connected"
  | "aligned"
  | "stuck"
  | "repetition"
  | "too_long"
  | "agreement"
  | "resigned"
  | "timed_out"
  | "abandoned";

/**
 * Opens the session.
 */
export interface Hello {
  /**
   * Who it is. Without it the session may look and sign up, but not play.
   */
  auth?: Auth;
  /**
   * What the client would like beyond the minimum.
   */
  caps?: string[];
  /**
   * What program it is.
   */
  client?: Software;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The versions of the protocol that the client speaks.
   *
   * @minItems 1
   */
  proto: number[];
  /**
   * What it knows of its games, by game id.
   */
  resume?: {
    [k: string]: Cursor;
  };
  type: "hello";
}
/**
 * By a secret from an earlier session or from `token_create`.
 */
export interface TokenAuth {
  /**
   * The token.
   */
  token: string;
}
/**
 * By name and password.
 */
export interface PasswordAuth {
  /**
   * The password.
   */
  password: string;
  user: UserName;
}
/**
 * As a guest of that name.
 */
export interface GuestAuth {
  /**
   * Whether the guest is a program.
   */
  bot?: boolean;
  guest: UserName;
}
/**
 * A program and its version.
 */
export interface Software {
  /**
   * Its name.
   */
  name: string;
  /**
   * Its version.
   */
  version: string;
}
/**
 * The place up to which a client knows a game.
 */
export interface Cursor {
  /**
   * That event's chain.
   */
  chain?: Chain;
  /**
   * The last event it has.
   */
  seq: number;
}
/**
 * Makes an account, or turns the guest of this session into one.
 */
export interface Signup {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The password to have.
   */
  password: string;
  type: "signup";
  /**
   * The name to have.
   */
  user: UserName;
}
/**
 * Makes a token; its secret is told once.
 */
export interface TokenCreate {
  /**
   * Whether sessions with this token are a program's.
   */
  bot?: boolean;
  /**
   * When it ends, in epoch milliseconds.
   */
  expires?: number;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * What the token is for, in the user's words.
   */
  label: string;
  type: "token_create";
  /**
   * One of one's own bots, if the token is for that.
   */
  user?: UserName;
}
/**
 * Lists tokens.
 */
export interface TokenList {
  /**
   * Names the request.
   */
  id: RequestId;
  type: "token_list";
  /**
   * One of one's own bots, if the list is to be of its tokens.
   */
  user?: UserName;
}
/**
 * Ends a token and the sessions that were opened with it.
 */
export interface TokenRevoke {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * One's own, or one of one's own bot's.
   */
  token: TokenId;
  type: "token_revoke";
}
/**
 * Ends the token that this session was opened with, and the sessions that were opened with it.
 */
export interface Logout {
  /**
   * Whether a guest, who has no other way back, gives up live games.
   */
  forget?: boolean;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "logout";
}
/**
 * Changes the password and ends what was opened with the old one.
 */
export interface PasswordChange {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The password to have.
   */
  new: string;
  /**
   * The password so far.
   */
  old: string;
  /**
   * Whether the tokens of programs end, too.
   */
  revoke_all?: boolean;
  type: "password_change";
}
/**
 * Makes an account for a program, which then belongs to this session's user.
 */
export interface BotCreate {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The name that the program plays under.
   */
  name: UserName;
  type: "bot_create";
}
/**
 * Lists one's own bots.
 */
export interface BotList {
  /**
   * Names the request.
   */
  id: RequestId;
  type: "bot_list";
}
/**
 * Asks which games can be played, by how many, and with which options.
 */
export interface Catalogue {
  /**
   * Names the request.
   */
  id: RequestId;
  type: "catalogue";
}
/**
 * Looks for opponents.
 */
export interface Seek {
  /**
   * Whom the seeker would play. By default `{"bots":true,"guests":true}`.
   */
  allow?: AllowGiven;
  /**
   * The time control. By default `{"mode":"none"}`.
   */
  clock?: Clock;
  /**
   * How many moves spectators shall be behind.
   */
  delay?: number;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Its options. By default `{}`.
   */
  options?: OptionsGiven;
  /**
   * How many are to play, the seeker included.
   */
  players?: number;
  /**
   * Whether the result shall count.
   */
  rated?: boolean;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * Where the seeker would like to sit. By default `"random"`.
   */
  seat?: SeatWish;
  type: "seek";
}
/**
 * Whom a seeker would play.
 */
export interface AllowGiven {
  /**
   * Programs too.
   */
  bots?: boolean;
  /**
   * Users without an account too.
   */
  guests?: boolean;
}
/**
 * No limit.
 */
export interface NoClock {
  mode: "none";
}
/**
 * So much for the game, and an increment for each move.
 */
export interface FischerClock {
  /**
   * For the whole game.
   */
  base_ms: number;
  /**
   * Added after each move.
   */
  inc_ms: number;
  mode: "fischer";
}
/**
 * So much for each move.
 */
export interface PerMoveClock {
  mode: "per_move";
  /**
   * For one move.
   */
  move_ms: number;
}
/**
 * A main time, and then periods that are given back whole if a move is made within one.
 */
export interface ByoyomiClock {
  /**
   * The main time.
   */
  base_ms: number;
  mode: "byoyomi";
  /**
   * The length of one.
   */
  period_ms: number;
  /**
   * How many periods follow it.
   */
  periods: number;
}
/**
 * So many days for each move.
 */
export interface DaysClock {
  mode: "days";
  /**
   * For one move.
   */
  per_move_days: number;
}
/**
 * Stops looking.
 */
export interface Unseek {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Which seek.
   */
  seek: SeekId;
  type: "unseek";
}
/**
 * Challenges somebody.
 */
export interface Challenge {
  /**
   * The time control. By default `{"mode":"none"}`.
   */
  clock?: Clock;
  /**
   * How many moves spectators shall be behind.
   */
  delay?: number;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Its options. By default `{}`.
   */
  options?: OptionsGiven;
  /**
   * Whether the result shall count.
   */
  rated?: boolean;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * Who sits where, the challenger included.
   *
   * @minItems 2
   * @maxItems 3
   */
  seats: UserName[];
  /**
   * Whether the seats are to be drawn by lot.
   */
  shuffle?: boolean;
  type: "challenge";
}
/**
 * Takes a seek or a challenge; one of the two is named.
 */
export interface Accept {
  /**
   * The challenge to take.
   */
  challenge?: ChallengeId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The seek to take.
   */
  seek?: SeekId;
  type: "accept";
}
/**
 * Turns a challenge down.
 */
export interface Decline {
  /**
   * Which challenge.
   */
  challenge: ChallengeId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Why. By default `"generic"`.
   */
  reason?: DeclineReason;
  type: "decline";
}
/**
 * Takes back one's own challenge.
 */
export interface Cancel {
  /**
   * Which challenge.
   */
  challenge: ChallengeId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "cancel";
}
/**
 * Lists the open challenges to and by the client's user, the newest first.
 */
export interface Challenges {
  /**
   * Only those that stand after this one in the list, to turn the page.
   */
  before?: ChallengeId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * How many at the most.
   */
  limit?: number;
  type: "challenges";
}
/**
 * Watches the open seeks, or no longer.
 */
export interface Lobby {
  /**
   * Only seeks that are older than this one, to turn the page.
   */
  before?: SeekId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "lobby";
  /**
   * Whether to be told of changes from now on.
   */
  watch?: boolean;
}
/**
 * Lists games, the newest first.
 */
export interface Games {
  /**
   * Only those that stand after this one in the list, to turn the page.
   */
  before?: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * How many at the most.
   */
  limit?: number;
  /**
   * Only those at tables of so many.
   */
  players?: number;
  /**
   * Only those of this game.
   */
  rules?: RulesName;
  /**
   * Live or finished ones. By default `"live"`.
   */
  state?: GameState;
  type: "games";
  /**
   * Only those of this user.
   */
  user?: UserName;
}
/**
 * Lists the players of a game, the strongest first.
 */
export interface Standings {
  /**
   * Only those who stand after this place in the list, to turn the page: `next` of the page
   * before.
   */
  before?: StandingsCursor;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * How many at the most.
   */
  limit?: number;
  /**
   * At tables of how many; the fewest that play the game, unless it is said.
   */
  players?: number;
  /**
   * Which game.
   */
  rules: RulesName;
  type: "standings";
}
/**
 * Asks who somebody is.
 */
export interface User {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Who.
   */
  name: UserName;
  type: "user";
}
/**
 * Lists a user's finished games, the one that ended last first.
 */
export interface History {
  /**
   * Only those that stand after this one in the list, to turn the page.
   */
  before?: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * How many at the most.
   */
  limit?: number;
  /**
   * Only those of this game.
   */
  rules?: RulesName;
  type: "history";
  /**
   * Whose.
   */
  user: UserName;
}
/**
 * Follows a game.
 */
export interface Watch {
  /**
   * Replays the events from this one on, instead of a snapshot.
   */
  from?: number;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Whether to be named among the spectators; as said in `hello` if not given.
   */
  named?: boolean;
  type: "watch";
}
/**
 * Follows a game no longer.
 */
export interface Unwatch {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "unwatch";
}
/**
 * Asks for the server's signature under the game's record as it now stands.
 */
export interface Signature {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "signature";
}
/**
 * Asks for the board to draw.
 */
export interface Layout {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "layout";
}
/**
 * Asks which cells can be acted on, where pieces of one may go, and what a sketch comes to.
 */
export interface Hints {
  /**
   * The cell to start from.
   */
  from?: string;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * A move in the making.
   */
  sketch?: Sketch;
  type: "hints";
}
/**
 * A move in the making: the cells chosen so far, in the order in which they were.
 */
export interface Sketch {
  /**
   * The cells that pieces leave.
   */
  from?: SketchCell[];
  /**
   * The cells that pieces arrive at.
   */
  to?: SketchCell[];
}
/**
 * A cell that was chosen.
 */
export interface SketchCell {
  /**
   * The cell.
   */
  cell: string;
  /**
   * Which of the choices that the cell has.
   */
  choice?: string;
  /**
   * How many pieces of it take part.
   */
  pieces?: number;
}
/**
 * Asks for the legal moves of the side to move, page by page.
 */
export interface Moves {
  /**
   * Only moves behind this one in their order: what stood in `next`, or any legal move.
   */
  after?: string;
  /**
   * Only moves from this cell.
   */
  from?: string;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * How many at the most.
   */
  limit?: number;
  type: "moves";
}
/**
 * Asks whether a move would be legal, and what would follow. Records nothing.
 */
export interface Try {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The move in the game's notation.
   */
  move: string;
  /**
   * The turn that the sender believes it to be.
   */
  turn: number;
  type: "try";
}
/**
 * Makes a move.
 */
export interface Move {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The move in the game's notation.
   */
  move: string;
  /**
   * The turn that the sender believes it to be.
   */
  turn: number;
  type: "move";
}
/**
 * Gives up.
 */
export interface Resign {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "resign";
}
/**
 * Calls the game off before each side has moved.
 */
export interface Abort {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "abort";
}
/**
 * Offers something to the opponents.
 */
export interface Offer {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "offer";
  /**
   * What.
   */
  what: OfferWhat;
}
/**
 * Answers an offer.
 */
export interface Answer {
  /**
   * Yes or no.
   */
  accept: boolean;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Which offer.
   */
  offer: OfferId;
  type: "answer";
}
/**
 * Takes one's own offer back.
 */
export interface Withdraw {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Which offer.
   */
  offer: OfferId;
  type: "withdraw";
}
/**
 * Claims the consequence of a player's having gone.
 */
export interface Claim {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Of which seat, where there is a choice.
   */
  seat?: number;
  type: "claim";
  /**
   * What.
   */
  what: ClaimWhat;
}
/**
 * Asks the same players for the same game once more.
 */
export interface Rematch {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  type: "rematch";
}
/**
 * Asks for the boards that a game went through, ply by ply.
 */
export interface Positions {
  /**
   * The first ply; 0 is the board before the first move.
   */
  from_ply?: number;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * How many at the most.
   */
  limit?: number;
  type: "positions";
}
/**
 * Watches which game is featured, or no longer.
 */
export interface Tv {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Of which kind.
   */
  rules: RulesName;
  type: "tv";
  /**
   * Whether to be told of changes from now on.
   */
  watch?: boolean;
}
/**
 * Watches the games that are being played, or no longer.
 */
export interface Live {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * Whether as many are wanted as there may be, rather than enough for a corner of a page.
   */
  many?: boolean;
  /**
   * Only those of this kind.
   */
  rules?: RulesName;
  type: "live";
  /**
   * Whether to be told of changes from now on.
   */
  watch?: boolean;
}
/**
 * Says something about a game.
 */
export interface Say {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * To whom.
   */
  room: TalkRoom;
  /**
   * What.
   */
  text: string;
  type: "say";
}
/**
 * Takes back something that was said.
 */
export interface Unsay {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The line's number.
   */
  n: number;
  /**
   * In which room.
   */
  room: TalkRoom;
  type: "unsay";
}
/**
 * Asks for the last lines that were said, or for those before one.
 */
export interface Talk {
  /**
   * Only lines before this one, to turn the page.
   */
  before?: number;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * How many at the most.
   */
  limit?: number;
  /**
   * In which room.
   */
  room: TalkRoom;
  type: "talk";
}
/**
 * Wants to hear no more of somebody.
 */
export interface Mute {
  /**
   * Names the request.
   */
  id: RequestId;
  type: "mute";
  /**
   * Whom.
   */
  user: UserName;
}
/**
 * Wants to hear of somebody again.
 */
export interface Unmute {
  /**
   * Names the request.
   */
  id: RequestId;
  type: "unmute";
  /**
   * Whom.
   */
  user: UserName;
}
/**
 * Asks whom one has muted.
 */
export interface Mutes {
  /**
   * Names the request.
   */
  id: RequestId;
  type: "mutes";
}
/**
 * Measures the way to the server and the difference of the clocks.
 */
export interface Ping {
  /**
   * Names the request.
   */
  id: RequestId;
  /**
   * The client's time, given back as it is.
   */
  t0?: number;
  type: "ping";
}
/**
 * The session is open.
 */
export interface Welcome {
  /**
   * Open challenges to and by the user, the newest first.
   */
  challenges: OpenChallenge[];
  /**
   * How many there are in all, where these are not all of them.
   */
  challenges_total?: number;
  /**
   * How long a game waits for a player who is away before the others may claim it.
   */
  claim_after?: ClaimAfter;
  /**
   * What an acknowledgement is worth: `fsync` survives a power cut.
   */
  durability: string;
  /**
   * Every live game of the user.
   */
  games: ResumedGame[];
  /**
   * The timing of the connection's own life.
   */
  heartbeat: Heartbeat;
  /**
   * The public keys that the server has signed records with, the present one first.
   */
  keys?: PublicKey[];
  /**
   * What the server puts up with.
   */
  limits: Limits;
  /**
   * The version that is spoken from here on.
   */
  proto: number;
  /**
   * The `hello` it answers.
   */
  re: RequestId;
  /**
   * The games that can be played, with the version of their rules.
   */
  rules: {
    [k: string]: number;
  };
  /**
   * The server program.
   */
  server: Software;
  /**
   * Names the session in the server's logs.
   */
  session: string;
  /**
   * A secret to come back with, after a log-in by password or as a guest.
   */
  token?: string;
  /**
   * The server's time in epoch milliseconds.
   */
  ts: number;
  type: "welcome";
  /**
   * Who the client is; `null` for one that only looks.
   */
  user: Me | null;
}
/**
 * An open challenge in a list.
 */
export interface OpenChallenge {
  /**
   * Who has agreed so far.
   */
  accepted: UserName[];
  /**
   * Whether that is a program.
   */
  bot?: boolean;
  /**
   * Who made it.
   */
  by: UserName;
  /**
   * Names the challenge.
   */
  challenge: ChallengeId;
  /**
   * The time control.
   */
  clock: Clock;
  /**
   * When it was made, in epoch milliseconds.
   */
  created: number;
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * Which way it goes. By default `"in"`.
   */
  direction: Direction;
  /**
   * When it closes unless all have answered, in epoch milliseconds.
   */
  expires: number;
  /**
   * Whether that is a guest.
   */
  guest?: boolean;
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * Whether the result would count.
   */
  rated: boolean;
  /**
   * The game that is to be played once more.
   */
  rematch_of?: GameId;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * Who would sit where.
   */
  seats: UserName[];
  /**
   * Whether the seats are drawn by lot.
   */
  shuffle: boolean;
}
/**
 * How long a game waits for a player who is away on their turn before the others may claim it. With
 * days for each move no player may.
 */
export interface ClaimAfter {
  /**
   * With clocks.
   */
  timed_ms: number;
  /**
   * Without.
   */
  untimed_ms: number;
}
/**
 * A game in the answer to `hello`.
 */
export interface ResumedGame {
  /**
   * The first event that follows a `tail`.
   */
  from?: number;
  /**
   * Which.
   */
  game: GameId;
  /**
   * What follows.
   */
  resume: ResumeVerdict;
  /**
   * The user's seat; absent for a game that is only watched.
   */
  seat?: number;
}
/**
 * The timing of a connection's own life.
 */
export interface Heartbeat {
  /**
   * After how long a silent connection is closed.
   */
  idle_close_ms: number;
  /**
   * How often the server sends a WebSocket ping.
   */
  ping_every_ms: number;
}
/**
 * What the server puts up with.
 */
export interface Limits {
  /**
   * Bots of one owner.
   */
  bots: number;
  /**
   * Messages that may come at once; 0 when there is no limit.
   */
  burst: number;
  /**
   * The largest frame.
   */
  frame_bytes: number;
  /**
   * Challenges and rematches asked for, and seeks and challenges accepted, by one user a
   * minute; 0 when there is no limit.
   */
  games_per_min: number;
  /**
   * Live games of one user.
   */
  live_games: number;
  /**
   * Open challenges made by one user.
   */
  open_challenges: number;
  /**
   * Open seeks of one session.
   */
  open_seeks: number;
  /**
   * Messages a second in the long run; 0 when there is no limit.
   */
  per_s: number;
  /**
   * Seeks of one user a minute; 0 when there is no limit.
   */
  seeks_per_min: number;
  /**
   * Sessions of one user.
   */
  sessions: number;
  /**
   * Tokens of one user for log-ins, and as many again for programs.
   */
  tokens: number;
  /**
   * Games that one session may watch at the same time.
   */
  watched_games: number;
}
/**
 * Who the client is.
 */
export interface Me {
  /**
   * Whether it is a program.
   */
  bot: boolean;
  /**
   * Whether it has no account.
   */
  guest: boolean;
  /**
   * The name.
   */
  name: UserName;
  /**
   * Whose bot it is.
   */
  owner?: UserName;
  /**
   * The user's ratings, by game and number of players: `adamas/2`.
   */
  ratings?: {
    [k: string]: number;
  };
}
/**
 * A request was carried out. Which facts stand here depends on the request.
 */
export interface Done {
  /**
   * What the tried move would capture.
   */
  captures?: Capture[];
  /**
   * The challenge it opened or joined.
   */
  challenge?: ChallengeId;
  /**
   * Whether it had been carried out before.
   */
  dup?: boolean;
  /**
   * The game it was about, or that it began.
   */
  game?: GameId;
  /**
   * `true` for a tried move.
   */
  legal?: boolean;
  /**
   * The tried move in canonical notation.
   */
  move?: string;
  /**
   * The number of the line that was said.
   */
  n?: number;
  /**
   * The offer it made.
   */
  offer?: OfferId;
  /**
   * The position after the tried move.
   */
  position?: {
    [k: string]: string;
  };
  /**
   * The request.
   */
  re: RequestId;
  /**
   * The result that the tried move would bring about.
   */
  result?: GameResult;
  /**
   * The seek it opened or joined.
   */
  seek?: SeekId;
  /**
   * The event it became.
   */
  seq?: number;
  /**
   * Cells with pieces that another seat could capture then, were it that seat's turn.
   */
  threatened?: string[];
  /**
   * Whose turn it would be after the tried move; absent if the game would be over.
   */
  to_move?: number;
  /**
   * A secret, told this once.
   */
  token?: string;
  /**
   * Names the token whose secret is told.
   */
  token_id?: TokenId;
  /**
   * The turn counter after it.
   */
  turn?: number;
  type: "ok";
  /**
   * The user it made.
   */
  user?: UserName;
}
/**
 * Pieces that a move captured.
 */
export interface Capture {
  /**
   * Where they stood.
   */
  cell: string;
  /**
   * One letter per piece.
   */
  pieces: string;
  /**
   * Whose they were.
   */
  seat: number;
}
/**
 * How a game ended.
 */
export interface GameResult {
  /**
   * Each seat's place, from 1; empty for a game called off.
   */
  places: number[];
  /**
   * How it came about.
   */
  reason: ResultReason;
  /**
   * One seat, several for a draw, none for a game called off.
   */
  winners: number[];
}
/**
 * A request was not carried out, or a frame was not a request.
 */
export interface Failed {
  /**
   * What a program branches on.
   */
  code: ErrorCode;
  /**
   * The game it was about.
   */
  game?: GameId;
  /**
   * The limit that was met.
   */
  limit?: string;
  /**
   * What a person reads: one sentence.
   */
  message: string;
  /**
   * The versions the server speaks, for an unknown one.
   */
  proto?: number[];
  /**
   * The request, where its id could be read.
   */
  re?: RequestId;
  /**
   * What to do about it.
   */
  retry: Retry;
  /**
   * When to send it again, for `retry` `after`.
   */
  retry_after_ms?: number;
  /**
   * The present turn, for a stale one.
   */
  turn?: number;
  type: "error";
  /**
   * The rule that an illegal move breaks.
   */
  why?: string;
}
/**
 * The state of a game at one event. The events after it follow without a gap.
 */
export interface Snapshot {
  /**
   * When that event was.
   */
  at: number;
  /**
   * That event's chain.
   */
  chain: Chain;
  /**
   * The clocks.
   */
  clock: ClockState;
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * The position's hash.
   */
  hash: PositionHash;
  /**
   * The moves so far, canonical; a skip is `pass`.
   */
  moves: string[];
  /**
   * Open offers.
   */
  offers: OpenOffer[];
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * Moves and skips so far.
   */
  ply: number;
  /**
   * The board: cell name to pieces, bottom piece first.
   */
  position: {
    [k: string]: string;
  };
  /**
   * Who of the players is connected.
   */
  presence: SeatPresence[];
  /**
   * Whether the result counts.
   */
  rated: boolean;
  /**
   * The request it answers, if any.
   */
  re?: RequestId;
  /**
   * Why it came unasked.
   */
  reason?: SnapshotReason;
  /**
   * The result; `null` while the game goes on.
   */
  result: GameResult | null;
  /**
   * The game that is played.
   */
  rules: RulesName;
  /**
   * Who plays.
   */
  seats: SnapshotSeat[];
  /**
   * The last event it contains.
   */
  seq: number;
  /**
   * Those of them who wish to be named, the first ones of many.
   */
  spectator_names?: UserName[];
  /**
   * How many others listen.
   */
  spectators: number;
  /**
   * Cells with pieces that another seat could capture, were it that seat's turn; absent in games
   * without captures.
   */
  threatened?: string[];
  /**
   * Whose turn it is; `null` when the game is over.
   */
  to_move: number | null;
  /**
   * The turn counter.
   */
  turn: number;
  type: "snapshot";
}
/**
 * The clocks of a game at one moment.
 */
export interface ClockState {
  /**
   * For the whole game in `fischer`, before the periods in `byoyomi`.
   */
  base_ms?: number;
  /**
   * Added after each move, in `fischer`.
   */
  inc_ms?: number;
  /**
   * What the clocks show but for what the running one has lost since `since`.
   */
  left_ms?: number[];
  /**
   * The time control's name.
   */
  mode: string;
  /**
   * For each move, in `per_move`.
   */
  move_ms?: number;
  /**
   * For each move, in `days`.
   */
  per_move_days?: number;
  /**
   * The length of one, in `byoyomi`.
   */
  period_ms?: number;
  /**
   * How many periods follow the main time, in `byoyomi`.
   */
  periods?: number;
  /**
   * Whose clock runs.
   */
  running?: number;
  /**
   * Since when: its start, or later by what the clock was given back.
   */
  since?: number;
}
/**
 * An open offer.
 */
export interface OpenOffer {
  /**
   * By whom.
   */
  by: number;
  /**
   * Who has yet to answer.
   */
  needs: number[];
  /**
   * Its name in this game.
   */
  offer: OfferId;
  /**
   * What is offered.
   */
  what: OfferWhat;
}
/**
 * Whether a player is there.
 */
export interface SeatPresence {
  /**
   * From when on the others may claim that the seat is abandoned.
   */
  claim_at?: number;
  /**
   * Whether any session of its user listens to the game.
   */
  online: boolean;
  /**
   * Which seat.
   */
  seat: number;
  /**
   * Since when none does.
   */
  since?: number;
}
/**
 * A seat in a snapshot.
 */
export interface SnapshotSeat {
  /**
   * Whether a program plays.
   */
  bot?: boolean;
  /**
   * Whether the user has no account.
   */
  guest?: boolean;
  /**
   * The letter of the seat's pieces.
   */
  letter: string;
  /**
   * The rating at the start, where there is one.
   */
  rating?: number;
  /**
   * A letter for each piece that it has yet to bring onto the board.
   */
  reserve?: string;
  /**
   * Whether it still plays.
   */
  state: SeatState;
  /**
   * The user's name.
   */
  user: UserName;
}
/**
 * A server vouches for a game's record up to one event, and by its chain for all before it.
 */
export interface SignedHead {
  /**
   * How it is signed.
   */
  alg: Algorithm;
  /**
   * That event's chain.
   */
  chain: Chain;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * The public half of the key that it is signed with.
   */
  key: PublicKey;
  /**
   * The request it answers; absent in a file.
   */
  re?: RequestId;
  /**
   * The last event that is signed.
   */
  seq: number;
  /**
   * The signature.
   */
  sig: SignatureBytes;
  type: "signature";
}
/**
 * A board to draw.
 */
export interface BoardLayout {
  /**
   * Every cell.
   */
  cells: LayoutCell[];
  /**
   * Its goals.
   */
  edges: LayoutEdge[];
  /**
   * Which game.
   */
  game: GameId;
  /**
   * For each seat, the letters of its pieces.
   */
  letters: string[];
  /**
   * How many pieces a cell holds, where the height of each one matters.
   */
  levels?: number;
  /**
   * The request it answers.
   */
  re: RequestId;
  type: "layout";
}
/**
 * A cell to draw.
 */
export interface LayoutCell {
  /**
   * Its name.
   */
  name: string;
  /**
   * `hex`, `point`, `octagon`, `square` or `sector`.
   */
  shape: string;
  /**
   * Its middle, to the right; neighbours are 1 apart.
   */
  x: number;
  /**
   * Its middle, downwards.
   */
  y: number;
}
/**
 * An edge that means something to the game.
 */
export interface LayoutEdge {
  /**
   * The cells it consists of.
   */
  cells: string[];
  /**
   * What it is to them, such as `home`.
   */
  name: string;
  /**
   * Whose it is.
   */
  seat: number;
}
/**
 * Where pieces may go.
 */
export interface HintList {
  /**
   * The cells it may act on.
   */
  cells: string[];
  /**
   * The cell that was asked about.
   */
  from?: string;
  /**
   * Which game.
   */
  game: GameId;
  /**
   * The request it answers.
   */
  re: RequestId;
  /**
   * What the sketch comes to, if one was sent.
   */
  sketch?: Outlook;
  /**
   * Where its pieces may go.
   */
  to?: HintTarget[];
  /**
   * The seat to move.
   */
  to_move: number;
  /**
   * The turn it is true for.
   */
  turn: number;
  type: "hints";
  /**
   * Legal moves that have no cells.
   */
  words?: string[];
}
/**
 * What a sketch comes to.
 */
export interface Outlook {
  /**
   * The cells that pieces leave, as they were understood.
   */
  from: ChosenCell[];
  /**
   * The legal move that it stands for; `null` if it is none, or none yet.
   */
  move: string | null;
  /**
   * What may be pointed at next.
   */
  next: NextCell[];
  /**
   * The cells that pieces arrive at, as they were understood.
   */
  to: ChosenCell[];
  /**
   * Why it cannot be made, if there is something to say.
   */
  why?: string;
}
/**
 * A chosen cell with its amount, and what that can be.
 */
export interface ChosenCell {
  /**
   * The cell.
   */
  cell: string;
  /**
   * Which of the choices is taken, where there are any.
   */
  choice?: string;
  /**
   * The choices.
   */
  choices?: string[];
  /**
   * The fewest that can.
   */
  least?: number;
  /**
   * The most that can, with the other amounts as they are.
   */
  most?: number;
  /**
   * How many pieces of it take part, where there is a choice.
   */
  pieces?: number;
}
/**
 * A cell that may be pointed at next.
 */
export interface NextCell {
  /**
   * The list that it joins; if it is in the other one, it leaves that.
   */
  as: CellRole;
  /**
   * Whether going there captures.
   */
  capture?: boolean;
  /**
   * The cell.
   */
  cell: string;
  /**
   * The cell that goes out when this one comes in.
   */
  instead_of?: string;
}
/**
 * A place to go to.
 */
export interface HintTarget {
  /**
   * Whether going there captures.
   */
  capture?: boolean;
  /**
   * The cell.
   */
  cell: string;
}
/**
 * Legal moves of the side to move, a page of them.
 */
export interface MoveList {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * The moves, canonical.
   */
  moves: string[];
  /**
   * What to ask with as `after` for the next page; absent on the last one.
   */
  next?: string;
  /**
   * Moves and skips so far.
   */
  ply: number;
  /**
   * The request it answers.
   */
  re: RequestId;
  /**
   * The seat to move.
   */
  to_move: number;
  /**
   * How many the position has in all, from whatever cell; `null` above 2^53 and where it cannot
   * be told.
   */
  total: number | null;
  /**
   * The turn it is true for.
   */
  turn: number;
  type: "moves";
}
/**
 * A list of games.
 */
export interface GameList {
  /**
   * The games, the newest first.
   */
  games: GameEntry[];
  /**
   * Whether there are more: ask again with `before` the last one.
   */
  more: boolean;
  /**
   * The request it answers.
   */
  re?: RequestId;
  type: "games";
}
/**
 * A game in a list.
 */
export interface GameEntry {
  /**
   * The time control.
   */
  clock: Clock;
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * Which.
   */
  game: GameId;
  /**
   * When it last changed.
   */
  last_at: number;
  /**
   * Its options.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * Moves and skips so far.
   */
  ply: number;
  /**
   * Whether the result counts.
   */
  rated: boolean;
  /**
   * What it made of the players' ratings, if it counted.
   */
  ratings?: RatingChange;
  /**
   * How it ended.
   */
  result?: GameResult;
  /**
   * The game that is played.
   */
  rules: RulesName;
  /**
   * Who plays.
   */
  seats: SeatUser[];
  /**
   * When it began.
   */
  started_at: number;
  /**
   * Live or finished.
   */
  state: GameState;
  /**
   * Whose turn it is, in a live game.
   */
  to_move?: number;
}
/**
 * What a game made of its players' ratings, in the order of their seats at the end.
 */
export interface RatingChange {
  /**
   * After it.
   */
  after: number[];
  /**
   * Before it.
   */
  before: number[];
}
/**
 * A seat of a game, as it was agreed.
 */
export interface SeatUser {
  /**
   * Whether a program plays.
   */
  bot: boolean;
  /**
   * Whether the user has no account.
   */
  guest: boolean;
  /**
   * The letter of the seat's pieces.
   */
  letter: string;
  /**
   * The rating at the start, where there is one.
   */
  rating?: number;
  /**
   * The user's name.
   */
  user: UserName;
}
/**
 * The games that can be played.
 */
export interface GameCatalogue {
  /**
   * Every game.
   */
  games: PlayableGame[];
  /**
   * The server's own players, the weakest first; none where the house does not play.
   */
  house: HousePlayer[];
  /**
   * The request it answers.
   */
  re: RequestId;
  type: "catalogue";
}
/**
 * A game that can be played.
 */
export interface PlayableGame {
  /**
   * What can be chosen.
   */
  options: GameOption[];
  /**
   * What it is about and how moves are written, in lines of text.
   */
  page: string;
  /**
   * How many may play.
   */
  players: number[];
  /**
   * Its name, with the version of its rules.
   */
  rules: RulesName;
}
/**
 * Something that can be chosen for a game.
 */
export interface GameOption {
  /**
   * What it does and what its default is, in one line.
   */
  about: string;
  /**
   * What its values are.
   */
  kind: GameOptionKind;
  /**
   * The least number.
   */
  least?: number;
  /**
   * The greatest number.
   */
  most?: number;
  /**
   * Its name in `options`.
   */
  name: string;
}
/**
 * A player of the server's own, who accepts every challenge at once.
 */
export interface HousePlayer {
  /**
   * How well it plays.
   */
  level: HouseLevel;
  /**
   * Its name, which challenges go to.
   */
  user: UserName;
}
/**
 * The players of a game, the strongest first; those whose rating is provisional follow the others.
 */
export interface StandingList {
  /**
   * Whether there are more: ask again with `before` what stands in `next`.
   */
  more: boolean;
  /**
   * Where the next page begins.
   */
  next?: StandingsCursor;
  /**
   * At tables of how many.
   */
  players: number;
  /**
   * The request it answers.
   */
  re?: RequestId;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * One page of them.
   */
  standings: Standing[];
  type: "standings";
}
/**
 * A player among the others of a game.
 */
export interface Standing {
  /**
   * Whether that is a program.
   */
  bot?: boolean;
  /**
   * How far off it may be.
   */
  deviation: number;
  /**
   * In how many the user shared the first place.
   */
  draws: number;
  /**
   * How many games counted.
   */
  games: number;
  /**
   * In how many another was before the user.
   */
  losses: number;
  /**
   * From 1; equals share it.
   */
  place: number;
  /**
   * Whether too few games are behind it to say much.
   */
  provisional?: boolean;
  /**
   * The rating.
   */
  rating: number;
  /**
   * Who.
   */
  user: UserName;
  /**
   * In how many of them the user alone was first.
   */
  wins: number;
}
/**
 * Who somebody is. Nothing here is private.
 */
export interface UserProfile {
  /**
   * Whether that is a program.
   */
  bot: boolean;
  /**
   * How many games are over, those called off included.
   */
  finished: number;
  /**
   * Whether there is no account.
   */
  guest: boolean;
  /**
   * How many games go on.
   */
  live: number;
  /**
   * Whether the user is connected.
   */
  online: boolean;
  /**
   * Whose program.
   */
  owner?: UserName;
  /**
   * The user's rating in each game that was played for one.
   */
  ratings: PoolRating[];
  /**
   * The request it answers.
   */
  re?: RequestId;
  /**
   * Since when there is such a user.
   */
  since: number;
  type: "user";
  /**
   * The name, as its owner spells it.
   */
  user: UserName;
}
/**
 * A user's rating in one game.
 */
export interface PoolRating {
  /**
   * How far off it may be.
   */
  deviation: number;
  /**
   * In how many the user shared the first place.
   */
  draws: number;
  /**
   * How many games counted.
   */
  games: number;
  /**
   * In how many another was before the user.
   */
  losses: number;
  /**
   * The place among all who play it.
   */
  place: number;
  /**
   * At tables of how many.
   */
  players: number;
  /**
   * Whether too few games are behind it to say much.
   */
  provisional?: boolean;
  /**
   * The rating.
   */
  rating: number;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * In how many of them the user alone was first.
   */
  wins: number;
}
/**
 * A user's finished games, the one that ended last first.
 */
export interface HistoryList {
  /**
   * One page of them.
   */
  games: GameEntry[];
  /**
   * Whether there are more: ask again with `before` the last one.
   */
  more: boolean;
  /**
   * The request it answers.
   */
  re?: RequestId;
  type: "history";
  /**
   * Whose they are.
   */
  user: UserName;
}
/**
 * A user's tokens, the newest first.
 */
export interface Tokens {
  /**
   * The request.
   */
  re: RequestId;
  /**
   * Those that are still good.
   */
  tokens: TokenEntry[];
  type: "tokens";
}
/**
 * A token in a list; its secret is not known any more.
 */
export interface TokenEntry {
  /**
   * Whether its sessions are a program's.
   */
  bot?: boolean;
  /**
   * When it was made, in epoch milliseconds.
   */
  created: number;
  /**
   * Whether this session was opened with it.
   */
  current?: boolean;
  /**
   * When it ends, in epoch milliseconds.
   */
  expires?: number;
  /**
   * What it is for.
   */
  label: string;
  /**
   * When a session was last opened with it, give or take ten minutes, in epoch milliseconds.
   */
  last_used?: number;
  /**
   * Names it without telling its secret.
   */
  token: TokenId;
}
/**
 * A user's bots, the oldest first.
 */
export interface Bots {
  /**
   * All of them.
   */
  bots: BotEntry[];
  /**
   * The request.
   */
  re: RequestId;
  type: "bots";
}
/**
 * A program's account in the list of its owner.
 */
export interface BotEntry {
  /**
   * When it was made, in epoch milliseconds.
   */
  created: number;
  /**
   * The name that it plays under.
   */
  name: UserName;
  /**
   * How many tokens open sessions as it.
   */
  tokens: number;
}
/**
 * Answers a ping.
 */
export interface Pong {
  /**
   * The ping.
   */
  re: RequestId;
  /**
   * The client's time, as it was given.
   */
  t0?: number;
  /**
   * When the ping arrived, in epoch milliseconds.
   */
  t1: number;
  /**
   * When the answer left.
   */
  t2: number;
  type: "pong";
}
/**
 * The client's user is to move. Sent when that becomes so and after every (re)connect.
 */
export interface YourTurn {
  /**
   * When the flag falls, or the game is called off because nobody came, in epoch milliseconds.
   */
  deadline?: number;
  /**
   * In which game.
   */
  game: GameId;
  /**
   * The position.
   */
  hash: PositionHash;
  /**
   * The clocks when this turn began.
   */
  left_ms?: number[];
  /**
   * Legal moves, for clients that asked for them.
   */
  legal?: string[];
  /**
   * Whether `legal` leaves some out.
   */
  legal_cut?: boolean;
  /**
   * How many there are in all; `null` above 2^53 and where it cannot be told.
   */
  legal_total?: number | null;
  /**
   * Moves and skips so far.
   */
  ply: number;
  /**
   * The board, for clients that asked for it: cell name to pieces, bottom piece first.
   */
  position?: {
    [k: string]: string;
  };
  /**
   * In which seat.
   */
  seat: number;
  /**
   * With the board: cells with pieces that another seat could capture, were it that seat's turn;
   * absent in games without captures.
   */
  threatened?: string[];
  /**
   * The turn to move with.
   */
  turn: number;
  type: "your_turn";
}
/**
 * Who is there, sent when that has changed. Changes are gathered; the latest counts.
 */
export interface Presence {
  /**
   * At which game.
   */
  game: GameId;
  /**
   * Each player.
   */
  seats: SeatPresence[];
  /**
   * Those of them who wish to be named, the first ones of many.
   */
  spectator_names?: UserName[];
  /**
   * How many others listen.
   */
  spectators: number;
  type: "presence";
}
/**
 * Somebody challenges the client's user, or one of those challenged has accepted.
 */
export interface Challenged {
  /**
   * Who has agreed so far.
   */
  accepted: UserName[];
  /**
   * Whether that is a program.
   */
  bot?: boolean;
  /**
   * Who made it.
   */
  by: UserName;
  /**
   * Names the challenge.
   */
  challenge: ChallengeId;
  /**
   * The time control.
   */
  clock: Clock;
  /**
   * When it was made, in epoch milliseconds.
   */
  created: number;
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * When it closes unless all have answered, in epoch milliseconds.
   */
  expires: number;
  /**
   * Whether that is a guest.
   */
  guest?: boolean;
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * Whether the result would count.
   */
  rated: boolean;
  /**
   * The game that is to be played once more.
   */
  rematch_of?: GameId;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * Who would sit where.
   */
  seats: UserName[];
  /**
   * Whether the seats are drawn by lot.
   */
  shuffle: boolean;
  type: "challenged";
}
/**
 * A challenge is no longer open: a game came of it, or it did not.
 */
export interface ChallengeClosed {
  /**
   * Who turned it down or took it back.
   */
  by?: UserName;
  /**
   * Which.
   */
  challenge: ChallengeId;
  /**
   * The game that came of it.
   */
  game?: GameId;
  /**
   * The same in words, where a house player turned it down: why, and what to do.
   */
  message?: string;
  /**
   * Why none did.
   */
  reason?: ClosedReason;
  /**
   * The game that was to be played once more.
   */
  rematch_of?: GameId;
  type: "challenge_closed";
}
/**
 * Open challenges to and by the client's user.
 */
export interface ChallengeList {
  /**
   * The challenges, the newest first.
   */
  challenges: OpenChallenge[];
  /**
   * Whether there are more: ask again with `before` the last one.
   */
  more: boolean;
  /**
   * The request it answers.
   */
  re: RequestId;
  type: "challenges";
}
/**
 * The open seeks, or how they changed. A seek that is added again replaces itself.
 */
export interface LobbyChange {
  /**
   * Seeks that are open now.
   */
  add: SeekEntry[];
  /**
   * Whether an answer leaves out older seeks: ask again with `before` the first one.
   */
  more?: boolean;
  /**
   * The request it answers; it then adds every open seek.
   */
  re?: RequestId;
  /**
   * Seeks that are open no longer.
   */
  remove: SeekId[];
  type: "lobby";
}
/**
 * An open seek.
 */
export interface SeekEntry {
  /**
   * Whom the seeker would play.
   */
  allow: Allow;
  /**
   * Whether that is a program.
   */
  bot: boolean;
  /**
   * Who looks for opponents.
   */
  by: UserName;
  /**
   * The time control.
   */
  clock: Clock;
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * Whether that is a guest.
   */
  guest: boolean;
  /**
   * Who has joined so far, the seeker included.
   */
  joined: UserName[];
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * How many are to play.
   */
  players: number;
  /**
   * Whether the result shall count.
   */
  rated: boolean;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * Where the seeker would like to sit.
   */
  seat: SeatWish;
  /**
   * Names it.
   */
  seek: SeekId;
}
/**
 * Whom a seeker would play.
 */
export interface Allow {
  /**
   * Programs too.
   */
  bots: boolean;
  /**
   * Users without an account too.
   */
  guests: boolean;
}
/**
 * The boards that a game went through, in order.
 */
export interface PositionList {
  /**
   * Which game.
   */
  game: GameId;
  /**
   * Whether there are later ones: ask again from behind the last.
   */
  more: boolean;
  /**
   * The boards.
   */
  positions: PlyPosition[];
  /**
   * The request it answers.
   */
  re: RequestId;
  type: "positions";
}
/**
 * A board that a game went through.
 */
export interface PlyPosition {
  /**
   * What it captured.
   */
  captures: Capture[];
  /**
   * The clocks after it; absent without clocks.
   */
  left_ms?: number[];
  /**
   * The move in canonical notation; a skip is `pass`.
   */
  move?: string;
  /**
   * After so many moves and skips.
   */
  ply: number;
  /**
   * The board after it, and after what followed from it.
   */
  position: {
    [k: string]: string;
  };
  /**
   * Who moved, or could not; absent before the first move.
   */
  seat?: number;
  /**
   * Cells with pieces that another seat could capture, were it that seat's turn; absent in games
   * without captures.
   */
  threatened?: string[];
  /**
   * Whose turn it was then; `null` if the game was over.
   */
  to_move: number | null;
}
/**
 * The game that is featured of its kind. Without `re` it has just changed.
 */
export interface Featured {
  /**
   * What lists say of it.
   */
  entry?: GameEntry;
  /**
   * Which; `null` if none is being played.
   */
  game: GameId | null;
  /**
   * The request it answers.
   */
  re?: RequestId;
  /**
   * Of which kind.
   */
  rules: RulesName;
  type: "tv";
}
/**
 * The games that are being played, or how they changed. A game that is added again replaces itself.
 */
export interface LiveChange {
  /**
   * Games that are new or have changed, the latest change first.
   */
  add: LiveGame[];
  /**
   * Whether these are all there are: what was known before is to be forgotten.
   */
  full?: boolean;
  /**
   * Whether the next `live` without `re` goes on with this one: they are too many for a frame.
   */
  more?: boolean;
  /**
   * The request it answers.
   */
  re?: RequestId;
  /**
   * Games that are shown no longer.
   */
  remove: GameId[];
  type: "live";
}
/**
 * A game with its board, small enough for a page of many.
 */
export interface LiveGame {
  /**
   * What lists say of it.
   */
  entry: GameEntry;
  /**
   * The position's hash.
   */
  hash: PositionHash;
  /**
   * The last move; `pass` for a skip, absent before the first.
   */
  move?: string;
  /**
   * The board: cell name to pieces, bottom piece first.
   */
  position: {
    [k: string]: string;
  };
  /**
   * The last event that this contains.
   */
  seq: number;
}
/**
 * Somebody has said something.
 */
export interface Said {
  /**
   * When, in epoch milliseconds.
   */
  at: number;
  /**
   * Who.
   */
  by: UserName;
  /**
   * About which game.
   */
  game: GameId;
  /**
   * The line's number in that room, from 1.
   */
  n: number;
  /**
   * In which room.
   */
  room: TalkRoom;
  /**
   * What.
   */
  text: string;
  type: "said";
}
/**
 * Something that was said is taken back: it is to be shown no longer.
 */
export interface Unsaid {
  /**
   * About which game.
   */
  game: GameId;
  /**
   * The line's number.
   */
  n: number;
  /**
   * In which room.
   */
  room: TalkRoom;
  type: "unsaid";
}
/**
 * What was said in one room of a game.
 */
export interface TalkList {
  /**
   * About which game.
   */
  game: GameId;
  /**
   * The lines, the oldest first.
   */
  lines: TalkLine[];
  /**
   * Whether there are earlier ones: ask again with `before` the first one's number.
   */
  more: boolean;
  /**
   * The request it answers.
   */
  re: RequestId;
  /**
   * In which room.
   */
  room: TalkRoom;
  type: "talk";
}
/**
 * A line that was said.
 */
export interface TalkLine {
  /**
   * When, in epoch milliseconds.
   */
  at: number;
  /**
   * Who said it.
   */
  by: UserName;
  /**
   * Its number in its room.
   */
  n: number;
  /**
   * What was said.
   */
  text: string;
}
/**
 * Whom the client's user has muted.
 */
export interface MuteList {
  /**
   * The request it answers.
   */
  re: RequestId;
  type: "mutes";
  /**
   * Their names.
   */
  users: UserName[];
}
/**
 * Something about the server itself.
 */
export interface Notice {
  /**
   * When to come back at the earliest: spread by the server so that not all come at once.
   */
  in_ms: number;
  type: "notice";
  /**
   * What.
   */
  what: NoticeWhat;
}
/**
 * What was agreed before the game.
 */
export interface Created {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  chain: Chain;
  /**
   * The time control.
   */
  clock: Clock;
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  game: GameId;
  hash: PositionHash;
  kind: "created";
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * Whether the result counts.
   */
  rated: boolean;
  req?: RequestId;
  /**
   * The game, with the version of its rules.
   */
  rules: RulesName;
  /**
   * Who plays, in turn order.
   */
  seats: SeatUser[];
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
}
/**
 * Who opens the game.
 */
export interface Started {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "started";
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * The seat to move.
   */
  to_move: number;
  type: "event";
}
/**
 * A move.
 */
export interface Moved {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * What it captured.
   */
  captures: Capture[];
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "moved";
  /**
   * Time not charged because the network took it.
   */
  lag_ms: number;
  /**
   * The clocks after it; absent without clocks.
   */
  left_ms?: number[];
  /**
   * The move in canonical notation.
   */
  move: string;
  /**
   * The number of the move.
   */
  ply: number;
  req?: RequestId;
  /**
   * By whom.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * Time used.
   */
  spent_ms: number;
  /**
   * Whose turn it is after it.
   */
  to_move: number | null;
  /**
   * The turn counter after it.
   */
  turn: number;
  type: "event";
}
/**
 * Two players have changed seats; the pieces stay where they are.
 */
export interface Swapped {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "swapped";
  /**
   * Time not charged because the network took it; absent where it is none.
   */
  lag_ms?: number;
  /**
   * The clocks after it, each with its player; absent without clocks.
   */
  left_ms?: number[];
  /**
   * The number of the swap among moves and skips.
   */
  ply: number;
  req?: RequestId;
  /**
   * The seat whose player asked for it.
   */
  seat: number;
  /**
   * Who sits where after it.
   */
  seats: SeatUser[];
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * Time used.
   */
  spent_ms: number;
  /**
   * Whose turn it is after it.
   */
  to_move: number | null;
  /**
   * The turn counter after it.
   */
  turn: number;
  type: "event";
}
/**
 * A turn passed over.
 */
export interface Skipped {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "skipped";
  /**
   * The number of the skip among moves and skips.
   */
  ply: number;
  req?: RequestId;
  /**
   * Who could not move.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * Whose turn it is after it.
   */
  to_move: number | null;
  /**
   * The turn counter after it.
   */
  turn: number;
  type: "event";
}
/**
 * A seat that left.
 */
export interface Removed {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  chain: Chain;
  /**
   * Who claimed that the seat had been abandoned.
   */
  claimed_by?: number;
  game: GameId;
  hash: PositionHash;
  kind: "removed";
  /**
   * Why.
   */
  reason: RemovedReason;
  req?: RequestId;
  /**
   * Who.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * Whose turn it is after it.
   */
  to_move: number | null;
  /**
   * The turn counter after it.
   */
  turn: number;
  type: "event";
}
/**
 * An offer.
 */
export interface Offered {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * By whom.
   */
  by: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "offered";
  /**
   * Who has yet to answer.
   */
  needs: number[];
  /**
   * Its name in this game.
   */
  offer: OfferId;
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
  /**
   * What is offered.
   */
  what: OfferWhat;
}
/**
 * One more has agreed.
 */
export interface Agreed {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "agreed";
  /**
   * Who has yet to answer.
   */
  needs: number[];
  /**
   * To which offer.
   */
  offer: OfferId;
  req?: RequestId;
  /**
   * Who.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
}
/**
 * An offer that is no longer open.
 */
export interface OfferClosed {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * Who ended it.
   */
  by: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "offer_closed";
  /**
   * Which.
   */
  offer: OfferId;
  /**
   * How it ended.
   */
  outcome: OfferOutcome;
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
}
/**
 * A move taken back, with all that was played after it.
 */
export interface TakenBack {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "taken_back";
  /**
   * The clocks after it; absent without clocks.
   */
  left_ms?: number[];
  /**
   * The number of moves and skips that stand.
   */
  ply: number;
  /**
   * The board that was gone back to: cell name to pieces, bottom piece first.
   */
  position: {
    [k: string]: string;
  };
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * Whose move was taken back, and whose turn it is again.
   */
  to_move: number;
  /**
   * The turn counter after it, which does not go back.
   */
  turn: number;
  type: "event";
}
/**
 * Time given back to the running clock.
 */
export interface ClockAdjusted {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * How much.
   */
  by_ms: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "clock_adjusted";
  /**
   * Why.
   */
  reason: AdjustReason;
  req?: RequestId;
  /**
   * Whose clock.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
}
/**
 * A game called off.
 */
export interface Aborted {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * Who called it off, offered to, or did not come.
   */
  by: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "aborted";
  /**
   * Why.
   */
  reason: AbortReason;
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
}
/**
 * The end of a game.
 */
export interface Ended {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * Who gave up, ran out of time or went away, where that ended the game.
   */
  by?: number;
  chain: Chain;
  /**
   * Who claimed that this seat had been abandoned.
   */
  claimed_by?: number;
  game: GameId;
  hash: PositionHash;
  kind: "ended";
  /**
   * Each seat's place, from 1; equal numbers are shared.
   */
  places: number[];
  /**
   * How it came about.
   */
  reason: EndReason;
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
  /**
   * One seat, or several for a draw.
   */
  winners: number[];
}
/**
 * Ratings before and after a game, by seat.
 */
export interface Rated {
  /**
   * And after.
   */
  after: number[];
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * What each seat's user was rated before.
   */
  before: number[];
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "rated";
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
}
