// The texts of the page in English. Another language is another file with the same keys.

/** @import {Clock, ClockState, Failed, GameResult, Options} from "../wire.js" */

/** Units of time, in milliseconds. */
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** Name and line of each game. A game that is not listed has only its name. */
const GAMES = /** @type {Record<string, { name: string, line: string }>} */ ({
  adamas: { name: "Adamas", line: "Split and merge stacks. Capture what you see." },
  hexma: { name: "Hexma", line: "Step and hop across a star to join two edges." },
  stymie: { name: "Stymie", line: "Octagons and squares. Connect your two sides." },
  diam: { name: "Diam", line: "Build round a ring. Face your own colour." },
});

const REASONS = /** @type {Record<string, string>} */ ({
  aborted: "aborted",
  last_player: "last player left",
  two_pieces: "two pieces left that do not see each other",
  connected: "two edges connected",
  aligned: "two like pieces facing each other",
  stuck: "no player can move",
  repetition: "threefold repetition",
  too_long: "move limit reached",
  agreement: "by agreement",
  resigned: "by resignation",
  timed_out: "on time",
  abandoned: "the opponent left",
});

const SEAT_STATES = /** @type {Record<string, string>} */ ({
  in: "",
  no_pieces: "no pieces left",
  no_move: "could not move",
  resigned: "resigned",
  timed_out: "out of time",
  abandoned: "left",
});

const OFFERS = /** @type {Record<string, { theirs: string, own: string, noun: string }>} */ ({
  draw: { theirs: "offers a draw", own: "have offered a draw", noun: "no draw" },
  takeback: {
    theirs: "asks to take the last move back",
    own: "have asked to take the last move back",
    noun: "the move stands",
  },
  abort: {
    theirs: "proposes to abort the game",
    own: "have proposed to abort the game",
    noun: "the game goes on",
  },
});

/** The advice if the page is older than the server. */
const RELOAD = "This page and the server do not understand each other. Please reload the page.";

/** Texts of the server's errors by code; `undefined` if the server's own sentence is shown. */
const FAILURES = /** @type {Record<Failed["code"], string | undefined>} */ ({
  bad_json: RELOAD,
  bad_message: undefined,
  unknown_type: RELOAD,
  too_large: "That is too long.",
  proto_unsupported: RELOAD,
  unauthorized: "Wrong name or password.",
  forbidden: undefined,
  name_taken: "That name is taken, or too similar to another. Please choose a different one.",
  not_found: undefined,
  not_a_player: "You do not play in this game.",
  not_your_turn: "It is not your turn.",
  stale_turn: "The game has moved on.",
  illegal_move: undefined,
  game_over: "This game is over.",
  no_such_offer: "That offer is no longer open.",
  id_reuse: "That did not work. Please try again.",
  too_soon: "It is too early for that.",
  busy: "The server is busy at the moment.",
  rate_limited: undefined,
  overloaded: "The server is overloaded at the moment.",
  read_only: "The server cannot store anything at the moment.",
  internal: "Something went wrong on the server. Please try again.",
});

/** Texts of exceeded limits, by the name of the limit. */
const LIMITS = /** @type {Record<string, string>} */ ({
  messages: "That was a little fast.",
  guests_per_hour: "Too many guests have come from your network recently.",
  sign_ups_per_hour: "Too many accounts have been made from your network recently.",
  log_ins_per_min: "Too many people are logging in from your network.",
  failed_log_ins_per_min: "Too many wrong passwords.",
  lines: "You are writing faster than the others can read.",
});

/** Matches error messages that only programmers understand. */
const NO_SENTENCE = /^((missing|duplicate) field|invalid (type|value|length)|unknown variant)|at line \d+ column \d+$/;

/** The text that replaces them. */
const UNREADABLE = "The server cannot read this: something is missing or invalid.";

/**
 * @param {number} number
 * @param {string} one
 * @param {string} many
 */
function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** @param {number} ms */
function span(ms) {
  if (ms % MINUTE !== 0 || ms === 0) return `${ms / SECOND} s`;
  if (ms % DAY === 0) return count(ms / DAY, "day");
  if (ms % HOUR === 0) return count(ms / HOUR, "hour");
  return `${ms / MINUTE} min`;
}

/**
 * A time to wait, rounded up.
 * @param {number} ms
 */
function wait(ms) {
  if (ms <= MINUTE) return count(Math.max(1, Math.ceil(ms / SECOND)), "second");
  if (ms <= HOUR) return count(Math.ceil(ms / MINUTE), "minute");
  return ms <= 2 * DAY ? count(Math.ceil(ms / HOUR), "hour") : count(Math.ceil(ms / DAY), "day");
}

/**
 * Turns a message of the server into a sentence.
 * @param {string} text
 */
function sentence(text) {
  // Cells and moves keep their spelling.
  const begun = /^[a-z]+\b/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** @param {Failed} failed */
function failure({ code, message, why, limit }) {
  // The message of an invalid request begins with its type.
  const said = code === "bad_message" ? message.replace(/^[a-z_]+: /, "") : message;
  if (code === "bad_message" && NO_SENTENCE.test(said)) return UNREADABLE;
  return FAILURES[code] ?? LIMITS[limit ?? ""] ?? sentence(why ?? said);
}

/** @param {string} rules with or without a version */
function kind(rules) {
  return rules.split("@")[0] ?? rules;
}

export const strings = {
  title: "Adamant",
  kind,

  /** @param {string} rules */
  gameName: (rules) => GAMES[kind(rules)]?.name ?? kind(rules),
  /** @param {string} rules */
  gameLine: (rules) => GAMES[kind(rules)]?.line ?? "",

  /** What screen readers say about boards. */
  board: {
    name: "The board",
    empty: "empty",
    /** @param {number} pieces */
    yours: (pieces) => (pieces === 1 ? "your piece" : `your stack of ${pieces}`),
    /**
     * @param {string} user
     * @param {number} pieces
     */
    theirs: (user, pieces) => (pieces === 1 ? `piece of ${user}` : `stack of ${pieces} of ${user}`),
    /**
     * @param {string[]} letters of the pieces, the lowest first
     * @param {string | undefined} user whose piece is on top, if it is not the reader's
     */
    mixed: (letters, user) => {
      const top = user === undefined ? "yours" : `of ${user}`;
      return letters.length === 1 ? `piece ${letters.join("")}, ${top}` : `from the bottom ${letters.join(" ")}, the top one ${top}`;
    },
    states: /** @type {Record<string, string>} */ ({
      chosen: "chosen",
      target: "can go here",
      capture: "captures",
      threatened: "threatened",
      "last-to": "last move",
      "last-from": "last move left here",
    }),
    /**
     * @param {string} edge
     * @param {boolean} own
     */
    edge: (edge, own) => (own ? `your goal, ${edge}` : `goal, ${edge}`),
    edges: /** @type {Record<string, string>} */ ({
      home: "near edge",
      away: "far edge",
      top: "top edge",
      bottom: "bottom edge",
      left: "left edge",
      right: "right edge",
    }),
  },

  viewSettings: {
    heading: "View settings",
    theme: { title: "Appearance", choices: { auto: "As the system", light: "Light", dark: "Dark" } },
    board: { title: "Board", choices: { paper: "Paper", wood: "Wood", slate: "Slate" } },
    coordinates: { title: "Coordinates", choices: { edge: "At the edge", cells: "In the cells", off: "Off" } },
    letters: { title: "Letters on pieces", choices: { off: "Off", on: "On" } },
    animation: { title: "Animation", choices: { auto: "As the system", off: "Off" } },
    volume: { title: "Sound", choices: { 0: "Off", 40: "Soft", 70: "Normal", 100: "Loud" } },
  },

  /** @param {Clock | ClockState} given */
  clock: (given) => {
    const clock = /** @type {ClockState} */ (given);
    const base = span(clock.base_ms ?? 0);
    switch (clock.mode) {
      case "none":
        return "no clock";
      case "fischer":
        return clock.inc_ms ? `${base} + ${span(clock.inc_ms)} a move` : base;
      case "per_move":
        return `${span(clock.move_ms ?? 0)} a move`;
      case "byoyomi":
        return `${base} + ${clock.periods} × ${span(clock.period_ms ?? 0)}`;
      case "days":
        return `${count(clock.per_move_days ?? 0, "day")} a move`;
      default:
        return clock.mode;
    }
  },

  /**
   * How long a game waits for an absent player.
   * @param {string} mode of the clock
   * @param {{ timed_ms: number, untimed_ms: number }} after
   */
  claimAfter: (mode, after) =>
    mode === "days"
      ? "Only the clock decides over a player who is away."
      : `A player who is away on their turn for ${wait(mode === "none" ? after.untimed_ms : after.timed_ms)} may lose the game.`,

  /** @param {Options} options */
  options: (options) =>
    Object.entries(options)
      .filter(([, value]) => value !== false)
      .map(([name, value]) => (value === true ? name : `${name} ${value}`))
      .join(" · "),

  nav: { label: "Adamant", skip: "Skip to content", rules: "Rules", standings: "Standings" },
  loading: "Loading …",

  notFound: {
    title: "Not found",
    page: "There is nothing at this address.",
    game: "There is no such game. The link may be incomplete.",
    /** @param {string} name */
    user: (name) => `There is no player called ${name}.`,
    rules: "There is no such game here.",
    home: "Go to the front page",
  },

  /**
   * The text of an error, and when to try again.
   * @param {Failed} failed
   */
  failed: (failed) =>
    failed.retry_after_ms == null
      ? failure(failed)
      : `${failure(failed)} Try again in ${wait(failed.retry_after_ms)}.`,

  rules: {
    games: "Games",
    notation: "How moves are written",
    examples: "Example moves",
    options: "Options",
    /** @param {string} move */
    make: (move) => `Play ${move}`,
    back: "Take it back",
  },

  users: {
    standings: "Standings",
    none: "No player has a rating yet. Rated games between accounts count.",
    rating: "Rating",
    games: "Games",
    won: "Won",
    drawn: "Drawn",
    lost: "Lost",
    player: "Player",
    provisional: "provisional",
    history: "Finished games",
    noHistory: "No finished games yet.",
    online: "online",
    /** @param {number} players */
    tables: (players) => `${players} players`,
    /** @param {string} owner */
    owner: (owner) => `run by ${owner}`,
    /** @param {number} since */
    since: (since) => `since ${new Date(since).toLocaleDateString()}`,
    challenge: "Challenge",
    more: "More",
    /**
     * @param {number} rating
     * @param {number} deviation
     */
    rated: (rating, deviation) => `${rating} ± ${deviation}`,
  },

  home: {
    title: "Play",
    heading: "Four board games, live.",
    lead: "Choose one and you are playing. No account needed.",
    play: "Play the house",
    yours: "Your games",
    yourMove: "your move",
    challenges: "Challenges for you",
    seeks: "Looking for a game",
    noSeeks: "No player is waiting at the moment. You can be the first.",
    live: "Live games",
    all: "All live games",
    featured: "Featured",
    finished: "Just finished",
    join: "Join",
    withdraw: "Withdraw",
    accept: "Accept",
    decline: "Decline",
    cancel: "Cancel",
    outgoing: "Your challenges",
    /** @param {string[]} users */
    waitingFor: (users) => `waiting for ${users.join(" and ")}`,
    /** @param {string} by */
    challengedBy: (by) => `${by} challenges you`,
    /** @param {string} by */
    refused: (by) => (by === "" ? "Your challenge was not accepted." : `${by} has declined your challenge.`),
    /** @param {string[]} users */
    versus: (users) => users.join(" – "),
    /** @param {number} ply */
    ply: (ply) => count(ply, "move"),
    rated: "rated",
    unrated: "not rated",
    /**
     * @param {number} joined
     * @param {number} players
     */
    seated: (joined, players) => `${joined} of ${players}`,
    waiting: "Waiting for a player to join …",
    asked: "Waiting for an answer …",
  },

  live: {
    all: "All",
    none: "No live games at the moment.",
  },

  house: {
    legend: "How strong should the house play?",
    levels: /** @type {Record<string, string>} */ ({ easy: "easy", medium: "medium", hard: "hard" }),
  },

  newGame: {
    heading: "New game",
    game: "Game",
    against: "Against",
    house: "the house",
    level: "Its level",
    anyone: "any player",
    friend: "a player by name",
    name: "Name",
    names: "Names, separated by commas",
    players: "Players",
    seat: "Your seat",
    anySeat: "random",
    /** @param {number} seat */
    seatNumber: (seat) => ["first", "second", "third"][seat] ?? String(seat + 1),
    clock: "Clock",
    noClock: "none",
    perGame: "per game, with an increment",
    perMove: "per move",
    byoyomi: "per game, then periods",
    days: "days per move",
    minutes: "Minutes",
    increment: "Seconds added a move",
    seconds: "Seconds a move",
    periods: "Periods",
    period: "Seconds a period",
    dayCount: "Days a move",
    /** @param {string} name */
    noName: (name) => `${name} cannot be the name of a player.`,
    /** @param {number} names */
    namesMissing: (names) => (names === 1 ? "Please enter the name of one player." : `Please enter the names of ${names} players.`),
    rated: "Rated",
    bots: "Bots may join",
    guests: "Guests may join",
    byDefault: "default",
    start: "Start",
  },

  game: {
    you: "you",
    bot: "bot",
    guest: "guest",
    yourMove: "Your move.",
    /** @param {string} user */
    theirMove: (user) => `${user} to move.`,
    /** @param {string} state */
    seatState: (state) => SEAT_STATES[state] ?? state,
    reserve: "in reserve",
    waitingForServer: "Time is up: waiting for the server …",
    play: "Play",
    clear: "Clear",
    choose: "Choose a cell to begin.",
    chooseOrDrag: "Choose a piece, or drag it.",
    goOn: "Choose where to.",
    dropStack: "Shift or long press: the whole stack.",
    all: "all",
    fewer: "Fewer pieces",
    more: "More pieces",
    notation: "Move in notation",
    resign: "Resign",
    resignSure: "Resign this game?",
    abort: "Abort",
    abortSure: "Abort this game?",
    offers: /** @type {Record<"draw" | "takeback" | "abort", string>} */ ({
      draw: "Offer a draw",
      takeback: "Ask to take back",
      abort: "Propose to abort",
    }),
    yes: "Yes",
    no: "No",
    /**
     * @param {string} by
     * @param {string} what
     */
    offer: (by, what) => `${by} ${OFFERS[what]?.theirs ?? what}.`,
    /**
     * @param {string} user
     * @param {string} what
     */
    declined: (user, what) => `${user} declines: ${OFFERS[what]?.noun ?? what}.`,
    /** @param {string} what */
    ownOffer: (what) => `You ${OFFERS[what]?.own ?? what}.`,
    accept: "Accept",
    decline: "Decline",
    withdraw: "Withdraw",
    moves: "Moves",
    noMoves: "No moves yet.",
    spectators: (/** @type {number} */ number) => (number === 0 ? "" : count(number, "spectator")),
    again: "Play again",
    /** @param {string} user */
    wantsAgain: (user) => `${user} would like to play again.`,
    /**
     * @param {string} user
     * @param {number} seconds
     */
    away: (user, seconds) =>
      `${user} is away. You can claim the game in ${wait(seconds * SECOND)}.`,
    /** @param {string} user */
    gone: (user) => `${user} is still away. `,
    claim: "Claim the game",
    online: "online",
    offline: "away",
    atOnce: {
      text: "Play at once",
      title: "Play a move without a further click as soon as it is complete and unambiguous",
    },
    threats: { text: "Threats", title: "Show which pieces opponents could capture (key t)" },
    /**
     * Announces a move to screen readers.
     * @param {string} user
     * @param {string} move
     * @param {string[]} captured captured cells
     */
    moved: (user, move, captured) =>
      `${user}: ${move}${captured.length > 0 ? `, captured ${captured.join(", ")}` : ""}.`,
    /** @param {string[]} names */
    watching: (names) => `Watching: ${names.join(", ")}`,
    /** @param {number} periods */
    periods: (periods) => ` +${periods}`,
  },

  replay: {
    heading: "Earlier positions",
    slider: "Shown position",
    first: "First position",
    back: "One move back",
    forward: "One move forward",
    last: "Current position",
    /**
     * @param {number} ply
     * @param {number} last
     * @param {string | undefined} move
     */
    ply: (ply, last, move) => `after ${ply} of ${count(last, "move")}${move === undefined ? "" : `: ${move}`}`,
    /**
     * @param {number} ply
     * @param {number} last
     */
    showing: (ply, last) => (ply === 0 ? "Start position." : `Move ${ply} of ${last}.`),
  },

  talk: {
    heading: "Talk",
    rooms: { players: "players", spectators: "spectators" },
    write: "Say something",
    send: "Send",
    earlier: "Earlier lines",
    mute: "mute",
    /** @param {string} user */
    muteWhom: (user) => `Mute ${user}`,
    /** @param {string} user */
    unmuteWhom: (user) => `Unmute ${user}`,
    muted: "Muted: ",
    unsay: "Take this line back",
  },

  download: {
    link: "Copy link",
    copied: "Copied",
    record: "Record",
    journal: "Journal",
    failed: "Saving failed. Try again?",
    sound: "Sound",
  },

  /**
   * @param {GameResult} result
   * @param {string[]} users by seat
   */
  result: (result, users) => {
    const why = REASONS[result.reason] ?? result.reason;
    if (result.reason === "aborted") return `The game was ${why}.`;
    const winners = result.winners.map((seat) => users[seat] ?? "");
    if (winners.length === 1) return `${winners[0]} wins: ${why}.`;
    return `A draw${winners.length < users.length ? ` between ${winners.join(" and ")}` : ""}: ${why}.`;
  },

  account: {
    heading: "Account",
    nameRule: "2 to 20 letters and digits, - and _ in between.",
    passwordRule: "At least 8 characters.",
    passwordLong: "That password is too long.",
    passwordMissing: "Please enter a password.",
    /**
     * @param {string} guest
     * @param {string} wanted
     */
    otherName: (guest, wanted) =>
      `Your games belong to the name ${guest}. Keep that name and your games, or start again as ${wanted} and leave them behind.`,
    /** @param {string} name */
    signUpAs: (name) => `Sign up as ${name}`,
    /** @param {string} name */
    signUpAnew: (name) => `Start again as ${name}`,
    signUp: "Sign up",
    logIn: "Log in",
    logOut: "Log out",
    user: "Name",
    password: "Password",
    keepName: "Sign up to keep your name and to play rated games.",
    /** @param {string} name */
    youAre: (name) => `You are ${name}.`,
    /** @param {string} name */
    youAreGuest: (name) => `You are playing as ${name}, a guest.`,
    logOutSure:
      "A guest has no password: once you log out you cannot come back under this name, and your unfinished games are lost. Sign up to keep them. Log out all the same?",
  },

  connection: {
    opening: "Connecting …",
    stale: "The server has not answered for a while.",
    /** @param {number} seconds */
    waiting: (seconds) => `No connection. Trying again${seconds > 0 ? ` in ${seconds} s` : ""} …`,
    restart: "The server restarts. Your games are safe; back in a moment …",
    ended: "The server has closed the connection",
    retry: "Connect again",
    unanswered: "The connection broke before the server answered.",
  },
};
