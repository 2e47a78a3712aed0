// The types of the protocol's frames, made from its JSON Schema by clients/typescript/generate.mjs. Not written by
// hand. The client and the page share them. A later server may send words, fields and kinds that they do not have.

/**
 * One JSON object per frame. Receivers ignore fields that they do not know.
 */
export type TheAdamantWireProtocolVersion1 = FromClient | ToClient;
/**
 * Messages from a client: requests, by type
 */
export type FromClient =
  | Hello
  | Signup
  | TokenCreate
  | TokenList
  | TokenRevoke
  | Logout
  | PasswordChange
  | RecoveryCode
  | MailSet
  | MailConfirm
  | MailGet
  | PasswordMail
  | AccountClose
  | PasswordReset
  | BotCreate
  | BotList
  | BotStatus
  | Directory
  | PushSubscribe
  | PushUnsubscribe
  | PushList
  | WebhookSet
  | WebhookGet
  | WebhookDelete
  | Catalogue
  | Seek
  | Unseek
  | Challenge
  | Accept
  | Decline
  | Cancel
  | Challenges
  | Invite
  | Invites
  | InviteInfo
  | Lobby
  | Games
  | Standings
  | Stats
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
  | Explore
  | Analyse
  | Tv
  | Live
  | Say
  | Unsay
  | Talk
  | Mute
  | Unmute
  | Mutes
  | Block
  | Unblock
  | Blocks
  | Report
  | NoticeSeen
  | SettingsGet
  | SettingsSet
  | Ping;
/**
 * The credentials of a user, in one of three forms.
 */
export type Auth = TokenAuth | PasswordAuth | GuestAuth;
/**
 * A user's name as the user spells it; names that differ only in case are the same name.
 */
export type UserName = string;
/**
 * The id of a request, chosen by the client. The reply carries it as `re`.
 */
export type RequestId = string;
/**
 * 32 bytes as 64 hex digits: a link of a record chain.
 */
export type Chain = string;
/**
 * The public id of a token. It does not contain the secret.
 */
export type TokenId = string;
/**
 * A kind of clock.
 *
 * - `none`: No clock.
 * - `fischer`: A time for the game, and an increment.
 * - `per_move`: A time for each move.
 * - `byoyomi`: A main time, then periods.
 * - `days`: Days for each move.
 */
export type ClockMode = "none" | "fischer" | "per_move" | "byoyomi" | "days";
/**
 * A game's rules with their version, as in `NAME@1`; without a version, in a request, the present one.
 */
export type RulesName = string;
/**
 * A time control.
 */
export type TimeControl = NoClock | FischerClock | PerMoveClock | ByoyomiClock | DaysClock;
/**
 * A game's options: an object, or text like `-size=4 -prog_cap`.
 */
export type Options =
  | {
      [k: string]: OptionValue;
    }
  | string;
/**
 * The value of a game's option: a flag, a whole number or a word.
 */
export type OptionValue = boolean | number | string;
/**
 * The seat that the seeker prefers: any, or one by its number.
 */
export type SeatWish = "random" | number;
/**
 * The id of an open seek.
 */
export type SeekId = string;
/**
 * The id of an open challenge.
 */
export type ChallengeId = string;
/**
 * The id of an invite. Every user who knows it may accept the invite.
 */
export type InviteId = string;
/**
 * Why a user declined a challenge.
 *
 * - `later`: Not now.
 * - `too_fast`: The clock is too fast.
 * - `too_slow`: The clock is too slow.
 * - `rated`: The game should be rated.
 * - `casual`: The game should be casual.
 * - `game`: Another game is preferred.
 * - `options`: Other options are preferred.
 * - `no_bot`: Bots are not welcome.
 * - `busy`: The user plays too many games already.
 * - `generic`: No reason was given.
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
 * The id of a game.
 */
export type GameId = string;
/**
 * A result of a game from the side of one of its players.
 *
 * - `won`: The player alone won.
 * - `lost`: Another player won.
 * - `drawn`: The player shared the first place.
 */
export type SoughtResult = "won" | "lost" | "drawn";
/**
 * The state of the games in a list.
 *
 * - `live`: The game is live.
 * - `finished`: The game has ended.
 */
export type GameState = "live" | "finished";
/**
 * A place in the standings, from which the next page goes on; opaque to clients.
 */
export type StandingsCursor = string;
/**
 * Who plays a game.
 *
 * - `people`: Only people.
 * - `bots`: Only bots.
 * - `mixed`: Both people and bots.
 */
export type Opponents = "people" | "bots" | "mixed";
/**
 * The kinds of offers.
 *
 * - `draw`: A draw.
 * - `takeback`: Taking back the last move of the seat that offers.
 * - `abort`: Aborting the game.
 * - `substitute`: A computer on the seat of a player who leaves. Only the server offers it.
 */
export type OfferKind = "draw" | "takeback" | "abort" | "substitute";
/**
 * Names an offer within its game: `o_` and a number counted from 1.
 */
export type OfferId = string;
/**
 * The kinds of claims.
 *
 * - `abandoned`: A player is away and does not come back.
 */
export type ClaimKind = "abandoned";
/**
 * The level of one of the server's own bots.
 *
 * - `easy`: Level 1 plays random legal moves.
 * - `level2`: Level 2 often prefers a better move.
 * - `level3`: Level 3 is the first that takes and stops every win in one.
 * - `medium`: Level 4 looks about one move ahead.
 * - `level5`: Level 5 and those above it look further and further ahead.
 * - `level6`: Level 6.
 * - `level7`: Level 7.
 * - `hard`: Level 8 looks as far ahead as it can.
 */
export type HouseLevel =
  "easy" | "level2" | "level3" | "medium" | "level5" | "level6" | "level7" | "hard";
/**
 * One of the two talk rooms of a game.
 *
 * - `players`: The room of the players.
 * - `spectators`: The room of the spectators, and of all users after the end.
 */
export type TalkRoom = "players" | "spectators";
/**
 * What a report is about.
 *
 * - `cheating`: A player gets help, or loses on purpose.
 * - `abuse`: Insults or threats.
 * - `spam`: Advertisement, or talk that floods a game.
 * - `stalling`: A player lets the opponent wait instead of losing.
 * - `name`: A name that offends, or that is somebody else's.
 * - `other`: Anything else.
 */
export type ReportReason = "cheating" | "abuse" | "spam" | "stalling" | "name" | "other";
/**
 * Who may challenge a user.
 *
 * - `all`: Every user.
 * - `accounts`: Users with an account, and their bots.
 * - `none`: No user.
 */
export type Challengers = "all" | "accounts" | "none";
/**
 * Messages to a client, by type
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
  | Event;
/**
 * The direction of a challenge.
 *
 * - `in`: To the client's user.
 * - `out`: By the client's user.
 */
export type Direction = "in" | "out";
/**
 * How the server resumes a game after a (re)connect.
 *
 * - `tail`: The missing events follow.
 * - `snapshot`: A snapshot follows.
 * - `fork`: The client's history differs from the server's. The client forgets it; a snapshot follows.
 * - `gone`: The game does not exist.
 */
export type ResumeDecision = "tail" | "snapshot" | "fork" | "gone";
/**
 * The public half of a server's key.
 */
export type PublicKey = string;
/**
 * Why a game ended or was aborted.
 *
 * - `aborted`: The game was aborted and has no result.
 * - `last_player`: One player was left.
 * - `two_pieces`: Two pieces were left that do not see each other.
 * - `connected`: Two edges were connected.
 * - `aligned`: Two like pieces stood opposite each other.
 * - `stuck`: No side could move.
 * - `repetition`: The same position occurred for the third time.
 * - `too_long`: The game reached the longest length that is allowed.
 * - `agreement`: The players agreed.
 * - `resigned`: The last opponent resigned.
 * - `timed_out`: The last opponent's clock ran out.
 * - `abandoned`: The last opponent went away.
 * - `ruling`: An operator of the server has decided.
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
  | "abandoned"
  | "ruling";
/**
 * Why a request failed.
 *
 * - `bad_json`: The frame is not a JSON object.
 * - `bad_message`: A field is missing, of the wrong kind or out of its bounds.
 * - `unknown_type`: The server does not know the type.
 * - `too_large`: The frame or a field is larger than allowed.
 * - `proto_unsupported`: Server and client share no version of the protocol.
 * - `unauthorized`: The name, password or token is wrong.
 * - `forbidden`: The user is not allowed to do this.
 * - `blocked`: One of the two users has blocked the other.
 * - `not_accepting`: The user accepts no such challenges.
 * - `name_taken`: The name is taken.
 * - `not_found`: There is no such game, seek, challenge or user.
 * - `not_a_player`: The user does not play in this game.
 * - `not_your_turn`: Another seat is to move.
 * - `stale_turn`: The turn of the request is over.
 * - `illegal_move`: The rules do not allow the move.
 * - `game_over`: The game has ended.
 * - `no_such_offer`: There is no such open offer.
 * - `id_reuse`: The id was used for another request.
 * - `too_soon`: Not allowed yet.
 * - `busy`: All workers are busy.
 * - `rate_limited`: The client exceeded a rate limit.
 * - `overloaded`: A queue inside the server is full.
 * - `read_only`: The server accepts no changes at present.
 * - `internal`: The server failed. Sending the request again settles whether it succeeded.
 * - `banned`: The user, the user's owner or the address is banned, or the account is closed.
 * - `sign_up_closed`: The server takes no new accounts or no new guests at present, or an invitation is needed.
 * - `maintenance`: No game begins, because the server is about to be restarted.
 * - `silenced`: An operator has silenced the user, or the user's owner.
 */
export type ErrorCode =
  | "bad_json"
  | "bad_message"
  | "unknown_type"
  | "too_large"
  | "proto_unsupported"
  | "unauthorized"
  | "forbidden"
  | "blocked"
  | "not_accepting"
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
  | "internal"
  | "banned"
  | "sign_up_closed"
  | "maintenance"
  | "silenced";
/**
 * What a client should do after an error.
 *
 * - `never`: The same request will never succeed.
 * - `same`: The same request may be sent again immediately.
 * - `after`: The same request may be sent again after `retry_after_ms`.
 * - `resync`: Fetch the game again, then decide.
 */
export type Retry = "never" | "same" | "after" | "resync";
/**
 * Covers everything that the rules remember of a position: 16 hex digits.
 */
export type PositionHash = string;
/**
 * Why a seat left the game.
 *
 * - `no_pieces`: Its last piece was captured.
 * - `no_move`: It could not move.
 * - `resigned`: It resigned.
 * - `timed_out`: Its clock ran out.
 * - `abandoned`: Its player went away.
 */
export type LeaveReason = "no_pieces" | "no_move" | "resigned" | "timed_out" | "abandoned";
/**
 * Why a snapshot came without a request.
 *
 * - `lagged`: The client read too slowly for every event.
 * - `resumed`: It follows a `hello`.
 */
export type SnapshotReason = "lagged" | "resumed";
/**
 * Whether a seat still plays, or why it left.
 *
 * - `in`: The seat plays.
 * - `no_pieces`: Its last piece was captured.
 * - `no_move`: It could not move.
 * - `resigned`: It resigned.
 * - `timed_out`: Its clock ran out.
 * - `abandoned`: Its player went away.
 */
export type SeatState = "in" | "no_pieces" | "no_move" | "resigned" | "timed_out" | "abandoned";
/**
 * The algorithm of a signature.
 *
 * - `ed25519`: Ed25519, as in RFC 8032.
 */
export type Algorithm = "ed25519";
/**
 * A signature with such a key.
 */
export type SignatureBytes = string;
/**
 * The role of a cell in a move.
 *
 * - `from`: Pieces leave it.
 * - `to`: Pieces arrive at it.
 */
export type CellRole = "from" | "to";
/**
 * The kinds of option values.
 *
 * - `flag`: True or false; false by default.
 * - `number`: A whole number.
 * - `word`: A word.
 */
export type GameOptionKind = "flag" | "number" | "word";
/**
 * Why a challenge was closed without a game. All reasons but the first two mean that a user
 * declined it.
 *
 * - `cancelled`: The challenger cancelled it.
 * - `expired`: It was not answered in time.
 * - `later`: Not now.
 * - `too_fast`: The clock is too fast.
 * - `too_slow`: The clock is too slow.
 * - `rated`: The game should be rated.
 * - `casual`: The game should be casual.
 * - `game`: Another game is preferred.
 * - `options`: Other options are preferred.
 * - `no_bot`: Bots are not welcome.
 * - `busy`: The user plays too many games already.
 * - `generic`: No reason was given.
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
 * What perfect play comes to for the side to move.
 *
 * - `win`: It wins.
 * - `draw`: Nobody can force a win.
 * - `loss`: It loses.
 */
export type OracleValue = "win" | "draw" | "loss";
/**
 * How much of the chance to win a move lost.
 *
 * - `good`: Less than a tenth.
 * - `inaccuracy`: At least a tenth.
 * - `mistake`: At least a fifth.
 * - `blunder`: At least three tenths.
 */
export type MoveVerdict = "good" | "inaccuracy" | "mistake" | "blunder";
/**
 * How far the analysis of a game is.
 *
 * - `queued`: Others come first.
 * - `running`: Its positions are being searched.
 * - `done`: It is complete.
 */
export type AnalysisState = "queued" | "running" | "done";
/**
 * What operators did about a report.
 *
 * - `acted`: They acted on it.
 * - `dismissed`: They saw nothing to act on.
 */
export type ReportOutcome = "acted" | "dismissed";
/**
 * The kinds of notices.
 *
 * - `restart`: The server restarts. Connections close with 1012.
 * - `maintenance`: The operator has planned a restart. From then on no game begins.
 * - `maintenance_cancelled`: The planned restart is cancelled.
 * - `message`: A text of the operator.
 * - `warning`: An operator warns the user.
 * - `silenced`: An operator has silenced the user.
 * - `report_closed`: A report of the user is closed.
 * - `game_annulled`: An operator has annulled the result of a game of the user.
 * - `game_ruled`: An operator has ended a game of the user by a ruling.
 */
export type NoticeKind =
  | "restart"
  | "maintenance"
  | "maintenance_cancelled"
  | "message"
  | "warning"
  | "silenced"
  | "report_closed"
  | "game_annulled"
  | "game_ruled";
/**
 * A record of a game, by kind. Receivers ignore unknown kinds.
 */
export type Event =
  | Created
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
  | Rated;
/**
 * How an offer ended.
 *
 * - `accepted`: All seats agreed.
 * - `declined`: A seat declined.
 * - `withdrawn`: The seat withdrew it.
 * - `moved`: A move closed it.
 */
export type OfferOutcome = "accepted" | "declined" | "withdrawn" | "moved";
/**
 * Why a clock was adjusted.
 *
 * - `outage`: The server was down, or the player was not back after it.
 * - `arrival`: The player with the first turn had not been sent the game yet.
 */
export type AdjustReason = "outage" | "arrival";
/**
 * Why a game was aborted.
 *
 * - `by_player`: A player aborted it before each side had moved.
 * - `agreed`: All remaining seats agreed to it.
 * - `no_show`: A side made no first move: not in time, or it had gone and another claimed that.
 * - `ruling`: An operator of the server has decided.
 */
export type AbortReason = "by_player" | "agreed" | "no_show" | "ruling";
/**
 * Why a game ended.
 *
 * - `last_player`: One player was left.
 * - `two_pieces`: Two pieces were left that do not see each other.
 * - `connected`: Two edges were connected.
 * - `aligned`: Two like pieces stood opposite each other.
 * - `stuck`: No side could move.
 * - `repetition`: The same position occurred for the third time.
 * - `too_long`: The game reached the longest length that is allowed.
 * - `agreement`: The players agreed.
 * - `resigned`: The last opponent resigned.
 * - `timed_out`: The last opponent's clock ran out.
 * - `abandoned`: The last opponent went away.
 * - `ruling`: An operator of the server has decided.
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
  | "abandoned"
  | "ruling";

/**
 * Opens the session.
 */
export interface Hello {
  /**
   * The user's credentials. Without them the session may watch and sign up, but not play.
   */
  auth?: Auth;
  /**
   * Optional capabilities that the client asks for.
   */
  caps?: string[];
  /**
   * The name and version of the client program.
   */
  client?: Software;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The versions of the protocol that the client speaks.
   *
   * @minItems 1
   */
  proto: number[];
  /**
   * The client's cursors, by game id.
   */
  resume?: {
    [k: string]: Cursor;
  };
  type: "hello";
}
/**
 * The secret of an earlier session or of `token_create`.
 */
export interface TokenAuth {
  /**
   * The token.
   */
  token: string;
}
/**
 * Name and password.
 */
export interface PasswordAuth {
  /**
   * The password.
   */
  password: string;
  user: UserName;
}
/**
 * A guest of that name.
 */
export interface GuestAuth {
  /**
   * Whether the guest is a bot.
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
 * The last event that a client knows of a game.
 */
export interface Cursor {
  /**
   * The chain of that event.
   */
  chain?: Chain;
  /**
   * The seq of that event.
   */
  seq: number;
}
/**
 * Creates an account, or turns the guest of this session into one.
 */
export interface Signup {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The invitation, where the server asks for one.
   */
  invitation?: string;
  /**
   * The new password.
   */
  password: string;
  type: "signup";
  /**
   * The name of the account.
   */
  user: UserName;
}
/**
 * Creates a token. Its secret is sent only once.
 */
export interface TokenCreate {
  /**
   * Whether sessions with this token are a bot's.
   */
  bot?: boolean;
  /**
   * The expiry in epoch milliseconds.
   */
  expires?: number;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The purpose of the token, in the user's words.
   */
  label: string;
  type: "token_create";
  /**
   * The user's bot that the token is for, if it is for one.
   */
  user?: UserName;
}
/**
 * Lists tokens.
 */
export interface TokenList {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "token_list";
  /**
   * The user's bot whose tokens to list, if not the user's own.
   */
  user?: UserName;
}
/**
 * Ends a token and all sessions with that token.
 */
export interface TokenRevoke {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * A token of the user or of one of the user's bots.
   */
  token: TokenId;
  type: "token_revoke";
}
/**
 * Ends the token of this session, and all sessions with that token.
 */
export interface Logout {
  /**
   * Whether a guest, who cannot log in again, resigns from live games.
   */
  forget?: boolean;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "logout";
}
/**
 * Changes the password and ends the sessions of the old one.
 */
export interface PasswordChange {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The new password.
   */
  new: string;
  /**
   * The old password.
   */
  old: string;
  /**
   * Whether the tokens of programs end, too.
   */
  revoke_all?: boolean;
  type: "password_change";
}
/**
 * Gives the account a new recovery code, in place of the last one.
 */
export interface RecoveryCode {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The password of the account.
   */
  password: string;
  type: "recovery_code";
}
/**
 * Sets the mail address of the account, to which the server sends a code, or deletes it.
 */
export interface MailSet {
  /**
   * The address; absent to delete the one that the account has.
   */
  address?: string;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The password of the account.
   */
  password: string;
  type: "mail_set";
}
/**
 * Confirms a mail address with the code that the server has sent to it.
 */
export interface MailConfirm {
  /**
   * The code from the mail.
   */
  code: string;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "mail_confirm";
}
/**
 * Requests the mail address of the account.
 */
export interface MailGet {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "mail_get";
}
/**
 * Asks for a code to set a new password with, sent to the mail address of an account.
 */
export interface PasswordMail {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "password_mail";
  /**
   * The name of the account.
   */
  user: UserName;
}
/**
 * Closes the account and those of its bots for good.
 */
export interface AccountClose {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The password of the account.
   */
  password: string;
  type: "account_close";
}
/**
 * Sets a new password with the account's recovery code or a code from the server's operator, and
 * ends all sessions of the account and its bots.
 */
export interface PasswordReset {
  /**
   * The code, which is valid once.
   */
  code: string;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The new password.
   */
  new: string;
  type: "password_reset";
  /**
   * The name of the account.
   */
  user: UserName;
}
/**
 * Creates an account for a bot, which belongs to this session's user.
 */
export interface BotCreate {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The name of the bot.
   */
  name: UserName;
  type: "bot_create";
}
/**
 * Lists the user's bots.
 */
export interface BotList {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "bot_list";
}
/**
 * Lists the bot in the directory until the session ends, or changes what it says there.
 */
export interface BotStatus {
  /**
   * Which challenges the bot accepts. Without it the directory lists the bot no longer.
   */
  accepts?: AcceptanceGiven;
  /**
   * How many more games the bot would begin at present.
   */
  free?: number;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "bot_status";
}
/**
 * Which challenges a bot accepts. What is absent is not restricted.
 */
export interface AcceptanceGiven {
  /**
   * The kinds of opponents. By default `{"bots":true,"guests":true}`.
   */
  allow?: AllowGiven;
  /**
   * The kinds of clocks; all if the list is empty.
   *
   * @maxItems 5
   */
  clocks?: ClockMode[];
  /**
   * Whether the bot may decline options other than a game's default ones.
   */
  default_options?: boolean;
  /**
   * The games; all if the list is empty.
   *
   * @maxItems 16
   */
  games?: AcceptedGame[];
  /**
   * The average time for a move.
   */
  pace?: PaceRange;
  /**
   * Only rated games, or only others.
   */
  rated?: boolean;
  /**
   * The opponents' ratings.
   */
  rating?: RatingRange;
}
/**
 * The opponents that a seeker accepts.
 */
export interface AllowGiven {
  /**
   * Whether bots may accept.
   */
  bots?: boolean;
  /**
   * Whether guests may accept.
   */
  guests?: boolean;
}
/**
 * A game that a bot accepts.
 */
export interface AcceptedGame {
  /**
   * The number of players; any if absent.
   */
  players?: number;
  /**
   * The game.
   */
  rules: RulesName;
}
/**
 * The average time for a move: that of a move, or a fortieth of the main time with the increment
 * or the period. Without a clock it is endless.
 */
export interface PaceRange {
  /**
   * The longest, in milliseconds.
   */
  max_ms?: number;
  /**
   * The shortest, in milliseconds.
   */
  min_ms?: number;
}
/**
 * The ratings that a seeker accepts, in the game that is sought. A user without a rating counts as
 * one with the first rating, 1500.
 */
export interface RatingRange {
  /**
   * The highest rating.
   */
  max?: number;
  /**
   * The lowest rating.
   */
  min?: number;
}
/**
 * Lists the bots that are connected and accept challenges, in the order of their names.
 */
export interface Directory {
  /**
   * The last entry of the page before.
   */
  before?: UserName;
  /**
   * Only bots that would begin a game at present.
   */
  free?: boolean;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The most entries to return.
   */
  limit?: number;
  /**
   * Only bots that accept games with this number of players.
   */
  players?: number;
  /**
   * Only bots that accept this game.
   */
  rules?: RulesName;
  type: "directory";
}
/**
 * Stores the push subscription of this browser. It ends with the token of this session.
 */
export interface PushSubscribe {
  /**
   * The authentication secret of the subscription in base64url: 16 bytes.
   */
  auth: string;
  /**
   * The URL of the push service, with `https`.
   */
  endpoint: string;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The public key of the subscription in base64url: an uncompressed point of P-256.
   */
  p256dh: string;
  type: "push_subscribe";
}
/**
 * Deletes a push subscription of the user.
 */
export interface PushUnsubscribe {
  /**
   * The URL that it was stored with.
   */
  endpoint: string;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "push_unsubscribe";
}
/**
 * Lists the user's push subscriptions.
 */
export interface PushList {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "push_list";
}
/**
 * Sets the webhook of the user, or of a bot of the user. Replaces an earlier one.
 */
export interface WebhookSet {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "webhook_set";
  /**
   * The URL to which the server sends notifications, with `https`.
   */
  url: string;
  /**
   * The user's bot whose webhook to set, if not the user's own.
   */
  user?: UserName;
}
/**
 * Requests the webhook of the user, or of a bot of the user.
 */
export interface WebhookGet {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "webhook_get";
  /**
   * The user's bot whose webhook to show, if not the user's own.
   */
  user?: UserName;
}
/**
 * Deletes the webhook of the user, or of a bot of the user.
 */
export interface WebhookDelete {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "webhook_delete";
  /**
   * The user's bot whose webhook to delete, if not the user's own.
   */
  user?: UserName;
}
/**
 * Requests the games that can be played, with their numbers of players and options.
 */
export interface Catalogue {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "catalogue";
}
/**
 * Opens a seek.
 */
export interface Seek {
  /**
   * The opponents that the seeker accepts. By default `{"bots":true,"guests":true}`.
   */
  allow?: AllowGiven;
  /**
   * The time control. By default `{"mode":"none"}`.
   */
  clock?: TimeControl;
  /**
   * The number of moves that spectators are behind.
   */
  delay?: number;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * Whether the seek outlives the connection. Only games without a running clock allow it.
   */
  lasting?: boolean;
  /**
   * Its options. By default `{}`.
   */
  options?: Options;
  /**
   * The number of players, the seeker included.
   */
  players?: number;
  /**
   * Whether the game is rated.
   */
  rated?: boolean;
  /**
   * The ratings that the seeker accepts.
   */
  rating?: RatingRange;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * The seat that the seeker prefers. By default `"random"`.
   */
  seat?: SeatWish;
  type: "seek";
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * No limit.
 */
export interface NoClock {
  mode: "none";
}
/**
 * A time for the game, and an increment for each move.
 */
export interface FischerClock {
  /**
   * The main time in milliseconds.
   */
  base_ms: number;
  /**
   * The increment after each move in milliseconds.
   */
  inc_ms: number;
  mode: "fischer";
}
/**
 * A time for each move.
 */
export interface PerMoveClock {
  mode: "per_move";
  /**
   * The time for one move.
   */
  move_ms: number;
}
/**
 * A main time, then periods. A move within a period restores it.
 */
export interface ByoyomiClock {
  /**
   * The main time.
   */
  base_ms: number;
  mode: "byoyomi";
  /**
   * The length of a period in milliseconds.
   */
  period_ms: number;
  /**
   * The number of periods after the main time.
   */
  periods: number;
}
/**
 * Days for each move.
 */
export interface DaysClock {
  mode: "days";
  /**
   * The time for one move.
   */
  per_move_days: number;
}
/**
 * Closes a seek.
 */
export interface Unseek {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The seek.
   */
  seek: SeekId;
  type: "unseek";
}
/**
 * Challenges other users.
 */
export interface Challenge {
  /**
   * The time control. By default `{"mode":"none"}`.
   */
  clock?: TimeControl;
  /**
   * The number of moves that spectators are behind.
   */
  delay?: number;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * Its options. By default `{}`.
   */
  options?: Options;
  /**
   * Whether the game is rated.
   */
  rated?: boolean;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * The users by seat: the challenger included, or server bots alone.
   *
   * @minItems 2
   * @maxItems 3
   */
  seats: UserName[];
  /**
   * Whether the seats are shuffled.
   */
  shuffle?: boolean;
  type: "challenge";
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * Accepts a seek, a challenge or an invite. Exactly one of the three is given.
 */
export interface Accept {
  /**
   * The challenge to accept.
   */
  challenge?: ChallengeId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The invite to accept.
   */
  invite?: InviteId;
  /**
   * The seek to accept.
   */
  seek?: SeekId;
  type: "accept";
}
/**
 * Declines a challenge.
 */
export interface Decline {
  /**
   * The challenge.
   */
  challenge: ChallengeId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The reason. By default `"generic"`.
   */
  reason?: DeclineReason;
  type: "decline";
}
/**
 * Cancels the user's own challenge or invite, or leaves an invite that the user has joined.
 * Exactly one of the two is given.
 */
export interface Cancel {
  /**
   * The challenge.
   */
  challenge?: ChallengeId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The invite.
   */
  invite?: InviteId;
  type: "cancel";
}
/**
 * Lists the open challenges to and by the client's user, the newest first.
 */
export interface Challenges {
  /**
   * The last entry of the page before.
   */
  before?: ChallengeId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The most entries to return.
   */
  limit?: number;
  type: "challenges";
}
/**
 * Makes an invite: every user who knows its id may accept it.
 */
export interface Invite {
  /**
   * The time control. By default `{"mode":"none"}`.
   */
  clock?: TimeControl;
  /**
   * The number of moves that spectators are behind.
   */
  delay?: number;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * Its options. By default `{}`.
   */
  options?: Options;
  /**
   * The number of players, the inviting user included.
   */
  players?: number;
  /**
   * Whether the game is rated.
   */
  rated?: boolean;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * The seat that the inviting user prefers. By default `"random"`.
   */
  seat?: SeatWish;
  type: "invite";
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * Lists the user's own open invites, the newest first.
 */
export interface Invites {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "invites";
}
/**
 * Requests an invite by its id.
 */
export interface InviteInfo {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The invite.
   */
  invite: InviteId;
  type: "invite_info";
}
/**
 * Lists the open seeks, and subscribes to their changes or unsubscribes.
 */
export interface Lobby {
  /**
   * The oldest seek of the page before.
   */
  before?: SeekId;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "lobby";
  /**
   * Whether to send changes from now on.
   */
  watch?: boolean;
}
/**
 * Lists games, the newest first.
 */
export interface Games {
  /**
   * The last entry of the page before.
   */
  before?: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The most entries to return.
   */
  limit?: number;
  /**
   * Among finished games of `user`: only those against this user.
   */
  opponent?: UserName;
  /**
   * The number of players; any if absent.
   */
  players?: number;
  /**
   * Among finished games: only rated ones, or only others.
   */
  rated?: boolean;
  /**
   * Among finished games of `user`: only those with this result for `user`.
   */
  result?: SoughtResult;
  /**
   * The kind of games to list; all kinds if absent.
   */
  rules?: RulesName;
  /**
   * Whether to list live or finished games. By default `"live"`.
   */
  state?: GameState;
  type: "games";
  /**
   * The user whose games to list; all games if absent.
   */
  user?: UserName;
}
/**
 * Lists the players of a game, strongest first.
 */
export interface Standings {
  /**
   * The place at which the page before ended: its `next`.
   */
  before?: StandingsCursor;
  /**
   * Lists only bots, or only people; both if absent. Places are those among the users listed.
   */
  bot?: boolean;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The most entries to return.
   */
  limit?: number;
  /**
   * The number of players; by default the smallest that the game allows.
   */
  players?: number;
  /**
   * The game.
   */
  rules: RulesName;
  type: "standings";
}
/**
 * Requests the statistics of a game.
 */
export interface Stats {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * Counts only the games between such players; all if absent.
   */
  opponents?: Opponents;
  /**
   * The number of players; by default the smallest that the game allows.
   */
  players?: number;
  /**
   * The game.
   */
  rules: RulesName;
  type: "stats";
}
/**
 * Requests a user's profile.
 */
export interface User {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The user.
   */
  name: UserName;
  type: "user";
}
/**
 * Lists a user's finished games, most recently ended first.
 */
export interface History {
  /**
   * The last entry of the page before.
   */
  before?: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The most entries to return.
   */
  limit?: number;
  /**
   * The kind of games to list; all kinds if absent.
   */
  rules?: RulesName;
  type: "history";
  /**
   * The user.
   */
  user: UserName;
}
/**
 * Subscribes to a game.
 */
export interface Watch {
  /**
   * The seq from which to replay events; absent for a snapshot.
   */
  from?: number;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * Whether to be named among the spectators; by default as in `hello`.
   */
  named?: boolean;
  type: "watch";
}
/**
 * Unsubscribes from a game.
 */
export interface Unwatch {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "unwatch";
}
/**
 * Requests the server's signature of the game's present record.
 */
export interface Signature {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "signature";
}
/**
 * Requests the board to draw: of a game, or of a kind of game.
 */
export interface Layout {
  /**
   * The game. Without it `rules` names the kind of game.
   */
  game?: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * Its options. By default `{}`.
   */
  options?: Options;
  /**
   * How many play it.
   */
  players?: number;
  /**
   * The kind of game, without `game`.
   */
  rules?: RulesName;
  type: "layout";
}
/**
 * Requests the cells that can be picked, the targets of one cell, and the completions of a sketch.
 */
export interface Hints {
  /**
   * Whether the answer has the board with the sketch.
   */
  board?: boolean;
  /**
   * The cell whose targets to return.
   */
  from?: string;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The partial move to complete.
   */
  sketch?: Sketch;
  type: "hints";
}
/**
 * A partial move: the cells picked so far, in order.
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
 * A picked cell.
 */
export interface SketchCell {
  /**
   * The cell.
   */
  cell: string;
  /**
   * One of the cell's choices.
   */
  choice?: string;
  /**
   * The number of its pieces that take part.
   */
  pieces?: number;
}
/**
 * Requests the legal moves of the side to move, page by page.
 */
export interface Moves {
  /**
   * The move after which to continue: `next` of the page before, or any legal move.
   */
  after?: string;
  /**
   * The cell that the moves start from; any if absent.
   */
  from?: string;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The most entries to return.
   */
  limit?: number;
  type: "moves";
}
/**
 * Checks whether a move would be legal, and returns what would follow. It records nothing.
 */
export interface Try {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The move in the game's notation.
   */
  move: string;
  /**
   * The turn as the client knows it. The server rejects a stale one.
   */
  turn: number;
  type: "try";
}
/**
 * Makes a move.
 */
export interface Move {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The move in the game's notation.
   */
  move: string;
  /**
   * The turn as the client knows it. The server rejects a stale one.
   */
  turn: number;
  type: "move";
}
/**
 * Resigns.
 */
export interface Resign {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "resign";
}
/**
 * Aborts the game before each side has moved.
 */
export interface Abort {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "abort";
}
/**
 * Offers a draw, a takeback or an abort to the opponents.
 */
export interface Offer {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "offer";
  /**
   * The kind.
   */
  what: OfferKind;
}
/**
 * Accepts or declines an offer.
 */
export interface Answer {
  /**
   * Whether to accept.
   */
  accept: boolean;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The offer.
   */
  offer: OfferId;
  type: "answer";
}
/**
 * Withdraws the user's own offer.
 */
export interface Withdraw {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The offer.
   */
  offer: OfferId;
  type: "withdraw";
}
/**
 * Claims the game from a player who is away.
 */
export interface Claim {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The seat that is away, if it is ambiguous.
   */
  seat?: number;
  type: "claim";
  /**
   * The kind.
   */
  what: ClaimKind;
}
/**
 * Challenges the same players to the same game again.
 */
export interface Rematch {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "rematch";
}
/**
 * Requests the positions of a game by ply.
 */
export interface Positions {
  /**
   * The first ply. 0 is the position before the first move.
   */
  from_ply?: number;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The most entries to return.
   */
  limit?: number;
  type: "positions";
}
/**
 * Requests the position after moves that are tried on a game, or on the beginning of a kind of
 * game. The server stores nothing of it.
 */
export interface Explore {
  /**
   * The game to begin from. Without it `rules` names the kind of game.
   */
  game?: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The moves to try, in order.
   *
   * @maxItems 512
   */
  moves?: string[];
  /**
   * The level whose opinion of the position the answer has.
   */
  opinion?: HouseLevel;
  /**
   * Its options. By default `{}`.
   */
  options?: Options;
  /**
   * Whether the answer says what perfect play comes to, where that is known.
   */
  oracle?: boolean;
  /**
   * How many play it.
   */
  players?: number;
  /**
   * The ply of that game to begin from; its last one if absent.
   */
  ply?: number;
  /**
   * The kind of game, without `game`.
   */
  rules?: RulesName;
  /**
   * A partial move to complete in the position after them.
   */
  sketch?: Sketch;
  /**
   * Whether the answer has the first steps of the next move.
   */
  steps?: boolean;
  type: "explore";
}
/**
 * Requests the analysis of a finished game of two. If there is none yet, the server makes one.
 */
export interface Analyse {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "analyse";
}
/**
 * Returns the featured game of a kind, and subscribes to changes or unsubscribes.
 */
export interface Tv {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The kind of game.
   */
  rules: RulesName;
  type: "tv";
  /**
   * Whether to send changes from now on.
   */
  watch?: boolean;
}
/**
 * Lists the live games with their boards, and subscribes to changes or unsubscribes.
 */
export interface Live {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * Whether to send as many games as allowed instead of a small selection.
   */
  many?: boolean;
  /**
   * The kind of games to list; all kinds if absent.
   */
  rules?: RulesName;
  type: "live";
  /**
   * Whether to send changes from now on.
   */
  watch?: boolean;
}
/**
 * Sends a line of talk about a game.
 */
export interface Say {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The room.
   */
  room: TalkRoom;
  /**
   * The text.
   */
  text: string;
  type: "say";
}
/**
 * Deletes a line of talk.
 */
export interface Unsay {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The line's number.
   */
  n: number;
  /**
   * The room.
   */
  room: TalkRoom;
  type: "unsay";
}
/**
 * Requests the last lines of talk, or those before a line.
 */
export interface Talk {
  /**
   * The first line of the page before. Earlier lines follow.
   */
  before?: number;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The most entries to return.
   */
  limit?: number;
  /**
   * The room.
   */
  room: TalkRoom;
  type: "talk";
}
/**
 * Mutes a user.
 */
export interface Mute {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "mute";
  /**
   * The user.
   */
  user: UserName;
}
/**
 * Unmutes a user.
 */
export interface Unmute {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "unmute";
  /**
   * The user.
   */
  user: UserName;
}
/**
 * Lists the users that the user has muted.
 */
export interface Mutes {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "mutes";
}
/**
 * Blocks a user: neither may challenge the other, and the talk of the blocked user is hidden.
 */
export interface Block {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "block";
  /**
   * The user.
   */
  user: UserName;
}
/**
 * Unblocks a user.
 */
export interface Unblock {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "unblock";
  /**
   * The user.
   */
  user: UserName;
}
/**
 * Lists the users that the user has blocked.
 */
export interface Blocks {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "blocks";
}
/**
 * Reports a user, a game or both to the operators.
 */
export interface Report {
  /**
   * The game in which it happened. The server adds its state and its last lines of talk.
   */
  game?: GameId;
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * What it is about.
   */
  reason: ReportReason;
  /**
   * What has happened, in the user's words.
   */
  text: string;
  type: "report";
  /**
   * The user; absent for a game as a whole.
   */
  user?: UserName;
}
/**
 * The user has read a notice with a number, and those before it.
 */
export interface NoticeSeen {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The number of the notice.
   */
  n: number;
  type: "notice_seen";
}
/**
 * Requests the user's settings.
 */
export interface SettingsGet {
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "settings_get";
}
/**
 * Changes the settings that are given.
 */
export interface SettingsSet {
  /**
   * Who may challenge the user.
   */
  challenges?: Challengers;
  /**
   * The id of the request.
   */
  id: RequestId;
  type: "settings_set";
}
/**
 * Measures the round trip to the server and the difference of the clocks.
 */
export interface Ping {
  /**
   * The id of the request.
   */
  id: RequestId;
  /**
   * The client's time. The answer returns it unchanged.
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
   * The number of all challenges, if `challenges` is incomplete.
   */
  challenges_total?: number;
  /**
   * The absence of a player after which the others may claim the game.
   */
  claim_after?: ClaimAfter;
  /**
   * The durability of an acknowledged move: `fsync` survives a power cut.
   */
  durability: string;
  /**
   * Every live game of the user.
   */
  games: ResumedGame[];
  /**
   * The heartbeat of the connection.
   */
  heartbeat: Heartbeat;
  /**
   * The public keys that the server has signed records with, the present one first.
   */
  keys?: PublicKey[];
  /**
   * The limits of the server.
   */
  limits: Limits;
  /**
   * Whether the server sends mail, so that an account can have an address.
   */
  mail?: boolean;
  /**
   * The version that is spoken from here on.
   */
  proto: number;
  /**
   * What a browser needs to subscribe; absent if the server sends no push messages.
   */
  push?: PushKey;
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
   * The id of the session in the server's logs.
   */
  session: string;
  /**
   * The settings of the user.
   */
  settings?: UserSettings;
  /**
   * The secret to reconnect with, after a log-in by password or as a guest.
   */
  token?: string;
  /**
   * The server's time in epoch milliseconds.
   */
  ts: number;
  type: "welcome";
  /**
   * The user; `null` without credentials.
   */
  user: Me | null;
}
/**
 * An open challenge in a list.
 */
export interface OpenChallenge {
  /**
   * The users who have accepted so far.
   */
  accepted: UserName[];
  /**
   * Whether the user is a bot.
   */
  bot?: boolean;
  /**
   * The challenger.
   */
  by: UserName;
  /**
   * The id of the challenge.
   */
  challenge: ChallengeId;
  /**
   * The time control.
   */
  clock: TimeControl;
  /**
   * The time of creation in epoch milliseconds.
   */
  created: number;
  /**
   * The number of moves that spectators are behind while the game is live.
   */
  delay?: number;
  /**
   * The direction. By default `"in"`.
   */
  direction: Direction;
  /**
   * The time at which it expires, in epoch milliseconds.
   */
  expires: number;
  /**
   * Whether the user is a guest.
   */
  guest?: boolean;
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * Whether the game is rated.
   */
  rated: boolean;
  /**
   * The game of which this is a rematch.
   */
  rematch_of?: GameId;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * The users by seat.
   */
  seats: UserName[];
  /**
   * Whether the seats are shuffled.
   */
  shuffle: boolean;
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * The absence on a player's turn after which the others may claim the game. Games with days for
 * each move allow no claims.
 */
export interface ClaimAfter {
  /**
   * With clocks, in milliseconds.
   */
  timed_ms: number;
  /**
   * Without clocks, in milliseconds.
   */
  untimed_ms: number;
}
/**
 * A game in the answer to `hello`.
 */
export interface ResumedGame {
  /**
   * The first seq that follows a `tail`.
   */
  from?: number;
  /**
   * The game.
   */
  game: GameId;
  /**
   * What follows.
   */
  resume: ResumeDecision;
  /**
   * The user's seat; absent for a spectator.
   */
  seat?: number;
}
/**
 * The heartbeat of a connection.
 */
export interface Heartbeat {
  /**
   * The silence after which the server closes a connection, in milliseconds.
   */
  idle_close_ms: number;
  /**
   * The interval of WebSocket pings, in milliseconds.
   */
  ping_every_ms: number;
}
/**
 * The limits of the server.
 */
export interface Limits {
  /**
   * Bots of one owner.
   */
  bots: number;
  /**
   * The burst of messages; 0 for no limit.
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
   * The sustained messages per second; 0 for no limit.
   */
  per_s: number;
  /**
   * Seeks of one user per minute; 0 for no limit.
   */
  seeks_per_min: number;
  /**
   * Sessions of one user.
   */
  sessions: number;
  /**
   * Log-in tokens of one user. The same number applies to tokens for programs.
   */
  tokens: number;
  /**
   * Games that one session may watch at the same time.
   */
  watched_games: number;
}
/**
 * What a browser needs to subscribe.
 */
export interface PushKey {
  /**
   * The server's public key in base64url, the `applicationServerKey` of a subscription.
   */
  key: string;
}
/**
 * The settings of a user.
 */
export interface UserSettings {
  /**
   * Who may challenge the user. By default `"all"`.
   */
  challenges: Challengers;
}
/**
 * The user of a session.
 */
export interface Me {
  /**
   * Whether the user is a bot.
   */
  bot: boolean;
  /**
   * Whether the user is a guest.
   */
  guest: boolean;
  /**
   * The name.
   */
  name: UserName;
  /**
   * The owner, if the user is a bot.
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
 * A request succeeded. Which fields are present depends on the request.
 */
export interface Done {
  /**
   * The pieces that the tried move would capture.
   */
  captures?: Capture[];
  /**
   * The challenge that it opened or accepted.
   */
  challenge?: ChallengeId;
  /**
   * Whether the request was a repetition and had succeeded before.
   */
  dup?: boolean;
  /**
   * The time at which the new invite expires, in epoch milliseconds.
   */
  expires?: number;
  /**
   * The game of the request, or the new game.
   */
  game?: GameId;
  /**
   * The invite that it made or accepted.
   */
  invite?: InviteId;
  /**
   * `true` for a tried move.
   */
  legal?: boolean;
  /**
   * The tried move in canonical notation.
   */
  move?: string;
  /**
   * The number of the new line of talk.
   */
  n?: number;
  /**
   * The new offer.
   */
  offer?: OfferId;
  /**
   * The position after the tried move.
   */
  position?: {
    [k: string]: string;
  };
  /**
   * The request that this answers.
   */
  re: RequestId;
  /**
   * The recovery code of the account, which sets a new password once. Sent only once.
   */
  recovery?: string;
  /**
   * The number of the report.
   */
  report?: number;
  /**
   * The result after the tried move.
   */
  result?: GameResult;
  /**
   * The secret that signs the requests to the new webhook, sent only once.
   */
  secret?: string;
  /**
   * The seek that it opened or joined.
   */
  seek?: SeekId;
  /**
   * The seq of the event that it caused.
   */
  seq?: number;
  /**
   * Cells with pieces that another seat could capture then, were it that seat's turn.
   */
  threatened?: string[];
  /**
   * The seat to move after the tried move; absent if the game would end.
   */
  to_move?: number;
  /**
   * The secret of a token, sent only once.
   */
  token?: string;
  /**
   * The id of that token.
   */
  token_id?: TokenId;
  /**
   * The turn counter after it.
   */
  turn?: number;
  type: "ok";
  /**
   * The new user.
   */
  user?: UserName;
}
/**
 * Pieces that a move captured.
 */
export interface Capture {
  /**
   * Their cell.
   */
  cell: string;
  /**
   * One letter per piece.
   */
  pieces: string;
  /**
   * The seat that they belonged to.
   */
  seat: number;
}
/**
 * How a game ended.
 */
export interface GameResult {
  /**
   * Each seat's place, from 1; empty for an aborted game.
   */
  places: number[];
  /**
   * The reason.
   */
  reason: ResultReason;
  /**
   * One seat, several for a draw, none for an aborted game.
   */
  winners: number[];
}
/**
 * A request failed, or a frame was not a request.
 */
export interface Failed {
  /**
   * The code for programs.
   */
  code: ErrorCode;
  /**
   * The game of the request.
   */
  game?: GameId;
  /**
   * Which of several tried moves failed, from 0.
   */
  index?: number;
  /**
   * The limit that was exceeded.
   */
  limit?: string;
  /**
   * One sentence for people.
   */
  message: string;
  /**
   * The protocol versions of the server, after an unknown one.
   */
  proto?: number[];
  /**
   * The request, if its id could be decoded.
   */
  re?: RequestId;
  /**
   * What the client should do.
   */
  retry: Retry;
  /**
   * The wait before sending it again, for `retry` `after`.
   */
  retry_after_ms?: number;
  /**
   * The present turn, after a stale one.
   */
  turn?: number;
  type: "error";
  /**
   * When the ban ends, in epoch milliseconds; absent if it does not.
   */
  until?: number;
  /**
   * The rule that an illegal move violates.
   */
  why?: string;
  /**
   * What the sentence names, by the names in the key's sentence.
   */
  why_args?: {
    [k: string]: OptionValue;
  };
  /**
   * The key of that rule, for translations.
   */
  why_key?: string;
}
/**
 * The state of a game at one event. The events after it follow without a gap.
 */
export interface Snapshot {
  /**
   * Whether an operator has annulled the result: it counts for nothing.
   */
  annulled?: boolean;
  /**
   * The time of that event in epoch milliseconds.
   */
  at: number;
  /**
   * The chain of that event.
   */
  chain: Chain;
  /**
   * The clocks.
   */
  clock: ClockState;
  /**
   * The number of moves that spectators are behind while the game is live.
   */
  delay?: number;
  /**
   * The game.
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
   * The connected players.
   */
  presence: SeatPresence[];
  /**
   * Whether the game is rated.
   */
  rated: boolean;
  /**
   * The request it answers, if any.
   */
  re?: RequestId;
  /**
   * Why it came without a request.
   */
  reason?: SnapshotReason;
  /**
   * The result; `null` in a live game.
   */
  result: GameResult | null;
  /**
   * The game that is played.
   */
  rules: RulesName;
  /**
   * The users by seat.
   */
  seats: SnapshotSeat[];
  /**
   * The seq of the last event that this contains.
   */
  seq: number;
  /**
   * The names of spectators who want to be named, up to a limit.
   */
  spectator_names?: UserName[];
  /**
   * The number of spectators.
   */
  spectators: number;
  /**
   * Cells with pieces that another seat could capture, were it that seat's turn; absent in games
   * without captures.
   */
  threatened?: string[];
  /**
   * The seat to move; `null` after the end.
   */
  to_move: number | null;
  /**
   * The turn counter.
   */
  turn: number;
  type: "snapshot";
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
  /**
   * The cells by which the game was won on the board.
   */
  winning?: string[];
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
   * The remaining times, without what the running clock has lost since `since`.
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
   * The seat whose clock runs.
   */
  running?: number;
  /**
   * The start of the running clock, later by the credited time.
   */
  since?: number;
}
/**
 * An open offer.
 */
export interface OpenOffer {
  /**
   * The seat that offers.
   */
  by: number;
  /**
   * The seats that have not answered yet.
   */
  needs: number[];
  /**
   * The id of the offer within this game.
   */
  offer: OfferId;
  /**
   * Who would take the seat, with `substitute`.
   */
  substitute?: OfferedSubstitute;
  /**
   * The kind of the offer.
   */
  what: OfferKind;
}
/**
 * The computer that can take the seat of a player who leaves.
 */
export interface OfferedSubstitute {
  /**
   * Its level.
   */
  level: number;
  /**
   * Why the player leaves.
   */
  reason: LeaveReason;
  /**
   * The time in epoch milliseconds at which the seat is removed without the answers.
   */
  until: number;
  /**
   * The computer.
   */
  user: UserName;
}
/**
 * Whether a player is connected.
 */
export interface SeatPresence {
  /**
   * The time from which the others may claim, in epoch milliseconds.
   */
  claim_at?: number;
  /**
   * Whether a session of its user watches the game.
   */
  online: boolean;
  /**
   * The seat.
   */
  seat: number;
  /**
   * The start of the absence in epoch milliseconds.
   */
  since?: number;
}
/**
 * A seat in a snapshot.
 */
export interface SnapshotSeat {
  /**
   * Whether the user is a bot.
   */
  bot?: boolean;
  /**
   * Whether the user is a guest.
   */
  guest?: boolean;
  /**
   * The player who left the seat to this computer.
   */
  instead_of?: UserName;
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
   * Whether it still plays, or why not.
   */
  state: SeatState;
  /**
   * The user's name.
   */
  user: UserName;
}
/**
 * A server's signature of a game's record up to one event, and by its chain of all before it.
 */
export interface SignedHead {
  /**
   * The algorithm.
   */
  alg: Algorithm;
  /**
   * The chain of that event.
   */
  chain: Chain;
  /**
   * The game.
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
   * The seq of the last signed event.
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
   * The game, if the request names one.
   */
  game?: GameId;
  /**
   * For each seat, the letters of its pieces.
   */
  letters: string[];
  /**
   * How many pieces a cell holds, where the height of each one matters.
   */
  levels?: number;
  /**
   * The request that this answers.
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
   * Its cells.
   */
  cells: string[];
  /**
   * Its meaning for that seat, such as `home`.
   */
  name: string;
  /**
   * The seat that it belongs to.
   */
  seat: number;
}
/**
 * The cells that a move can use.
 */
export interface HintList {
  /**
   * The cells that it may pick.
   */
  cells: string[];
  /**
   * The cell of the request.
   */
  from?: string;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The request that this answers.
   */
  re: RequestId;
  /**
   * The completions of the sketch, if the request had one.
   */
  sketch?: Outlook;
  /**
   * The targets of that cell.
   */
  to?: HintTarget[];
  /**
   * The seat to move.
   */
  to_move: number;
  /**
   * The turn that this is valid for.
   */
  turn: number;
  type: "hints";
  /**
   * Legal moves that have no cells.
   */
  words?: string[];
}
/**
 * What a sketch can become.
 */
export interface Outlook {
  /**
   * With the board of a move: the captured pieces.
   */
  captures?: Capture[];
  /**
   * The cells that pieces leave, as the server interprets them.
   */
  from: ChosenCell[];
  /**
   * The legal move that the sketch stands for; `null` if there is none yet.
   */
  move: string | null;
  /**
   * The cells that may be picked next.
   */
  next: NextCell[];
  /**
   * The board after the move or, without a move, with the sketch as far as it goes; only if the
   * request asks for it.
   */
  position?: {
    [k: string]: string;
  };
  /**
   * With the board of a move: cells with pieces that another seat could capture, were it that
   * seat's turn; absent in games without captures.
   */
  threatened?: string[];
  /**
   * The cells that pieces arrive at, as the server interprets them.
   */
  to: ChosenCell[];
  /**
   * Why the sketch is no legal move, if there is a reason.
   */
  why?: string;
  /**
   * What the reason names, by the names in the key's sentence.
   */
  why_args?: {
    [k: string]: OptionValue;
  };
  /**
   * The key of that reason, for translations.
   */
  why_key?: string;
}
/**
 * A picked cell with its amount and the possible amounts.
 */
export interface ChosenCell {
  /**
   * The cell.
   */
  cell: string;
  /**
   * The chosen one of `choices`, if there are any.
   */
  choice?: string;
  /**
   * The possible choices.
   */
  choices?: string[];
  /**
   * The smallest possible number.
   */
  least?: number;
  /**
   * The largest possible number, with the other amounts unchanged.
   */
  most?: number;
  /**
   * The number of its pieces that take part, if there is a choice.
   */
  pieces?: number;
}
/**
 * A cell that may be picked next.
 */
export interface NextCell {
  /**
   * The list that the cell joins. It leaves the other list.
   */
  as: CellRole;
  /**
   * Whether moving there captures.
   */
  capture?: boolean;
  /**
   * The cell.
   */
  cell: string;
  /**
   * The cell that this one replaces.
   */
  instead_of?: string;
}
/**
 * A target cell.
 */
export interface HintTarget {
  /**
   * Whether moving there captures.
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
   * The game.
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
   * The request that this answers.
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
   * The turn that this is valid for.
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
   * Whether there are more, or may be: request them with `before` set to `next`.
   */
  more: boolean;
  /**
   * The game after which the list goes on.
   */
  next?: GameId;
  /**
   * The request that this answers.
   */
  re?: RequestId;
  type: "games";
}
/**
 * A game in a list.
 */
export interface GameEntry {
  /**
   * Whether an operator has annulled the result: it counts for nothing.
   */
  annulled?: boolean;
  /**
   * The time control.
   */
  clock: TimeControl;
  /**
   * The number of moves that spectators are behind while the game is live.
   */
  delay?: number;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The last change in epoch milliseconds.
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
   * Whether the game is rated.
   */
  rated: boolean;
  /**
   * The change of the players' ratings, if the game counts for them.
   */
  ratings?: RatingChange;
  /**
   * The outcome.
   */
  result?: GameResult;
  /**
   * The game that is played.
   */
  rules: RulesName;
  /**
   * The users by seat.
   */
  seats: SeatUser[];
  /**
   * The start in epoch milliseconds.
   */
  started_at: number;
  /**
   * Whether the game is live or finished.
   */
  state: GameState;
  /**
   * The player who left the game, and whose seat a computer has taken.
   */
  substituted?: SubstitutedUser;
  /**
   * The seat to move, in a live game.
   */
  to_move?: number;
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * The change of the players' ratings by a game, by seat at the end.
 */
export interface RatingChange {
  /**
   * The ratings after the game.
   */
  after: number[];
  /**
   * The ratings before the game.
   */
  before: number[];
}
/**
 * A seat of a game, as it was agreed.
 */
export interface SeatUser {
  /**
   * Whether the user is a bot.
   */
  bot: boolean;
  /**
   * Whether the user is a guest.
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
 * A player whose seat a computer has taken.
 */
export interface SubstitutedUser {
  /**
   * The seat.
   */
  seat: number;
  /**
   * The user who left it.
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
   * The server's own bots, weakest first; empty if there are none.
   */
  house: HousePlayer[];
  /**
   * The request that this answers.
   */
  re: RequestId;
  type: "catalogue";
}
/**
 * A game that can be played.
 */
export interface PlayableGame {
  /**
   * What it is about, in one sentence.
   */
  goal: string;
  /**
   * The options.
   */
  options: GameOption[];
  /**
   * A summary of the rules and the notation, in lines of text.
   */
  page: string;
  /**
   * The possible numbers of players.
   */
  players: number[];
  /**
   * Its name, with the version of its rules.
   */
  rules: RulesName;
  /**
   * Its name for people.
   */
  title: string;
}
/**
 * An option of a game.
 */
export interface GameOption {
  /**
   * Its effect and default, in one line.
   */
  about: string;
  /**
   * The values that there are, where they are few.
   */
  choices?: GameOptionChoice[];
  /**
   * The kind of its values.
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
  /**
   * Its name for people.
   */
  title: string;
}
/**
 * A value of an option.
 */
export interface GameOptionChoice {
  /**
   * What it means, for people.
   */
  title: string;
  /**
   * The value, as in `options`.
   */
  value: OptionValue;
}
/**
 * One of the server's own bots, which accepts every challenge.
 */
export interface HousePlayer {
  /**
   * What its measured strength is above that of level 1, in Elo, by game: `diam`.
   */
  elo?: {
    [k: string]: number;
  };
  /**
   * Its level.
   */
  level: HouseLevel;
  /**
   * The number of its level, from 1, the weakest, to 8.
   */
  number?: number;
  /**
   * The name of a second bot of this level, for another seat of the same game.
   */
  twin?: UserName;
  /**
   * Its name, which challenges go to.
   */
  user: UserName;
}
/**
 * The players of a game, strongest first. Provisional ratings follow the others.
 */
export interface StandingList {
  /**
   * Whether there are more: request them with `before` set to `next`.
   */
  more: boolean;
  /**
   * The place at which the next page begins.
   */
  next?: StandingsCursor;
  /**
   * The number of players.
   */
  players: number;
  /**
   * The request that this answers.
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
 * A player in the standings of a game.
 */
export interface Standing {
  /**
   * Whether the user is a bot.
   */
  bot?: boolean;
  /**
   * The deviation of the rating.
   */
  deviation: number;
  /**
   * The games in which the user shared the first place.
   */
  draws: number;
  /**
   * The number of rated games.
   */
  games: number;
  /**
   * The games in which another user was first.
   */
  losses: number;
  /**
   * The place from 1 among the users listed. Equal ratings share it.
   */
  place: number;
  /**
   * Whether the rating is provisional, for lack of games.
   */
  provisional?: boolean;
  /**
   * The rating.
   */
  rating: number;
  /**
   * The user.
   */
  user: UserName;
  /**
   * The games in which the user alone was first.
   */
  wins: number;
}
/**
 * The statistics of a game. A game is counted some seconds after its end.
 */
export interface GameStats {
  /**
   * The number of aborted games. Nothing else counts them.
   */
  aborted: number;
  /**
   * Those that several seats won.
   */
  draws: number;
  /**
   * All games.
   */
  games: number;
  /**
   * How long the games were; absent without games.
   */
  length?: LengthCounts;
  /**
   * The most played openings of one, two and three moves; of each length the most played first.
   */
  openings: OpeningCount[];
  /**
   * Who plays the games that are counted; everyone if absent.
   */
  opponents?: Opponents;
  /**
   * The number of players.
   */
  players: number;
  /**
   * The request that this answers.
   */
  re?: RequestId;
  /**
   * Why the games ended, the most frequent reason first.
   */
  reasons: ReasonCount[];
  /**
   * The game.
   */
  rules: RulesName;
  type: "stats";
  /**
   * Those that one seat won, by seat.
   */
  wins: number[];
}
/**
 * Lengths of games, in moves of all players.
 */
export interface LengthCounts {
  /**
   * The number of lengths that each bar has.
   */
  bar_width: number;
  /**
   * Numbers of games. The first bar begins at length 0, the next ones follow without a gap.
   */
  bars: number[];
  /**
   * The longest game. Games of 1000 moves and more count as one of 1000.
   */
  longest: number;
  /**
   * A quarter of the games are not longer.
   */
  lower_quartile: number;
  /**
   * Half of the games are not longer.
   */
  median: number;
  /**
   * The shortest game.
   */
  shortest: number;
  /**
   * Three quarters of the games are not longer.
   */
  upper_quartile: number;
}
/**
 * How the games with an opening ended.
 */
export interface OpeningCount {
  /**
   * Those that several seats won.
   */
  draws: number;
  /**
   * All games.
   */
  games: number;
  /**
   * The first moves.
   */
  moves: string[];
  /**
   * Those that one seat won, by seat.
   */
  wins: number[];
}
/**
 * The number of games that ended for a reason.
 */
export interface ReasonCount {
  /**
   * The number of games.
   */
  games: number;
  /**
   * The reason.
   */
  reason: ResultReason;
}
/**
 * A user's profile. All of it is public.
 */
export interface UserProfile {
  /**
   * Whether the user is a bot.
   */
  bot: boolean;
  /**
   * The number of finished games, aborted ones included.
   */
  finished: number;
  /**
   * Whether the user is a guest.
   */
  guest: boolean;
  /**
   * The number of live games.
   */
  live: number;
  /**
   * Whether the user is connected.
   */
  online: boolean;
  /**
   * The owner, if the user is a bot.
   */
  owner?: UserName;
  /**
   * The user's rating in each pool.
   */
  ratings: PoolRating[];
  /**
   * The request that this answers.
   */
  re?: RequestId;
  /**
   * The time of creation in epoch milliseconds.
   */
  since: number;
  type: "user";
  /**
   * The name, as its owner spells it.
   */
  user: UserName;
}
/**
 * A user's rating in one pool.
 */
export interface PoolRating {
  /**
   * The deviation of the rating.
   */
  deviation: number;
  /**
   * The games in which the user shared the first place.
   */
  draws: number;
  /**
   * The number of rated games.
   */
  games: number;
  /**
   * The games in which another user was first.
   */
  losses: number;
  /**
   * The place in the standings of the pool.
   */
  place: number;
  /**
   * The number of players.
   */
  players: number;
  /**
   * Whether the rating is provisional, for lack of games.
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
   * The games in which the user alone was first.
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
   * Whether there are more: request them with `before` set to the last one.
   */
  more: boolean;
  /**
   * The request that this answers.
   */
  re?: RequestId;
  type: "history";
  /**
   * The user.
   */
  user: UserName;
}
/**
 * A user's tokens, the newest first.
 */
export interface Tokens {
  /**
   * The request that this answers.
   */
  re: RequestId;
  /**
   * The valid tokens.
   */
  tokens: TokenEntry[];
  type: "tokens";
}
/**
 * A token in a list, without its secret.
 */
export interface TokenEntry {
  /**
   * Whether its sessions are a bot's.
   */
  bot?: boolean;
  /**
   * The time of creation in epoch milliseconds.
   */
  created: number;
  /**
   * Whether this session was opened with it.
   */
  current?: boolean;
  /**
   * The expiry in epoch milliseconds.
   */
  expires?: number;
  /**
   * The purpose.
   */
  label: string;
  /**
   * The last use in epoch milliseconds, accurate to ten minutes.
   */
  last_used?: number;
  /**
   * The id of the token.
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
   * The request that this answers.
   */
  re: RequestId;
  type: "bots";
}
/**
 * A bot in the list of its owner.
 */
export interface BotEntry {
  /**
   * The time of creation in epoch milliseconds.
   */
  created: number;
  /**
   * The name that it plays under.
   */
  name: UserName;
  /**
   * The number of its tokens.
   */
  tokens: number;
}
/**
 * The bots that are connected and accept challenges, in the order of their names.
 */
export interface DirectoryList {
  /**
   * One page of them.
   */
  bots: DirectoryEntry[];
  /**
   * Whether there are more: request them with `before` set to the last one.
   */
  more: boolean;
  /**
   * The request that this answers.
   */
  re?: RequestId;
  type: "directory";
}
/**
 * A bot in the directory.
 */
export interface DirectoryEntry {
  /**
   * Which challenges the bot accepts.
   */
  accepts: Acceptance;
  /**
   * How many more games the bot would begin at present. The server's own bots do not say.
   */
  free?: number;
  /**
   * Whether the bot is a guest.
   */
  guest?: boolean;
  /**
   * The level, if the bot is one of the server's own.
   */
  level?: HouseLevel;
  /**
   * The owner, if the bot has one.
   */
  owner?: UserName;
  /**
   * The bot's ratings, by game and number of players: `adamas/2`.
   */
  ratings?: {
    [k: string]: number;
  };
  /**
   * The name, which challenges go to.
   */
  user: UserName;
}
/**
 * Which challenges a bot accepts. What is absent is not restricted.
 */
export interface Acceptance {
  /**
   * The kinds of opponents. By default `{"bots":true,"guests":true}`.
   */
  allow: Allow;
  /**
   * The kinds of clocks; all if the list is empty.
   *
   * @maxItems 5
   */
  clocks?: ClockMode[];
  /**
   * Whether the bot may decline options other than a game's default ones.
   */
  default_options?: boolean;
  /**
   * The games; all if the list is empty.
   *
   * @maxItems 16
   */
  games?: AcceptedGame[];
  /**
   * The average time for a move.
   */
  pace?: PaceRange;
  /**
   * Only rated games, or only others.
   */
  rated?: boolean;
  /**
   * The opponents' ratings.
   */
  rating?: RatingRange;
}
/**
 * The opponents that a seeker accepts.
 */
export interface Allow {
  /**
   * Whether bots may accept.
   */
  bots: boolean;
  /**
   * Whether guests may accept.
   */
  guests: boolean;
}
/**
 * A user's push subscriptions, the oldest first.
 */
export interface PushSubscriptions {
  /**
   * The request that this answers.
   */
  re: RequestId;
  /**
   * All of them.
   */
  subscriptions: PushSubscription[];
  type: "push_subscriptions";
}
/**
 * A push subscription in a list.
 */
export interface PushSubscription {
  /**
   * The time of creation in epoch milliseconds.
   */
  created: number;
  /**
   * The URL of the push service.
   */
  endpoint: string;
  /**
   * Notifications that have failed since one was delivered.
   */
  failures: number;
}
/**
 * The mail address of an account.
 */
export interface Mail {
  /**
   * The confirmed address; absent if the account has none.
   */
  address?: string;
  /**
   * The request that this answers.
   */
  re: RequestId;
  type: "mail";
  /**
   * The address that waits for its code, if any.
   */
  waiting?: string;
}
/**
 * The webhook of a user.
 */
export interface Webhook {
  /**
   * The time at which it was set, in epoch milliseconds.
   */
  created?: number;
  /**
   * Whether it has failed so often that the server no longer calls it.
   */
  disabled?: boolean;
  /**
   * Notifications that have failed since one was delivered.
   */
  failures?: number;
  /**
   * The request that this answers.
   */
  re: RequestId;
  type: "webhook";
  /**
   * The URL; absent if the user has no webhook.
   */
  url?: string;
}
/**
 * Answers a ping.
 */
export interface Pong {
  /**
   * The request that this answers.
   */
  re: RequestId;
  /**
   * The client's time, unchanged.
   */
  t0?: number;
  /**
   * The arrival of the ping in epoch milliseconds.
   */
  t1: number;
  /**
   * The departure of the answer in epoch milliseconds.
   */
  t2: number;
  type: "pong";
}
/**
 * The client's user is to move. Sent at the start of the turn and after every (re)connect.
 */
export interface YourTurn {
  /**
   * The time at which the flag falls or the server aborts the game, in epoch milliseconds.
   */
  deadline?: number;
  /**
   * The game.
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
   * The user's seat.
   */
  seat: number;
  /**
   * The first steps of a move, for clients that asked for them.
   */
  steps?: FirstSteps;
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
 * The first steps of a turn: what a player can pick first, and what can follow each of these.
 */
export interface FirstSteps {
  /**
   * Whether some steps lack everything but their cell and role, because the list would be too
   * long.
   */
  cut?: boolean;
  /**
   * The cells that a move can begin with, once for each role.
   */
  first: FirstStep[];
  /**
   * Legal moves that have no cells.
   */
  words?: string[];
}
/**
 * A cell that a move can begin with.
 */
export interface FirstStep {
  /**
   * The list of the sketch that the cell joins.
   */
  as: CellRole;
  /**
   * Those of `to` where going there captures.
   */
  capture?: string[];
  /**
   * The cell.
   */
  cell: string;
  /**
   * The chosen one of `choices`, if there are any.
   */
  choice?: string;
  /**
   * The possible choices.
   */
  choices?: string[];
  /**
   * The cells that can be picked next for more pieces to leave.
   */
  from?: string[];
  /**
   * The smallest possible number.
   */
  least?: number;
  /**
   * The largest possible number.
   */
  most?: number;
  /**
   * The legal move that the cell is by itself, if it is one.
   */
  move?: string;
  /**
   * The number of its pieces that take part, if there is a choice.
   */
  pieces?: number;
  /**
   * The cells that can be picked next for pieces to arrive at.
   */
  to?: string[];
}
/**
 * The connected players and spectators, sent after changes. Several changes may share one message.
 */
export interface Presence {
  /**
   * The game.
   */
  game: GameId;
  /**
   * Each player.
   */
  seats: SeatPresence[];
  /**
   * The names of spectators who want to be named, up to a limit.
   */
  spectator_names?: UserName[];
  /**
   * The number of spectators.
   */
  spectators: number;
  type: "presence";
}
/**
 * A challenge to the client's user, or a further acceptance of one.
 */
export interface Challenged {
  /**
   * The users who have accepted so far.
   */
  accepted: UserName[];
  /**
   * Whether the user is a bot.
   */
  bot?: boolean;
  /**
   * The challenger.
   */
  by: UserName;
  /**
   * The id of the challenge.
   */
  challenge: ChallengeId;
  /**
   * The time control.
   */
  clock: TimeControl;
  /**
   * The time of creation in epoch milliseconds.
   */
  created: number;
  /**
   * The number of moves that spectators are behind while the game is live.
   */
  delay?: number;
  /**
   * The time at which it expires, in epoch milliseconds.
   */
  expires: number;
  /**
   * Whether the user is a guest.
   */
  guest?: boolean;
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * Whether the game is rated.
   */
  rated: boolean;
  /**
   * The game of which this is a rematch.
   */
  rematch_of?: GameId;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * The users by seat.
   */
  seats: UserName[];
  /**
   * Whether the seats are shuffled.
   */
  shuffle: boolean;
  type: "challenged";
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * A challenge was closed, with or without a game.
 */
export interface ChallengeClosed {
  /**
   * The user who declined or cancelled it.
   */
  by?: UserName;
  /**
   * The challenge.
   */
  challenge: ChallengeId;
  /**
   * The new game.
   */
  game?: GameId;
  /**
   * The limit that is reached, if a house player declined it as `busy`:
   * `house_games_per_user`, `house_games_per_network` or `house_games`.
   */
  limit?: string;
  /**
   * The reason in words, if a house player declined it.
   */
  message?: string;
  /**
   * The reason, if there is no game.
   */
  reason?: ClosedReason;
  /**
   * The game of which this was a rematch.
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
   * Whether there are more: request them with `before` set to the last one.
   */
  more: boolean;
  /**
   * The request that this answers.
   */
  re: RequestId;
  type: "challenges";
}
/**
 * One invite. Without `re` it has changed.
 */
export interface InviteState {
  /**
   * Whether the user is a bot.
   */
  bot?: boolean;
  /**
   * The inviting user.
   */
  by: UserName;
  /**
   * The time control.
   */
  clock: TimeControl;
  /**
   * The time of creation in epoch milliseconds.
   */
  created: number;
  /**
   * The number of moves that spectators are behind while the game is live.
   */
  delay?: number;
  /**
   * The time at which it expires, in epoch milliseconds.
   */
  expires: number;
  /**
   * The game that has begun.
   */
  game?: GameId;
  /**
   * Whether the user is a guest.
   */
  guest?: boolean;
  /**
   * The id of the invite.
   */
  invite: InviteId;
  /**
   * The users who have joined so far, the inviting user included.
   */
  joined: UserName[];
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * The number of players.
   */
  players: number;
  /**
   * Whether the game is rated, if no player is a guest.
   */
  rated: boolean;
  /**
   * The request that this answers.
   */
  re?: RequestId;
  /**
   * The reason, if it was closed without a game.
   */
  reason?: ClosedReason;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * The seat that the inviting user prefers.
   */
  seat: SeatWish;
  type: "invite";
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * The user's open invites.
 */
export interface InviteList {
  /**
   * The invites, the newest first.
   */
  invites: InviteEntry[];
  /**
   * The request that this answers.
   */
  re: RequestId;
  type: "invites";
}
/**
 * An invite.
 */
export interface InviteEntry {
  /**
   * Whether the user is a bot.
   */
  bot?: boolean;
  /**
   * The inviting user.
   */
  by: UserName;
  /**
   * The time control.
   */
  clock: TimeControl;
  /**
   * The time of creation in epoch milliseconds.
   */
  created: number;
  /**
   * The number of moves that spectators are behind while the game is live.
   */
  delay?: number;
  /**
   * The time at which it expires, in epoch milliseconds.
   */
  expires: number;
  /**
   * The game that has begun.
   */
  game?: GameId;
  /**
   * Whether the user is a guest.
   */
  guest?: boolean;
  /**
   * The id of the invite.
   */
  invite: InviteId;
  /**
   * The users who have joined so far, the inviting user included.
   */
  joined: UserName[];
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * The number of players.
   */
  players: number;
  /**
   * Whether the game is rated, if no player is a guest.
   */
  rated: boolean;
  /**
   * The reason, if it was closed without a game.
   */
  reason?: ClosedReason;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * The seat that the inviting user prefers.
   */
  seat: SeatWish;
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * The open seeks, or their changes. A seek that is added again replaces the old entry.
 */
export interface LobbyChange {
  /**
   * The new or changed seeks.
   */
  add: SeekEntry[];
  /**
   * Whether an answer omits older seeks: request them with `before` set to the first one.
   */
  more?: boolean;
  /**
   * The request that this answers. The answer adds every open seek.
   */
  re?: RequestId;
  /**
   * The closed seeks.
   */
  remove: SeekId[];
  type: "lobby";
}
/**
 * An open seek.
 */
export interface SeekEntry {
  /**
   * The opponents that the seeker accepts.
   */
  allow: Allow;
  /**
   * Whether the user is a bot.
   */
  bot: boolean;
  /**
   * The seeker.
   */
  by: UserName;
  /**
   * The time control.
   */
  clock: TimeControl;
  /**
   * The number of moves that spectators are behind while the game is live.
   */
  delay?: number;
  /**
   * The time at which a lasting seek expires, in epoch milliseconds.
   */
  expires?: number;
  /**
   * Whether the user is a guest.
   */
  guest: boolean;
  /**
   * The users who have joined so far, the seeker included.
   */
  joined: UserName[];
  /**
   * Whether the seek outlives the seeker's connection.
   */
  lasting?: boolean;
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * The number of players.
   */
  players: number;
  /**
   * Whether the game is rated.
   */
  rated: boolean;
  /**
   * The ratings that the seeker accepts.
   */
  rating?: RatingRange;
  /**
   * The game.
   */
  rules: RulesName;
  /**
   * The seat that the seeker prefers.
   */
  seat: SeatWish;
  /**
   * The id of the seek.
   */
  seek: SeekId;
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * The positions of a game, in order.
 */
export interface PositionList {
  /**
   * The game.
   */
  game: GameId;
  /**
   * Whether there are later ones: request them from the ply after the last.
   */
  more: boolean;
  /**
   * The positions.
   */
  positions: PlyPosition[];
  /**
   * The request that this answers.
   */
  re: RequestId;
  type: "positions";
}
/**
 * A position of a game.
 */
export interface PlyPosition {
  /**
   * The captured pieces.
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
   * The number of moves and skips before it.
   */
  ply: number;
  /**
   * The board after it and all its consequences.
   */
  position: {
    [k: string]: string;
  };
  /**
   * The seat that moved or was skipped; absent before the first move.
   */
  seat?: number;
  /**
   * Cells with pieces that another seat could capture, were it that seat's turn; absent in games
   * without captures.
   */
  threatened?: string[];
  /**
   * The seat to move; `null` if the game had ended.
   */
  to_move: number | null;
  /**
   * The cells by which the game was won on the board.
   */
  winning?: string[];
}
/**
 * The position after tried moves.
 */
export interface Explored {
  /**
   * The pieces that the last move captured.
   */
  captures: Capture[];
  /**
   * The tried moves, canonical.
   */
  moves: string[];
  /**
   * The opinion of one of the server's bots, if the request asks for it.
   */
  opinion?: Opinion;
  /**
   * Its options, complete.
   */
  options: {
    [k: string]: OptionValue;
  };
  /**
   * What perfect play comes to, if the request asks for it and it is known: in Adamas with few
   * pieces on boards of size 2 and 3 without `prog_cap`, in Stymie on boards up to size 5, where no swap is due and a proof is short.
   */
  oracle?: Oracle;
  /**
   * How many play it.
   */
  players: number;
  /**
   * The number of moves and skips before the position.
   */
  ply: number;
  /**
   * The board.
   */
  position: {
    [k: string]: string;
  };
  /**
   * The request that this answers.
   */
  re: RequestId;
  /**
   * For each seat, a letter for each piece that it has yet to bring onto the board; absent if no
   * seat has any.
   */
  reserve?: string[];
  /**
   * The result; `null` if the game would go on.
   */
  result: GameResult | null;
  /**
   * The kind of game.
   */
  rules: RulesName;
  /**
   * The completions of the sketch with the board, if the request has one.
   */
  sketch?: Outlook;
  /**
   * The first steps of the next move, if the request asks for them.
   */
  steps?: FirstSteps;
  /**
   * Cells with pieces that another seat could capture, were it that seat's turn; absent in games
   * without captures.
   */
  threatened?: string[];
  /**
   * The seat to move; `null` if the game would be over.
   */
  to_move: number | null;
  type: "explored";
  /**
   * The cells by which the game would be won.
   */
  winning?: string[];
}
/**
 * What one of the server's bots thinks of a position.
 */
export interface Opinion {
  /**
   * The move that it would make.
   */
  best: string;
  /**
   * How many moves it has looked ahead.
   */
  depth: number;
  /**
   * Its value for the side to move: 1000 is a certain win, -1000 a certain loss, 0 is even.
   */
  score: number;
}
/**
 * What is known of a position for certain, as if no position had occurred before.
 */
export interface Oracle {
  /**
   * The best moves, at most 64. In Stymie moves are left out to which a piece can be added.
   *
   * @maxItems 64
   */
  best: string[];
  /**
   * The moves and skips to the end, if both sides play perfectly; absent for a draw.
   */
  distance?: number;
  /**
   * How many moves are as good.
   */
  moves: number;
  /**
   * What perfect play comes to for the side to move.
   */
  value: OracleValue;
}
/**
 * The analysis of a finished game of two.
 */
export interface Analysis {
  /**
   * The accuracy of the players who made a move, once it is done.
   */
  accuracy?: SeatAccuracy[];
  /**
   * How many others come first, while it is queued.
   */
  ahead?: number;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The moves without skips, each with what is thought of it, once it is done.
   */
  moves?: AnalysedMove[];
  /**
   * How many positions the game has, from then on.
   */
  positions?: number;
  /**
   * The request that this answers.
   */
  re: RequestId;
  /**
   * How many positions are searched, while it is running.
   */
  searched?: number;
  /**
   * How far it is.
   */
  state: AnalysisState;
  /**
   * The plies of the moves that lost the most, at most three, once it is done.
   */
  turning_points?: number[];
  type: "analysis";
}
/**
 * How accurately the player moved who has a seat at the end of the game.
 */
export interface SeatAccuracy {
  /**
   * 100 if no move lost any chance to win.
   */
  percent: number;
  /**
   * The seat.
   */
  seat: number;
}
/**
 * A move of an analysed game. Values are for the seat that made it: 1000 is a certain win, -1000 a
 * certain loss, 0 is even.
 */
export interface AnalysedMove {
  /**
   * The best move in its place, and how the game would go on.
   */
  best: string[];
  /**
   * Whether that value is proven.
   */
  best_exact: boolean;
  /**
   * The value of the best move.
   */
  best_value: number;
  /**
   * The plies from the best move to the end of the game, where these are proven.
   */
  distance?: number;
  /**
   * Whether that value is proven.
   */
  exact: boolean;
  /**
   * In how many moves of the seat a certain win was missed by it.
   */
  missed_win?: number;
  /**
   * The move.
   */
  move: string;
  /**
   * Its ply.
   */
  ply: number;
  /**
   * The seat that made it.
   */
  seat: number;
  /**
   * The value of the move.
   */
  value: number;
  /**
   * How much of the chance to win it lost.
   */
  verdict: MoveVerdict;
}
/**
 * The featured game of a kind. Without `re` it has just changed.
 */
export interface Featured {
  /**
   * The entry as in lists.
   */
  entry?: GameEntry;
  /**
   * The game; `null` if there is no live game.
   */
  game: GameId | null;
  /**
   * The request that this answers.
   */
  re?: RequestId;
  /**
   * The kind of game.
   */
  rules: RulesName;
  type: "tv";
}
/**
 * The live games, or their changes. A game that is added again replaces the old entry.
 */
export interface LiveChange {
  /**
   * Games that are new or have changed, the latest change first.
   */
  add: LiveGame[];
  /**
   * Whether these are all games. The client then forgets all others.
   */
  full?: boolean;
  /**
   * Whether the next `live` without `re` continues this one, which did not fit into one frame.
   */
  more?: boolean;
  /**
   * The request that this answers.
   */
  re?: RequestId;
  /**
   * The games that are no longer listed.
   */
  remove: GameId[];
  type: "live";
}
/**
 * A game with its board, small enough for a page of many.
 */
export interface LiveGame {
  /**
   * The entry as in lists.
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
   * The seq of the last event that this contains.
   */
  seq: number;
}
/**
 * A new line of talk.
 */
export interface Said {
  /**
   * The time in epoch milliseconds.
   */
  at: number;
  /**
   * The user.
   */
  by: UserName;
  /**
   * The game.
   */
  game: GameId;
  /**
   * The line's number in that room, from 1.
   */
  n: number;
  /**
   * The room.
   */
  room: TalkRoom;
  /**
   * The text.
   */
  text: string;
  type: "said";
}
/**
 * A line of talk was deleted. Clients remove it.
 */
export interface Unsaid {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The line's number.
   */
  n: number;
  /**
   * The room.
   */
  room: TalkRoom;
  type: "unsaid";
}
/**
 * Lines of talk of one room of a game.
 */
export interface TalkList {
  /**
   * The game.
   */
  game: GameId;
  /**
   * The lines, the oldest first.
   */
  lines: TalkLine[];
  /**
   * Whether there are earlier ones: request them with `before` set to the first one's number.
   */
  more: boolean;
  /**
   * The request that this answers.
   */
  re: RequestId;
  /**
   * The room.
   */
  room: TalkRoom;
  type: "talk";
}
/**
 * A line of talk.
 */
export interface TalkLine {
  /**
   * The time in epoch milliseconds.
   */
  at: number;
  /**
   * The speaker.
   */
  by: UserName;
  /**
   * Its number in its room.
   */
  n: number;
  /**
   * Lines of talk.
   */
  text: string;
}
/**
 * The users that the client's user has muted.
 */
export interface MuteList {
  /**
   * The request that this answers.
   */
  re: RequestId;
  type: "mutes";
  /**
   * The names of the users.
   */
  users: UserName[];
}
/**
 * The users that the client's user has blocked.
 */
export interface BlockList {
  /**
   * The request that this answers.
   */
  re: RequestId;
  type: "blocks";
  /**
   * The names of the users.
   */
  users: UserName[];
}
/**
 * The user's settings.
 */
export interface SettingsState {
  /**
   * Who may challenge the user. By default `"all"`.
   */
  challenges: Challengers;
  /**
   * The request that this answers. Without it another session of the user has changed them.
   */
  re?: RequestId;
  type: "settings";
}
/**
 * A notice of the server.
 */
export interface Notice {
  /**
   * The game of `game_annulled` and `game_ruled`.
   */
  game?: GameId;
  /**
   * For `restart`, the wait before reconnecting, in milliseconds: the server spreads its clients
   * over time. For `maintenance`, the time until it begins. Otherwise 0.
   */
  in_ms: number;
  /**
   * The number of a notice that each `hello` brings again until `notice_seen`.
   */
  n?: number;
  /**
   * What was done about that report.
   */
  outcome?: ReportOutcome;
  /**
   * The report of `report_closed`.
   */
  report?: number;
  /**
   * The operator's text; of `report_closed` the answer, if there is one.
   */
  text?: string;
  type: "notice";
  /**
   * For `silenced`, the end, in epoch milliseconds; absent if it has none.
   */
  until?: number;
  /**
   * The kind.
   */
  what: NoticeKind;
}
/**
 * The setup of a game.
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
  clock: TimeControl;
  /**
   * The number of moves that spectators are behind while the game is live.
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
   * Whether the game is rated.
   */
  rated: boolean;
  req?: RequestId;
  /**
   * The game, with the version of its rules.
   */
  rules: RulesName;
  /**
   * The users in turn order.
   */
  seats: SeatUser[];
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
  /**
   * Whether no list shows the game to others than its players.
   */
  unlisted?: boolean;
}
/**
 * The start of a game.
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
   * The captured pieces.
   */
  captures: Capture[];
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "moved";
  /**
   * The network lag that was not charged, in milliseconds.
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
   * The number of the move among moves and skips.
   */
  ply: number;
  req?: RequestId;
  /**
   * The seat.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * The time used, in milliseconds.
   */
  spent_ms: number;
  /**
   * The seat to move after it.
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
   * The network lag that was not charged, in milliseconds; absent if zero.
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
   * The seat whose player swapped.
   */
  seat: number;
  /**
   * The users by seat after it.
   */
  seats: SeatUser[];
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * The time used, in milliseconds.
   */
  spent_ms: number;
  /**
   * The seat to move after it.
   */
  to_move: number | null;
  /**
   * The turn counter after it.
   */
  turn: number;
  type: "event";
}
/**
 * A skipped turn.
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
   * The seat without a legal move.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * The seat to move after it.
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
   * The seat that claimed the abandonment.
   */
  claimed_by?: number;
  game: GameId;
  hash: PositionHash;
  kind: "removed";
  /**
   * The reason.
   */
  reason: LeaveReason;
  req?: RequestId;
  /**
   * The seat.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * The seat to move after it.
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
   * The seat that offers.
   */
  by: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "offered";
  /**
   * The seats that have not answered yet.
   */
  needs: number[];
  /**
   * The id of the offer within this game.
   */
  offer: OfferId;
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
  /**
   * The kind of the offer.
   */
  what: OfferKind;
}
/**
 * The seat of a player who leaves a game of three, offered to a computer. All clocks stand.
 */
export interface SeatOffered {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * The computer that would play.
   */
  by: SeatUser;
  chain: Chain;
  /**
   * The seat that claimed the abandonment.
   */
  claimed_by?: number;
  game: GameId;
  hash: PositionHash;
  kind: "seat_offered";
  /**
   * The clocks as they stand; absent without clocks.
   */
  left_ms?: number[];
  /**
   * Its level.
   */
  level: number;
  /**
   * The seats that have not answered yet.
   */
  needs: number[];
  /**
   * The id of the offer within this game, for `answer`.
   */
  offer: OfferId;
  /**
   * Why its player leaves.
   */
  reason: LeaveReason;
  req?: RequestId;
  /**
   * The seat.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
  /**
   * The time in epoch milliseconds at which the seat is removed without their answers.
   */
  until: number;
}
/**
 * A computer on the seat of a player who left. The clocks run again.
 */
export interface Substituted {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * The computer, whose seat it is from here on.
   */
  by: SeatUser;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "substituted";
  /**
   * The clocks after it: the seat has its first time again. Absent without clocks.
   */
  left_ms?: number[];
  /**
   * Its level.
   */
  level: number;
  req?: RequestId;
  /**
   * The seat.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  /**
   * The seat to move after it.
   */
  to_move: number;
  /**
   * The turn counter after it.
   */
  turn: number;
  type: "event";
}
/**
 * An agreement to an offer by one of several seats.
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
   * The seats that have not answered yet.
   */
  needs: number[];
  /**
   * The offer.
   */
  offer: OfferId;
  req?: RequestId;
  /**
   * The seat.
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
   * The seat that closed it.
   */
  by: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "offer_closed";
  /**
   * The offer.
   */
  offer: OfferId;
  /**
   * The outcome.
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
 * A takeback of a move and all later ones.
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
   * The number of remaining moves and skips.
   */
  ply: number;
  /**
   * The restored board: cell name to pieces, bottom piece first.
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
   * The seat whose move was taken back. It is to move again.
   */
  to_move: number;
  /**
   * The turn counter after it. It never decreases.
   */
  turn: number;
  type: "event";
}
/**
 * A credit of time to the running clock.
 */
export interface ClockAdjusted {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * The credit in milliseconds.
   */
  by_ms: number;
  chain: Chain;
  game: GameId;
  hash: PositionHash;
  kind: "clock_adjusted";
  /**
   * The reason.
   */
  reason: AdjustReason;
  req?: RequestId;
  /**
   * The seat of the clock.
   */
  seat: number;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
}
/**
 * An aborted game.
 */
export interface Aborted {
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * The seat that aborted, offered to abort, or did not move; of a ruling the seat to move.
   */
  by: number;
  chain: Chain;
  /**
   * The seat that claimed that the other never came.
   */
  claimed_by?: number;
  game: GameId;
  hash: PositionHash;
  kind: "aborted";
  /**
   * The reason.
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
   * The seat that resigned, ran out of time or went away, if that ended the game.
   */
  by?: number;
  chain: Chain;
  /**
   * The seat that claimed the abandonment.
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
   * The reason.
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
   * The rating of each seat's user after the game.
   */
  after: number[];
  /**
   * epoch milliseconds; never less than the one before
   */
  at: number;
  /**
   * The rating of each seat's user before the game.
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
