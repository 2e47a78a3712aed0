// The wire's types, made from the server's JSON Schema by tests/page/types.mjs. Not written by hand.

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
 * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
 */
export type UserName = string;
/**
 * true, false, a whole number or a word
 */
export type OptionValue = boolean | number | string;
/**
 * a game is named by 1 to 16 letters and digits
 */
export type GameId = string;
/**
 * a key is 64 hex digits in lower case
 */
export type PublicKey = string;
/**
 * a challenge is named by 1 to 32 letters, digits, _ and -
 */
export type ChallengeId = string;
/**
 * an offer is named by o_ and its number
 */
export type OfferId = string;
/**
 * a seek is named by 1 to 32 letters, digits, _ and -
 */
export type SeekId = string;
/**
 * a token is named by t_ and 1 to 32 letters and digits; its secret is not its name
 */
export type TokenId = string;
/**
 * an id is 1 to 64 bytes of text without control characters
 */
export type RequestId = string;
/**
 * Why a snapshot came unasked.
 */
export type SnapshotReason = "lagged" | "resumed";
/**
 * a place in the standings is what stood in next
 */
export type StandingsCursor = string;
/**
 * Why a challenge came to nothing.
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
 * a chain is 64 hex digits in lower case
 */
export type Chain = string;
/**
 * a position hash is 16 hex digits
 */
export type PositionHash = string;

/**
 * Opens the session.
 */
export interface Hello {
  /**
   * Who it is. Without it the session may look and sign up, but not play.
   */
  auth?:
    | (
        | {
            guest?: null;
            password?: null;
            token: string;
            user?: null;
          }
        | {
            guest?: null;
            password: string;
            token?: null;
            /**
             * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
             */
            user: string;
          }
        | {
            bot?: boolean;
            /**
             * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
             */
            guest: string;
            password?: null;
            token?: null;
            user?: null;
          }
      )
    | null;
  /**
   * What the client would like beyond the minimum.
   */
  caps?: string[];
  /**
   * What program it is.
   */
  client?: {
    /**
     * Its name.
     */
    name: string;
    /**
     * Its version.
     */
    version: string;
  } | null;
  /**
   * Names the request.
   */
  id: string;
  /**
   * The versions of the protocol that the client speaks.
   */
  proto: number[];
  /**
   * What it knows of its games, by game id.
   */
  resume?: {
    /**
     * The place up to which a client knows a game.
     */
    [k: string]: {
      /**
       * That event's chain.
       */
      chain?: string | null;
      /**
       * The last event it has.
       */
      seq: number;
    };
  };
  type: "hello";
}
/**
 * Makes an account, or turns the guest of this session into one.
 */
export interface Signup {
  /**
   * Names the request.
   */
  id: string;
  /**
   * The password to have.
   */
  password: string;
  type: "signup";
  /**
   * The name to have.
   */
  user: string;
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
  expires?: number | null;
  /**
   * Names the request.
   */
  id: string;
  /**
   * What the token is for, in the user's words.
   */
  label: string;
  type: "token_create";
  /**
   * One of one's own bots, if the token is for that.
   */
  user?: string | null;
}
/**
 * Lists tokens.
 */
export interface TokenList {
  /**
   * Names the request.
   */
  id: string;
  type: "token_list";
  /**
   * One of one's own bots, if the list is to be of its tokens.
   */
  user?: string | null;
}
/**
 * Ends a token and the sessions that were opened with it.
 */
export interface TokenRevoke {
  /**
   * Names the request.
   */
  id: string;
  /**
   * One's own, or one of one's own bot's.
   */
  token: string;
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
  id: string;
  type: "logout";
}
/**
 * Changes the password and ends what was opened with the old one.
 */
export interface PasswordChange {
  /**
   * Names the request.
   */
  id: string;
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
  id: string;
  /**
   * The name that the program plays under.
   */
  name: string;
  type: "bot_create";
}
/**
 * Lists one's own bots.
 */
export interface BotList {
  /**
   * Names the request.
   */
  id: string;
  type: "bot_list";
}
/**
 * Asks which games can be played, by how many, and with which options.
 */
export interface Catalogue {
  /**
   * Names the request.
   */
  id: string;
  type: "catalogue";
}
/**
 * Looks for opponents.
 */
export interface Seek {
  /**
   * Whom the seeker would play.
   */
  allow?: {
    /**
     * Programs too.
     */
    bots?: boolean;
    /**
     * Users without an account too.
     */
    guests?: boolean;
  };
  /**
   * The time control.
   */
  clock?:
    | {
        mode: "none";
      }
    | {
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
    | {
        mode: "per_move";
        /**
         * For one move.
         */
        move_ms: number;
      }
    | {
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
    | {
        mode: "days";
        /**
         * For one move.
         */
        per_move_days: number;
      };
  /**
   * How many moves spectators shall be behind.
   */
  delay?: number;
  /**
   * Names the request.
   */
  id: string;
  /**
   * Its options.
   */
  options?:
    | {
        /**
         * true, false, a whole number or a word
         */
        [k: string]: boolean | number | string;
      }
    | string;
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
  rules: string;
  /**
   * Where the seeker would like to sit.
   */
  seat?: "random" | number;
  type: "seek";
}
/**
 * Stops looking.
 */
export interface Unseek {
  /**
   * Names the request.
   */
  id: string;
  /**
   * Which seek.
   */
  seek: string;
  type: "unseek";
}
/**
 * Challenges somebody.
 */
export interface Challenge {
  /**
   * The time control.
   */
  clock?:
    | {
        mode: "none";
      }
    | {
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
    | {
        mode: "per_move";
        /**
         * For one move.
         */
        move_ms: number;
      }
    | {
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
    | {
        mode: "days";
        /**
         * For one move.
         */
        per_move_days: number;
      };
  /**
   * How many moves spectators shall be behind.
   */
  delay?: number;
  /**
   * Names the request.
   */
  id: string;
  /**
   * Its options.
   */
  options?:
    | {
        /**
         * true, false, a whole number or a word
         */
        [k: string]: boolean | number | string;
      }
    | string;
  /**
   * Whether the result shall count.
   */
  rated?: boolean;
  /**
   * The game.
   */
  rules: string;
  /**
   * Who sits where, the challenger included.
   */
  seats: string[];
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
  challenge?: string | null;
  /**
   * Names the request.
   */
  id: string;
  /**
   * The seek to take.
   */
  seek?: string | null;
  type: "accept";
}
/**
 * Turns a challenge down.
 */
export interface Decline {
  /**
   * Which challenge.
   */
  challenge: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * Why.
   */
  reason?:
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
  type: "decline";
}
/**
 * Takes back one's own challenge.
 */
export interface Cancel {
  /**
   * Which challenge.
   */
  challenge: string;
  /**
   * Names the request.
   */
  id: string;
  type: "cancel";
}
/**
 * Lists the open challenges to and by the client's user, the newest first.
 */
export interface Challenges {
  /**
   * Only those that stand after this one in the list, to turn the page.
   */
  before?: string | null;
  /**
   * Names the request.
   */
  id: string;
  /**
   * How many at the most.
   */
  limit?: number | null;
  type: "challenges";
}
/**
 * Watches the open seeks, or no longer.
 */
export interface Lobby {
  /**
   * Only seeks that are older than this one, to turn the page.
   */
  before?: string | null;
  /**
   * Names the request.
   */
  id: string;
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
  before?: string | null;
  /**
   * Names the request.
   */
  id: string;
  /**
   * How many at the most.
   */
  limit?: number | null;
  /**
   * Only those at tables of so many.
   */
  players?: number | null;
  /**
   * Only those of this game.
   */
  rules?: string | null;
  /**
   * Live or finished ones.
   */
  state?: "live" | "finished";
  type: "games";
  /**
   * Only those of this user.
   */
  user?: string | null;
}
/**
 * Lists the players of a game, the strongest first.
 */
export interface Standings {
  /**
   * Only those who stand after this place in the list, to turn the page: `next` of the page
   * before.
   */
  before?: string | null;
  /**
   * Names the request.
   */
  id: string;
  /**
   * How many at the most.
   */
  limit?: number | null;
  /**
   * At tables of how many; the fewest that play the game, unless it is said.
   */
  players?: number | null;
  /**
   * Which game.
   */
  rules: string;
  type: "standings";
}
/**
 * Asks who somebody is.
 */
export interface User {
  /**
   * Names the request.
   */
  id: string;
  /**
   * Who.
   */
  name: string;
  type: "user";
}
/**
 * Lists a user's finished games, the one that ended last first.
 */
export interface History {
  /**
   * Only those that stand after this one in the list, to turn the page.
   */
  before?: string | null;
  /**
   * Names the request.
   */
  id: string;
  /**
   * How many at the most.
   */
  limit?: number | null;
  /**
   * Only those of this game.
   */
  rules?: string | null;
  type: "history";
  /**
   * Whose.
   */
  user: string;
}
/**
 * Follows a game.
 */
export interface Watch {
  /**
   * Replays the events from this one on, instead of a snapshot.
   */
  from?: number | null;
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * Whether to be named among the spectators; as said in `hello` if not given.
   */
  named?: boolean | null;
  type: "watch";
}
/**
 * Follows a game no longer.
 */
export interface Unwatch {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  type: "unwatch";
}
/**
 * Asks for the server's signature under the game's record as it now stands.
 */
export interface Signature {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  type: "signature";
}
/**
 * Asks for the board to draw.
 */
export interface Layout {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  type: "layout";
}
/**
 * Asks which cells can be acted on, where pieces of one may go, and what a sketch comes to.
 */
export interface Hints {
  /**
   * The cell to start from.
   */
  from?: string | null;
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * A move in the making.
   */
  sketch?: {
    /**
     * The cells that pieces leave.
     */
    from?: {
      /**
       * The cell.
       */
      cell: string;
      /**
       * Which of the choices that the cell has.
       */
      choice?: string | null;
      /**
       * How many pieces of it take part.
       */
      pieces?: number | null;
    }[];
    /**
     * The cells that pieces arrive at.
     */
    to?: {
      /**
       * The cell.
       */
      cell: string;
      /**
       * Which of the choices that the cell has.
       */
      choice?: string | null;
      /**
       * How many pieces of it take part.
       */
      pieces?: number | null;
    }[];
  } | null;
  type: "hints";
}
/**
 * Asks for the legal moves of the side to move, page by page.
 */
export interface Moves {
  /**
   * Only moves behind this one in their order: what stood in `next`, or any legal move.
   */
  after?: string | null;
  /**
   * Only moves from this cell.
   */
  from?: string | null;
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * How many at the most.
   */
  limit?: number | null;
  type: "moves";
}
/**
 * Asks whether a move would be legal, and what would follow. Records nothing.
 */
export interface Try {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
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
  game: string;
  /**
   * Names the request.
   */
  id: string;
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
  game: string;
  /**
   * Names the request.
   */
  id: string;
  type: "resign";
}
/**
 * Calls the game off before each side has moved.
 */
export interface Abort {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  type: "abort";
}
/**
 * Offers something to the opponents.
 */
export interface Offer {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  type: "offer";
  /**
   * What.
   */
  what: "draw" | "takeback" | "abort";
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
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * Which offer.
   */
  offer: string;
  type: "answer";
}
/**
 * Takes one's own offer back.
 */
export interface Withdraw {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * Which offer.
   */
  offer: string;
  type: "withdraw";
}
/**
 * Claims the consequence of a player's having gone.
 */
export interface Claim {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * Of which seat, where there is a choice.
   */
  seat?: number | null;
  type: "claim";
  /**
   * What.
   */
  what: "abandoned";
}
/**
 * Asks the same players for the same game once more.
 */
export interface Rematch {
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
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
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * How many at the most.
   */
  limit?: number | null;
  type: "positions";
}
/**
 * Watches which game is featured, or no longer.
 */
export interface Tv {
  /**
   * Names the request.
   */
  id: string;
  /**
   * Of which kind.
   */
  rules: string;
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
  id: string;
  /**
   * Whether as many are wanted as there may be, rather than enough for a corner of a page.
   */
  many?: boolean;
  /**
   * Only those of this kind.
   */
  rules?: string | null;
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
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * To whom.
   */
  room: "players" | "spectators";
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
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * The line's number.
   */
  n: number;
  /**
   * In which room.
   */
  room: "players" | "spectators";
  type: "unsay";
}
/**
 * Asks for the last lines that were said, or for those before one.
 */
export interface Talk {
  /**
   * Only lines before this one, to turn the page.
   */
  before?: number | null;
  /**
   * Which game.
   */
  game: string;
  /**
   * Names the request.
   */
  id: string;
  /**
   * How many at the most.
   */
  limit?: number | null;
  /**
   * In which room.
   */
  room: "players" | "spectators";
  type: "talk";
}
/**
 * Wants to hear no more of somebody.
 */
export interface Mute {
  /**
   * Names the request.
   */
  id: string;
  type: "mute";
  /**
   * Whom.
   */
  user: string;
}
/**
 * Wants to hear of somebody again.
 */
export interface Unmute {
  /**
   * Names the request.
   */
  id: string;
  type: "unmute";
  /**
   * Whom.
   */
  user: string;
}
/**
 * Asks whom one has muted.
 */
export interface Mutes {
  /**
   * Names the request.
   */
  id: string;
  type: "mutes";
}
/**
 * Measures the way to the server and the difference of the clocks.
 */
export interface Ping {
  /**
   * Names the request.
   */
  id: string;
  /**
   * The client's time, given back as it is.
   */
  t0?: number | null;
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
  challenges_total?: number | null;
  /**
   * How long a game waits for a player who is away before the others may claim it.
   */
  claim_after?: ClaimAfter | null;
  /**
   * What an acknowledgement is worth: `fsync` survives a power cut.
   */
  durability: string;
  /**
   * Every live game of the user.
   */
  games: ResumedGame[];
  heartbeat: Heartbeat;
  /**
   * The public keys that the server has signed records with, the present one first.
   */
  keys?: PublicKey[];
  limits: Limits;
  /**
   * The version that is spoken from here on.
   */
  proto: number;
  /**
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
  /**
   * The games that can be played, with the version of their rules.
   */
  rules: {
    [k: string]: number;
  };
  server: Software;
  /**
   * Names the session in the server's logs.
   */
  session: string;
  /**
   * A secret to come back with, after a log-in by password or as a guest.
   */
  token?: string | null;
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
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  by: string;
  /**
   * Names the challenge.
   */
  challenge: string;
  /**
   * The time control.
   */
  clock:
    | {
        mode: "none";
      }
    | {
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
    | {
        mode: "per_move";
        /**
         * For one move.
         */
        move_ms: number;
      }
    | {
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
    | {
        mode: "days";
        /**
         * For one move.
         */
        per_move_days: number;
      };
  /**
   * When it was made, in epoch milliseconds.
   */
  created: number;
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * Which way it goes.
   */
  direction: "in" | "out";
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
  rematch_of?: GameId | null;
  /**
   * The game.
   */
  rules: string;
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
  from?: number | null;
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * What follows.
   */
  resume: "tail" | "snapshot" | "fork" | "gone";
  /**
   * The user's seat; absent for a game that is only watched.
   */
  seat?: number | null;
}
/**
 * The timing of the connection's own life.
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
 * The server program.
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
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  name: string;
  /**
   * Whose bot it is.
   */
  owner?: UserName | null;
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
  captures?: Capture[] | null;
  /**
   * The challenge it opened or joined.
   */
  challenge?: ChallengeId | null;
  /**
   * Whether it had been carried out before.
   */
  dup?: boolean;
  /**
   * The game it was about, or that it began.
   */
  game?: GameId | null;
  /**
   * `true` for a tried move.
   */
  legal?: boolean | null;
  /**
   * The tried move in canonical notation.
   */
  move?: string | null;
  /**
   * The number of the line that was said.
   */
  n?: number | null;
  /**
   * The offer it made.
   */
  offer?: OfferId | null;
  /**
   * The position after the tried move.
   */
  position?: {
    [k: string]: string;
  } | null;
  /**
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
  /**
   * The result that the tried move would bring about.
   */
  result?: GameResult | null;
  /**
   * The seek it opened or joined.
   */
  seek?: SeekId | null;
  /**
   * The event it became.
   */
  seq?: number | null;
  /**
   * Cells with pieces that another seat could capture then, were it that seat's turn.
   */
  threatened?: string[] | null;
  /**
   * Whose turn it would be after the tried move; absent if the game would be over.
   */
  to_move?: number | null;
  /**
   * A secret, told this once.
   */
  token?: string | null;
  /**
   * Names the token whose secret is told.
   */
  token_id?: TokenId | null;
  /**
   * The turn counter after it.
   */
  turn?: number | null;
  type: "ok";
  /**
   * The user it made.
   */
  user?: UserName | null;
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
  reason:
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
  code:
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
   * The game it was about.
   */
  game?: GameId | null;
  /**
   * The limit that was met.
   */
  limit?: string | null;
  /**
   * What a person reads: one sentence.
   */
  message: string;
  /**
   * The versions the server speaks, for an unknown one.
   */
  proto?: number[] | null;
  /**
   * The request, where its id could be read.
   */
  re?: RequestId | null;
  /**
   * What to do about it.
   */
  retry: "never" | "same" | "after" | "resync";
  /**
   * When to send it again, for `retry` `after`.
   */
  retry_after_ms?: number | null;
  /**
   * The present turn, for a stale one.
   */
  turn?: number | null;
  type: "error";
  /**
   * The rule that an illegal move breaks.
   */
  why?: string | null;
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
   * a chain is 64 hex digits in lower case
   */
  chain: string;
  clock: ClockState;
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * a position hash is 16 hex digits
   */
  hash: string;
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
  re?: RequestId | null;
  /**
   * Why it came unasked.
   */
  reason?: SnapshotReason | null;
  /**
   * The result; `null` while the game goes on.
   */
  result: GameResult | null;
  /**
   * The game that is played.
   */
  rules: string;
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
  threatened?: string[] | null;
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
 * The clocks.
 */
export interface ClockState {
  /**
   * For the whole game in `fischer`, before the periods in `byoyomi`.
   */
  base_ms?: number | null;
  /**
   * Added after each move, in `fischer`.
   */
  inc_ms?: number | null;
  /**
   * What the clocks show but for what the running one has lost since `since`.
   */
  left_ms?: number[] | null;
  /**
   * The time control's name.
   */
  mode: string;
  /**
   * For each move, in `per_move`.
   */
  move_ms?: number | null;
  /**
   * For each move, in `days`.
   */
  per_move_days?: number | null;
  /**
   * The length of one, in `byoyomi`.
   */
  period_ms?: number | null;
  /**
   * How many periods follow the main time, in `byoyomi`.
   */
  periods?: number | null;
  /**
   * Whose clock runs.
   */
  running?: number | null;
  /**
   * Since when: its start, or later by what the clock was given back.
   */
  since?: number | null;
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
   * an offer is named by o_ and its number
   */
  offer: string;
  /**
   * What is offered.
   */
  what: "draw" | "takeback" | "abort";
}
/**
 * Whether a player is there.
 */
export interface SeatPresence {
  /**
   * From when on the others may claim that the seat is abandoned.
   */
  claim_at?: number | null;
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
  since?: number | null;
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
  rating?: number | null;
  /**
   * A letter for each piece that it has yet to bring onto the board.
   */
  reserve?: string | null;
  /**
   * Whether it still plays.
   */
  state: "in" | "no_pieces" | "no_move" | "resigned" | "timed_out" | "abandoned";
  /**
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  user: string;
}
/**
 * A server vouches for a game's record up to one event, and by its chain for all before it.
 */
export interface SignedHead {
  /**
   * How it is signed.
   */
  alg: "ed25519";
  /**
   * a chain is 64 hex digits in lower case
   */
  chain: string;
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * The public half of the key that it is signed with.
   */
  key: string;
  /**
   * The request it answers; absent in a file.
   */
  re?: RequestId | null;
  /**
   * The last event that is signed.
   */
  seq: number;
  /**
   * The signature.
   */
  sig: string;
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
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * For each seat, the letters of its pieces.
   */
  letters: string[];
  /**
   * How many pieces a cell holds, where the height of each one matters.
   */
  levels?: number | null;
  /**
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
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
  from?: string | null;
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
  /**
   * What the sketch comes to, if one was sent.
   */
  sketch?: Outlook | null;
  /**
   * Where its pieces may go.
   */
  to?: HintTarget[] | null;
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
  why?: string | null;
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
  choice?: string | null;
  /**
   * The choices.
   */
  choices?: string[];
  /**
   * The fewest that can.
   */
  least?: number | null;
  /**
   * The most that can, with the other amounts as they are.
   */
  most?: number | null;
  /**
   * How many pieces of it take part, where there is a choice.
   */
  pieces?: number | null;
}
/**
 * A cell that may be pointed at next.
 */
export interface NextCell {
  /**
   * The list that it joins; if it is in the other one, it leaves that.
   */
  as: "from" | "to";
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
  instead_of?: string | null;
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
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * The moves, canonical.
   */
  moves: string[];
  /**
   * What to ask with as `after` for the next page; absent on the last one.
   */
  next?: string | null;
  /**
   * Moves and skips so far.
   */
  ply: number;
  /**
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
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
  re?: RequestId | null;
  type: "games";
}
/**
 * A game in a list.
 */
export interface GameEntry {
  /**
   * The time control.
   */
  clock:
    | {
        mode: "none";
      }
    | {
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
    | {
        mode: "per_move";
        /**
         * For one move.
         */
        move_ms: number;
      }
    | {
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
    | {
        mode: "days";
        /**
         * For one move.
         */
        per_move_days: number;
      };
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
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
  ratings?: RatingChange | null;
  /**
   * How it ended.
   */
  result?: GameResult | null;
  /**
   * The game that is played.
   */
  rules: string;
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
  state: "live" | "finished";
  /**
   * Whose turn it is, in a live game.
   */
  to_move?: number | null;
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
  rating?: number | null;
  /**
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  user: string;
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
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
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
  rules: string;
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
  kind: "flag" | "number" | "word";
  /**
   * The least number.
   */
  least?: number | null;
  /**
   * The greatest number.
   */
  most?: number | null;
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
  level: "easy" | "medium" | "hard";
  /**
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  user: string;
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
  next?: StandingsCursor | null;
  /**
   * At tables of how many.
   */
  players: number;
  /**
   * The request it answers.
   */
  re?: RequestId | null;
  /**
   * The game.
   */
  rules: string;
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
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  user: string;
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
  owner?: UserName | null;
  /**
   * The user's rating in each game that was played for one.
   */
  ratings: PoolRating[];
  /**
   * The request it answers.
   */
  re?: RequestId | null;
  /**
   * Since when there is such a user.
   */
  since: number;
  type: "user";
  /**
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  user: string;
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
  rules: string;
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
  re?: RequestId | null;
  type: "history";
  /**
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  user: string;
}
/**
 * A user's tokens, the newest first.
 */
export interface Tokens {
  /**
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
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
  expires?: number | null;
  /**
   * What it is for.
   */
  label: string;
  /**
   * When a session was last opened with it, give or take ten minutes, in epoch milliseconds.
   */
  last_used?: number | null;
  /**
   * a token is named by t_ and 1 to 32 letters and digits; its secret is not its name
   */
  token: string;
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
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
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
  name: string;
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
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
  /**
   * The client's time, as it was given.
   */
  t0?: number | null;
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
  deadline?: number | null;
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * a position hash is 16 hex digits
   */
  hash: string;
  /**
   * The clocks when this turn began.
   */
  left_ms?: number[] | null;
  /**
   * Legal moves, for clients that asked for them.
   */
  legal?: string[] | null;
  /**
   * Whether `legal` leaves some out.
   */
  legal_cut?: boolean | null;
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
  } | null;
  /**
   * In which seat.
   */
  seat: number;
  /**
   * With the board: cells with pieces that another seat could capture, were it that seat's turn;
   * absent in games without captures.
   */
  threatened?: string[] | null;
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
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
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
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  by: string;
  /**
   * Names the challenge.
   */
  challenge: string;
  /**
   * The time control.
   */
  clock:
    | {
        mode: "none";
      }
    | {
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
    | {
        mode: "per_move";
        /**
         * For one move.
         */
        move_ms: number;
      }
    | {
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
    | {
        mode: "days";
        /**
         * For one move.
         */
        per_move_days: number;
      };
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
  rematch_of?: GameId | null;
  /**
   * The game.
   */
  rules: string;
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
  by?: UserName | null;
  /**
   * Which.
   */
  challenge: string;
  /**
   * The game that came of it.
   */
  game?: GameId | null;
  /**
   * The same in words, where a house player turned it down: why, and what to do.
   */
  message?: string | null;
  /**
   * Why none did.
   */
  reason?: ClosedReason | null;
  /**
   * The game that was to be played once more.
   */
  rematch_of?: GameId | null;
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
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
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
  re?: RequestId | null;
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
  allow: Allow;
  /**
   * Whether that is a program.
   */
  bot: boolean;
  /**
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  by: string;
  /**
   * The time control.
   */
  clock:
    | {
        mode: "none";
      }
    | {
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
    | {
        mode: "per_move";
        /**
         * For one move.
         */
        move_ms: number;
      }
    | {
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
    | {
        mode: "days";
        /**
         * For one move.
         */
        per_move_days: number;
      };
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
  rules: string;
  /**
   * Where the seeker would like to sit.
   */
  seat: "random" | number;
  /**
   * a seek is named by 1 to 32 letters, digits, _ and -
   */
  seek: string;
}
/**
 * Whom the seeker would play.
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
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * Whether there are later ones: ask again from behind the last.
   */
  more: boolean;
  /**
   * The boards.
   */
  positions: PlyPosition[];
  /**
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
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
  left_ms?: number[] | null;
  /**
   * The move in canonical notation; a skip is `pass`.
   */
  move?: string | null;
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
  seat?: number | null;
  /**
   * Cells with pieces that another seat could capture, were it that seat's turn; absent in games
   * without captures.
   */
  threatened?: string[] | null;
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
  entry?: GameEntry | null;
  /**
   * Which; `null` if none is being played.
   */
  game: GameId | null;
  /**
   * The request it answers.
   */
  re?: RequestId | null;
  /**
   * Of which kind.
   */
  rules: string;
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
  re?: RequestId | null;
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
  entry: GameEntry1;
  /**
   * a position hash is 16 hex digits
   */
  hash: string;
  /**
   * The last move; `pass` for a skip, absent before the first.
   */
  move?: string | null;
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
 * A game in a list.
 */
export interface GameEntry1 {
  /**
   * The time control.
   */
  clock:
    | {
        mode: "none";
      }
    | {
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
    | {
        mode: "per_move";
        /**
         * For one move.
         */
        move_ms: number;
      }
    | {
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
    | {
        mode: "days";
        /**
         * For one move.
         */
        per_move_days: number;
      };
  /**
   * How many moves spectators are behind while the game goes on.
   */
  delay?: number;
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
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
  ratings?: RatingChange | null;
  /**
   * How it ended.
   */
  result?: GameResult | null;
  /**
   * The game that is played.
   */
  rules: string;
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
  state: "live" | "finished";
  /**
   * Whose turn it is, in a live game.
   */
  to_move?: number | null;
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
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  by: string;
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * The line's number in that room, from 1.
   */
  n: number;
  /**
   * In which room.
   */
  room: "players" | "spectators";
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
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * The line's number.
   */
  n: number;
  /**
   * In which room.
   */
  room: "players" | "spectators";
  type: "unsaid";
}
/**
 * What was said in one room of a game.
 */
export interface TalkList {
  /**
   * a game is named by 1 to 16 letters and digits
   */
  game: string;
  /**
   * The lines, the oldest first.
   */
  lines: TalkLine[];
  /**
   * Whether there are earlier ones: ask again with `before` the first one's number.
   */
  more: boolean;
  /**
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
  /**
   * In which room.
   */
  room: "players" | "spectators";
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
   * a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit
   */
  by: string;
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
   * an id is 1 to 64 bytes of text without control characters
   */
  re: string;
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
  what: "restart";
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
  clock:
    | {
        mode: "none";
      }
    | {
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
    | {
        mode: "per_move";
        /**
         * For one move.
         */
        move_ms: number;
      }
    | {
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
    | {
        mode: "days";
        /**
         * For one move.
         */
        per_move_days: number;
      };
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
  rules: string;
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
  left_ms?: number[] | null;
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
  left_ms?: number[] | null;
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
  claimed_by?: number | null;
  game: GameId;
  hash: PositionHash;
  kind: "removed";
  /**
   * Why.
   */
  reason: "no_pieces" | "no_move" | "resigned" | "timed_out" | "abandoned";
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
   * an offer is named by o_ and its number
   */
  offer: string;
  req?: RequestId;
  /**
   * gapless within the game
   */
  seq: number;
  type: "event";
  /**
   * What is offered.
   */
  what: "draw" | "takeback" | "abort";
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
  offer: string;
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
   * an offer is named by o_ and its number
   */
  offer: string;
  /**
   * How it ended.
   */
  outcome: "accepted" | "declined" | "withdrawn" | "moved";
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
  left_ms?: number[] | null;
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
  reason: "outage";
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
  reason: "by_player" | "agreed" | "no_show";
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
  by?: number | null;
  chain: Chain;
  /**
   * Who claimed that this seat had been abandoned.
   */
  claimed_by?: number | null;
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
  reason:
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
