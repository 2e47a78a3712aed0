// Everything that the page says, in one place. What the server says, it says itself.

/** @import {Clock, ClockState, Failed, GameResult, Options} from "./wire.js" */

/** Units of time, in milliseconds. */
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** How each game introduces itself. A game that is not listed goes by its name alone. */
const GAMES = /** @type {Record<string, { name: string, line: string }>} */ ({
  adamas: { name: "Adamas", line: "Split and merge stacks. Capture what you see." },
  hexma: { name: "Hexma", line: "Step and hop across a star to join two edges." },
  stymie: { name: "Stymie", line: "Octagons and squares. Connect your two sides." },
  diam: { name: "Diam", line: "Build round a ring. Face your own colour." },
});

const REASONS = /** @type {Record<string, string>} */ ({
  aborted: "called off",
  last_player: "the last one left",
  two_pieces: "two pieces left that do not see each other",
  connected: "two edges connected",
  aligned: "two like pieces facing each other",
  stuck: "nobody can move",
  repetition: "the same position for the third time",
  too_long: "the game had become too long",
  agreement: "by agreement",
  resigned: "by resignation",
  timed_out: "on time",
  abandoned: "the opponent went away",
});

const SEAT_STATES = /** @type {Record<string, string>} */ ({
  in: "",
  no_pieces: "no pieces left",
  no_move: "could not move",
  resigned: "resigned",
  timed_out: "out of time",
  abandoned: "went away",
});

const OFFERS = /** @type {Record<string, { theirs: string, own: string, noun: string }>} */ ({
  draw: { theirs: "offers a draw", own: "have offered a draw", noun: "no draw" },
  takeback: {
    theirs: "asks to take the last move back",
    own: "have asked to take the last move back",
    noun: "the move stands",
  },
  abort: {
    theirs: "proposes to call the game off",
    own: "have proposed to call the game off",
    noun: "the game goes on",
  },
});

/** What a page that is older than its server is told to do. */
const RELOAD = "This page and the server do not understand each other. Please reload the page.";

/** What the server's refusals mean, by their code; `undefined` where only the server's sentence says it. */
const FAILURES = /** @type {Record<Failed["code"], string | undefined>} */ ({
  bad_json: RELOAD,
  bad_message: undefined,
  unknown_type: RELOAD,
  too_large: "That is too long.",
  proto_unsupported: RELOAD,
  unauthorized: "That name and that password do not go together.",
  forbidden: undefined,
  name_taken: "That name is taken, or too much like one that is. Please choose another.",
  not_found: undefined,
  not_a_player: "You do not play in this game.",
  not_your_turn: "It is not your turn.",
  stale_turn: "The game has moved on in the meantime.",
  illegal_move: undefined,
  game_over: "This game is over.",
  no_such_offer: "That offer is no longer open.",
  id_reuse: "That did not work. Please try again.",
  too_soon: "It is too early for that.",
  busy: "The server is busy at the moment.",
  rate_limited: undefined,
  overloaded: "The server has too much to do at the moment.",
  read_only: "The server cannot store anything at the moment.",
  internal: "Something went wrong on the server. Please try again.",
});

/** What there was too much of, by the name of the limit. */
const LIMITS = /** @type {Record<string, string>} */ ({
  messages: "That was a little fast.",
  guests_per_hour: "Too many guests have come from your network lately.",
  sign_ups_per_hour: "Too many accounts have been made from your network lately.",
  log_ins_per_min: "Too many people are logging in from your network.",
  failed_log_ins_per_min: "Too many wrong passwords.",
  lines: "You are writing faster than the others can read.",
});

/** What is wrong with a request's fields, or with its text, in words for programmers. */
const NO_SENTENCE = /^((missing|duplicate) field|invalid (type|value|length)|unknown variant)|at line \d+ column \d+$/;

/** What is said of a request that the server could not read, instead of those. */
const UNREADABLE = "That does not work: something in it is missing, or not as it should be.";

/** First names for guests who have not chosen one. */
export const GUEST_NAMES = [
  "Agate", "Amber", "Beryl", "Citrine", "Coral", "Emerald", "Flint", "Garnet", "Granite", "Jade",
  "Jasper", "Jet", "Lapis", "Marble", "Obsidian", "Onyx", "Opal", "Pearl", "Peridot", "Quartz",
  "Ruby", "Sapphire", "Slate", "Spinel", "Topaz", "Zircon",
];

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
 * Words of the server as a sentence of their own.
 * @param {string} text
 */
function sentence(text) {
  // Cells and moves keep their spelling.
  const begun = /^[a-z]+\b/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** @param {Failed} failed */
function failure({ code, message, why, limit }) {
  // A request that could not be read is refused with its type in front of what is wrong with it.
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
  board: "The board",
  kind,

  /** @param {string} rules */
  gameName: (rules) => GAMES[kind(rules)]?.name ?? kind(rules),
  /** @param {string} rules */
  gameLine: (rules) => GAMES[kind(rules)]?.line ?? "",

  /**
   * @param {string} name
   * @param {string} stack
   * @param {boolean} threatened
   */
  cell: (name, stack, threatened) =>
    stack === ""
      ? name
      : `${name}, ${count(stack.length, "piece")}: ${[...stack].join(" ")}${threatened ? ", threatened" : ""}`,

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
   * How long a game waits for a player who is away.
   * @param {string} mode of its clock
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
    game: "There is no such game. Perhaps the link was cut off.",
    /** @param {string} name */
    user: (name) => `There is no player called ${name}.`,
    rules: "There is no such game here.",
    home: "Go to the front page",
  },

  /**
   * Why the server has refused something, and when to try again.
   * @param {Failed} failed
   */
  failed: (failed) =>
    failed.retry_after_ms == null
      ? failure(failed)
      : `${failure(failed)} Try again in ${wait(failed.retry_after_ms)}.`,

  rules: {
    games: "Games",
    notation: "How moves are written",
    examples: "Moves to look at",
    options: "What can be chosen",
    /** @param {string} move */
    make: (move) => `Play ${move}`,
    back: "Take it back",
  },

  users: {
    standings: "Standings",
    none: "Nobody has a rating yet. Rated games between accounts count.",
    rating: "Rating",
    games: "Games",
    won: "Won",
    drawn: "Drawn",
    lost: "Lost",
    player: "Player",
    provisional: "provisional",
    history: "Finished games",
    noHistory: "No finished games yet.",
    online: "here now",
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
    noSeeks: "Nobody is waiting at the moment. You can be the first.",
    live: "Being played",
    all: "All games that are being played",
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
    refused: (by) => (by === "" ? "Nothing came of your challenge." : `${by} has declined your challenge.`),
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
    waiting: "Waiting for somebody to join …",
    asked: "Waiting for an answer …",
  },

  live: {
    all: "All",
    none: "Nobody is playing at the moment.",
  },

  house: {
    legend: "How well shall the house play?",
    levels: /** @type {Record<string, string>} */ ({ easy: "easy", medium: "medium", hard: "hard" }),
  },

  newGame: {
    heading: "A game of your own",
    game: "Game",
    against: "Against",
    house: "the house",
    level: "Its level",
    anyone: "anyone who comes",
    friend: "a player by name",
    name: "Name",
    names: "Names, separated by commas",
    players: "Players",
    seat: "Your seat",
    anySeat: "by lot",
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
    bots: "Programs may join",
    guests: "Guests may join",
    byDefault: "default",
    start: "Start",
  },

  game: {
    you: "you",
    bot: "program",
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
    dropStack: "Shift, or a long press: all of it.",
    all: "all",
    fewer: "Fewer pieces",
    more: "More pieces",
    notation: "Move in notation",
    resign: "Resign",
    resignSure: "Resign this game?",
    abort: "Call off",
    abortSure: "Call this game off?",
    offers: /** @type {Record<"draw" | "takeback" | "abort", string>} */ ({
      draw: "Offer a draw",
      takeback: "Ask to take back",
      abort: "Propose to call off",
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
      `${user} has gone away. In ${wait(seconds * SECOND)} you may claim the game.`,
    /** @param {string} user */
    gone: (user) => `${user} has not come back. `,
    claim: "Claim the game",
    online: "here",
    offline: "away",
    atOnce: {
      text: "Play at once",
      title: "Make a move without a further click as soon as it is complete and can mean nothing else",
    },
    threats: { text: "Threats", title: "Point out what could be captured, were it another's turn (key t)" },
    /**
     * A move, for those who hear the page.
     * @param {string} user
     * @param {string} move
     * @param {string[]} captured cells
     */
    moved: (user, move, captured) =>
      `${user}: ${move}${captured.length > 0 ? `, captured ${captured.join(", ")}` : ""}.`,
    /** @param {string[]} names */
    watching: (names) => `Watching: ${names.join(", ")}`,
    /** @param {number} periods */
    periods: (periods) => ` +${periods}`,
  },

  replay: {
    heading: "The moves so far, board by board",
    slider: "Which board is shown",
    first: "To the beginning",
    back: "One move back",
    forward: "One move on",
    last: "To the present",
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
    showing: (ply, last) => (ply === 0 ? "The beginning." : `Move ${ply} of ${last}.`),
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
    unmuteWhom: (user) => `Hear ${user} again`,
    muted: "Muted: ",
    unsay: "Take this line back",
  },

  download: {
    link: "Copy link",
    copied: "Copied",
    record: "Record",
    journal: "Journal",
    failed: "That did not work. Again?",
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
      `Your games are known under the name ${guest}. Keep that name and your games, or begin again as ${wanted} and leave them behind.`,
    /** @param {string} name */
    signUpAs: (name) => `Sign up as ${name}`,
    /** @param {string} name */
    signUpAnew: (name) => `Begin again as ${name}`,
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
    stale: "The server has not been heard for a while.",
    /** @param {number} seconds */
    waiting: (seconds) => `No connection. Trying again${seconds > 0 ? ` in ${seconds} s` : ""} …`,
    restart: "The server restarts. Your games are safe; back in a moment …",
    ended: "The server has closed the connection",
    retry: "Connect again",
    unanswered: "The connection broke before the answer came.",
  },
};
