// The texts of the page in English. Another language is another file with the same keys.

import { DAY, HOUR, MINUTE, SECOND, failureText, inPairs, kind, optionsInWords, reasonText, sentence } from "./shared.js";

/** @import {Clock, ClockState, Failed, GameResult, Options} from "../wire.js" */
/** @import {OptionWords, Reason} from "./shared.js" */

/** The names of the games. @type {Record<string, string>} */
const GAMES = { adamas: "Adamas", hexma: "Hexma", stymie: "Stymie", diam: "Diam" };

/** Options of games in words. @type {Record<string, Record<string, OptionWords>>} */
const OPTIONS = {
  adamas: {
    size: {
      title: "Board size",
      about: "How many cells a side of the board has.",
      choice: (size) => `${size} cells a side`,
      set: (size) => `board of ${size} a side`,
    },
    pieces: { title: "Pieces", about: "How many pieces each player begins with.", choice: String, set: (pieces) => `${pieces} pieces each` },
    prog_cap: {
      title: "Progressive captures",
      about: "After each part of a split the enemies in sight are counted again.",
      set: () => "progressive captures",
    },
  },
  stymie: {
    size: {
      title: "Board size",
      about: "How many octagons a side of the board has.",
      choice: (size) => `${size} octagons a side`,
      set: (size) => `board of ${size} a side`,
    },
    swap: {
      title: "Swap after the first move",
      about: "The second player may change sides after the first move, which makes the start fair.",
      set: () => "with swap",
    },
  },
  diam: {
    board: {
      title: "Board",
      about: "How many sectors the ring has, and how high stacks may be.",
      choice: (board) => inPairs(board, (sectors, height) => `${sectors} sectors, stacks up to ${height}`),
      set: (board) => inPairs(board, (sectors, height) => `${sectors} sectors, stacks up to ${height}`),
    },
    pieces: {
      title: "Pieces",
      about: "How many colours each player has, and how many pieces of each.",
      choice: (pieces) => inPairs(pieces, (colours, each) => `${colours} colours, ${each} pieces of each`),
      set: (pieces) => inPairs(pieces, (colours, each) => `${colours} colours of ${each} pieces`),
    },
    nomirror: {
      title: "No mirrored start",
      about: "The second player's first piece may not go opposite the first player's.",
      set: () => "no mirrored start",
    },
  },
};

/** How a game was won, after "Ann won". */
const WON_BY = /** @type {Record<string, string>} */ ({
  last_player: "as the last player left",
  connected: "by joining both edges",
  aligned: "with two like pieces face to face",
  resigned: "by resignation",
  timed_out: "on time",
  abandoned: "because the opponent left",
  ruling: "by a ruling of the operator",
});

/** Why nobody won, after "A draw". */
const DRAWN_BY = /** @type {Record<string, string>} */ ({
  two_pieces: "the last two pieces cannot see each other",
  connected: "two players joined their edges at once",
  aligned: "two pairs face each other",
  stuck: "nobody can move",
  repetition: "the same position came up three times",
  too_long: "the game reached its limit of moves",
  agreement: "the players agreed to it",
  ruling: "the operator ruled so",
});

/** How a game ended for the player who won it, and for one who lost it. @type {Record<string, [string, string]>} */
const ENDED_BY = {
  last_player: ["the last player left", "out before the others"],
  connected: ["joined both edges", "the opponent joined both edges"],
  aligned: ["two like pieces face to face", "the opponent faced two like pieces"],
  resigned: ["the opponent resigned", "by resignation"],
  timed_out: ["the opponent ran out of time", "on time"],
  abandoned: ["the opponent left", "left the game"],
  ruling: ["by a ruling of the operator", "by a ruling of the operator"],
  aborted: ["no result", "no result"],
};

/** What a player wants in a game: for a seat, or for anybody. @type {Record<string, (seat: number | undefined, players: number) => string>} */
const GOALS = {
  adamas: () => "Capture stacks until nobody else can move: the last player left wins.",
  hexma: (seat, players) =>
    players === 2
      ? "Join the top edge and the bottom edge with a chain of your own pieces."
      : seat === undefined
        ? "Each player joins the two edges of their own colour with a chain of pieces."
        : "Join the two edges of your colour with a chain of your own pieces.",
  stymie: (seat) =>
    ["Join the top and the bottom of the board with your pieces.", "Join the left and the right of the board with your pieces."][seat ?? -1] ??
    "One player joins top and bottom, the other left and right.",
  diam: () => "Get two like pieces of yours face to face across the ring, at the same height above the ground.",
};

/** The rules of each game in a few sentences. @type {Record<string, (players: number) => string[]>} */
const RULES = {
  adamas: () => [
    "Pieces move in straight lines over empty cells, as far as you like, onto an empty cell, a stack of yours, or one that they capture.",
    "In one move you may split a stack to several cells, or gather several stacks on one cell.",
    "You capture a stack if its height equals the number of pieces of other colours that it sees: add up the first stack on each of its six lines.",
    "The very first move may not capture.",
    "A player without a piece, or without a move on their turn, is out.",
    "Two single pieces that do not see each other, or the same position for the third time, make a draw.",
  ],
  hexma: (players) => [
    "Move one piece a step to a free point beside it, or let it hop.",
    "A hop goes over one piece of any colour to the free point right behind it. Hop as often as you like in one move.",
    "Nothing is ever captured.",
    players === 2 ? "Both players join the same two edges." : "Each of the three players has another pair of edges.",
    "Only your own move can win for you. The same position for the third time is a draw.",
  ],
  stymie: () => [
    "Pieces never move. Put one piece on any free cell, or two: on an octagon and a square that touches it.",
    "After your opponent's single piece you may put down three: an octagon with two of its squares, or a square with two of its octagons. So mind when you play only one.",
    "Octagons touch the four octagons beside them and the squares at their corners. Squares touch octagons only.",
    "The first move of the game is one piece. A full board always has a winner.",
  ],
  diam: () => [
    "Put a piece of your reserve on top of any stack, or move a piece of yours, with all that lies on it, to the top of a neighbouring stack.",
    "Stacks have a limit of height.",
    "Two like pieces that face each other across the ring, at the same height and above the ground, win for their owner, whoever moved.",
    "If there are several such pairs, the highest decides.",
    "A player who cannot move is passed over. The same position for the third time is a draw.",
  ],
};

/** The names of the server's own bots. @type {Record<string, string>} */
const COMPUTERS = {
  "house-easy": "Computer (level 1)",
  "house-2": "Computer (level 2)",
  "house-3": "Computer (level 3)",
  house: "Computer (level 4)",
  "house-5": "Computer (level 5)",
  "house-6": "Computer (level 6)",
  "house-7": "Computer (level 7)",
  "house-hard": "Computer (level 8)",
  "house-1b": "Computer B (level 1)",
  "house-2b": "Computer B (level 2)",
  "house-3b": "Computer B (level 3)",
  "house-4b": "Computer B (level 4)",
  "house-5b": "Computer B (level 5)",
  "house-6b": "Computer B (level 6)",
  "house-7b": "Computer B (level 7)",
  "house-8b": "Computer B (level 8)",
};

const SEAT_STATES = /** @type {Record<string, string>} */ ({
  in: "",
  no_pieces: "no pieces left",
  no_move: "could not move",
  resigned: "resigned",
  timed_out: "out of time",
  abandoned: "left",
});

/** How a player has left whose seat a computer may take: of another, and of the reader. */
const LEAVES = /** @type {Record<string, [string, string]>} */ ({
  resigned: ["has resigned", "have resigned"],
  timed_out: ["has run out of time", "have run out of time"],
  abandoned: ["has left", "have left"],
});

/** What is said of an offer; `moves` is how many a takeback takes back. @typedef {(moves: number) => string} OfSomeMoves */

const OFFERS = /** @type {Record<string, { theirs: OfSomeMoves, own: OfSomeMoves, noun: string }>} */ ({
  draw: { theirs: () => "offers a draw", own: () => "have offered a draw", noun: "no draw" },
  takeback: {
    theirs: (moves) => `asks to take ${lastMoves(moves)} back`,
    own: (moves) => `have asked to take ${lastMoves(moves)} back`,
    noun: "the move stands",
  },
  abort: {
    theirs: () => "proposes to abort the game",
    own: () => "have proposed to abort the game",
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
  not_accepting: "That user does not accept this from you.",
  blocked: "One of you has blocked the other.",
  game_over: "This game is over.",
  no_such_offer: "That offer is no longer open.",
  id_reuse: "That did not work. Please try again.",
  too_soon: "It is too early for that.",
  busy: "The server is busy at the moment.",
  rate_limited: undefined,
  overloaded: "The server is overloaded at the moment.",
  read_only: "The server cannot store anything at the moment.",
  banned: undefined,
  sign_up_closed: undefined,
  maintenance: undefined,
  silenced: undefined,
  internal: "Something went wrong on the server. Please try again.",
});

/** Texts of exceeded limits, by the name of the limit. */
const LIMITS = /** @type {Record<string, string>} */ ({
  messages: "That was a little fast.",
  guests_per_hour: "Too many guests have come from your network recently.",
  mails_per_hour: "Too many mails have been asked for recently.",
  mails_per_day: "Too many mails have been sent for this name today.",
  sign_ups_per_hour: "Too many accounts have been made from your network recently.",
  log_ins_per_min: "Too many people are logging in from your network.",
  failed_log_ins_per_min: "Too many wrong passwords.",
  lines: "You are writing faster than the others can read.",
});

/** The text in place of messages that only programmers understand. */
const UNREADABLE = "The server cannot read this: something is missing or invalid.";

/**
 * @param {number} number
 * @param {string} one
 * @param {string} many
 */
function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/**
 * Some moves at the end of a game.
 * @param {number} moves
 */
function lastMoves(moves) {
  return moves === 1 ? "the last move" : `the last ${moves === 2 ? "two" : moves} moves`;
}

/** @param {number} time */
function date(time) {
  return new Date(time).toLocaleDateString("en-GB", { dateStyle: "medium" });
}

/** @param {number} ms */
function time(ms) {
  return new Date(ms).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
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
 * Why a move is refused, in the server's words.
 * @param {Reason} reason
 */
const why = (reason) => reasonText({}, reason);

/** @param {Failed} failed */
const failure = (failed) => failureText({ failures: FAILURES, limits: LIMITS, unreadable: UNREADABLE, why, other: (said) => said }, failed);

export const strings = {
  title: "Adamant",
  kind,

  /** The games that the page can describe. */
  kinds: Object.keys(GAMES),

  /** @param {string} rules */
  gameName: (rules) => GAMES[kind(rules)] ?? kind(rules),
  /**
   * The goal of a game in a sentence.
   * @param {string} _rules
   * @param {string} said the server's sentence
   */
  gameGoal: (_rules, said) => said,

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

  date,

  /**
   * How long a game waits for an absent player.
   * @param {string} mode of the clock
   * @param {{ timed_ms: number, untimed_ms: number }} after
   */
  claimAfter: (mode, after) =>
    mode === "days"
      ? "Only the clock decides over a player who is away."
      : `A player who is away on their turn for ${wait(mode === "none" ? after.untimed_ms : after.timed_ms)} may lose the game.`,

  /**
   * Options in words, without those that only say what is usual.
   * @param {Options} options
   * @param {string} [rules]
   */
  options: (options, rules = "") => optionsInWords(OPTIONS, options, rules),

  /**
   * The title of an option, a sentence about it, and its values in words; `undefined` if the page
   * does not know the option.
   * @param {string} rules
   * @param {string} name
   */
  option: (rules, name) => OPTIONS[kind(rules)]?.[name],

  /**
   * The name of a player to show.
   * @param {string} user
   */
  player: (user) => COMPUTERS[user] ?? user,

  /**
   * Why a sketch is no move, as a sentence; empty if there is nothing to say.
   * @param {Reason | null | undefined} answer
   */
  why: (answer) => why(answer ?? {}),

  nav: {
    label: "Adamant",
    menu: "Menu",
    skip: "Skip to content",
    watch: "Watch",
    learn: "Learn",
    analysis: "Analysis",
    rules: "Rules",
    standings: "Standings",
    /** @param {number} games */
    yourMove: (games) => `${games} your move`,
    next: ": go to the next game",
  },
  loading: "Loading …",
  loadingOffline: "This appears as soon as the server can be reached.",
  loadingEnded: "This appears when you connect again.",

  trouble: {
    /** @param {string} what an error of the page, in the browser's words */
    failed: (what) => `Something on this page went wrong (${what}). Your games are safe on the server.`,
    stillLoading: "This takes unusually long. Your games are safe on the server.",
    partMissing: "This part of the page could not be loaded. It is tried again …",
    notStored: "This browser stores nothing for this page. You can play, but when you close the page, your settings and the games you play as a guest are gone from here.",
    tryAgain: "Try again",
    reload: "Load the page again",
    understood: "All right",
    /** @param {string} text */
    operatorSays: (text) => `The operator of this server says: ${text}`,
    /**
     * @param {number} minutes
     * @param {string} text
     */
    maintenance: (minutes, text) => `${minutes > 0 ? `In ${minutes} min` : "From now on"} no new games begin: ${text}`,
    maintenanceCancelled: "The planned restart is cancelled.",
    /** @param {string} text */
    warned: (text) => `The operator of this server warns you: ${text}`,
    /**
     * @param {number | undefined} until
     * @param {string} text
     */
    silenced: (until, text) => `You may not write to others${until === undefined ? "" : ` until ${time(until)}`}: ${text}`,
    /**
     * @param {boolean} acted
     * @param {string} text
     */
    reportClosed: (acted, text) => `Thank you for your report: ${acted ? "the operator has acted on it." : "the operator saw nothing to act on."} ${text}`.trim(),
    /**
     * @param {string} game
     * @param {string} text
     */
    gameRuled: (game, text) => `The operator has ended your game ${game}: ${text}`,
    /**
     * @param {string} game
     * @param {string} text
     */
    gameAnnulled: (game, text) => `The operator has annulled the result of your game ${game}: ${text}`,
    /** @param {string | undefined} user */
    otherUser: (user) => (user === undefined ? "This browser is no longer logged in." : `This browser is now ${user}, as chosen in another tab.`),
  },

  notFound: {
    title: "Not found",
    page: "There is nothing at this address.",
    game: "There is no such game. The link may be incomplete.",
    /** @param {string} name */
    user: (name) => `There is no player called ${name}.`,
    rules: "There is no such game here.",
    puzzle: "There is no such puzzle.",
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
    options: "Options",
    whole: "The rules in full",
  },

  explore: {
    play: "Play",
    undo: "Undo",
    fewer: "Fewer",
    more: "More",
    /** @param {string} cell */
    amount: (cell) => `Pieces for ${cell}`,
    /**
     * @param {string} piece
     * @param {number} pieces
     */
    reserve: (piece, pieces) => `${piece} × ${pieces}`,
    /** @param {number} seat from 1 */
    reserveOf: (seat) => `Reserve of player ${seat}`,
    /** @param {string} word a move without cells, such as `swap` */
    word: (word) => `Play ${word}`,
  },

  /** The analysis board, and games at one screen. */
  analysis: {
    title: "Analysis",
    /** @param {string} rules */
    heading: (rules) => `Analysis: ${GAMES[kind(rules)] ?? kind(rules)}`,
    /**
     * @param {string} game
     * @param {string} players
     */
    titleOf: (game, players) => `Analysis: ${game}, ${players}`,
    about: "Try moves for all sides, from the start of a game or in any position of a game. Or play with somebody beside you.",
    emptyBoard: "Analysis board",
    hotSeat: "Two at one screen",
    hotSeatAbout: "Play with somebody beside you. The game stays in this browser.",
    analyse: "Analyse",
    /** @param {string} players */
    analyseGame: (players) => `Analyse the game ${players}`,
    /** The sides by seat, if nobody plays them. */
    sides: ["Blue", "Orange", "White"],
    /** @param {string} user */
    toMove: (user) => `${user} to move.`,
    /** @param {number} moves */
    lineFull: (moves) => `This line has ${moves} moves, which is as many as can be tried.`,
    treeFull: "This analysis has as many moves as it can hold. Remove some to try others.",
    /** @param {string} result how the game ended, as a sentence */
    gameEnded: (result) => `The game ended here: ${result}`,
    lastPosition: "Last position",
    backToGame: "Back to the game",
    openGame: "Open the game",
    takeBack: "Take back",
    removeFrom: "Remove from here",
    reset: "Start over",
    copy: "Copy link",
    copied: "Copied.",
    addressTooLong: "There are too many moves for a link. Save them as text instead.",
    save: "Save as text",
    turns: { text: "Turn the board to the player to move", title: "Each player sees their own side near them" },
    again: "Play again",
    newGame: "New game",
    newGameAbout: "A new game takes the place of this one.",
    setUp: {
      change: "Change the board",
      show: "Show this board",
      begin: "Begin",
      /** @param {number} seat from 1 */
      name: (seat) => `Player ${seat}`,
    },
    opinion: {
      heading: "Computer's opinion",
      level: "Level",
      levels: { easy: "easy", medium: "medium", hard: "hard", perfect: "perfect play" },
      /**
       * @param {string} value
       * @param {string} side whose turn it is
       * @param {number} distance moves and skips to the end
       */
      perfect: (value, side, distance) =>
        ({ win: `${side} wins by force: ${count(distance, "move")} to the end.`, loss: `${side} loses by force: ${count(distance, "move")} to the end.` })[value] ??
        "A draw by perfect play.",
      /**
       * @param {number} moves how many are equally good
       * @returns {string}
       */
      bestMoves: (moves) => (moves === 1 ? "The only best move:" : "Best moves:"),
      /** @param {number} moves */
      moreMoves: (moves) => `and ${moves} more.`,
      notKnown: "Perfect play is not known here: only on small boards, with few pieces or near the end.",
      thinking: "Thinking …",
      /** @param {string} level */
      wouldPlay: (level) => `The computer (${level}) would play:`,
      playBest: "Play this move",
      even: "The position is about even.",
      good: {
        /** @param {string} side */
        better: (side) => `${side} is a little better.`,
        /** @param {string} side */
        muchBetter: (side) => `${side} is much better.`,
        /** @param {string} side */
        wins: (side) => `${side} wins.`,
      },
      bad: {
        /** @param {string} side */
        better: (side) => `${side} is a little worse.`,
        /** @param {string} side */
        muchBetter: (side) => `${side} is much worse.`,
        /** @param {string} side */
        wins: (side) => `${side} loses.`,
      },
      over: "The game is over.",
      none: "The computer has no opinion on this position.",
      forbidden: "While you play this game, the computer has no opinion on it.",
    },
    computer: {
      heading: "Computer analysis",
      begin: "Analyse this game",
      /** @param {number} ahead analyses that come first */
      queued: (ahead) => (ahead === 0 ? "The analysis begins in a moment …" : `In the queue, behind ${ahead} …`),
      /**
       * @param {number} searched
       * @param {number | undefined} positions
       */
      running: (searched, positions) => (positions === undefined ? "The analysis begins …" : `${searched} of ${positions} positions …`),
      noMoves: "This game has no moves to analyse.",
      /** @param {string} user */
      graph: (user) => `Chances of ${user} after each move`,
      /**
       * @param {number} chance in per cent
       * @param {string} user
       */
      start: (chance, user) => `Before the first move: ${chance} % for ${user}`,
      /**
       * @param {number} ply
       * @param {string} move
       * @param {number} chance in per cent
       * @param {string} user
       */
      after: (ply, move, chance, user) => `Move ${ply}, ${move}: ${chance} % for ${user}`,
      /** @param {string} verdict */
      verdict: (verdict) => ({ inaccuracy: "an inaccuracy", mistake: "a mistake", blunder: "a blunder" })[verdict] ?? "",
      noComment: "Go to a move of the game to see what the computer says of it.",
      /**
       * @param {string} user
       * @param {string} move
       * @param {number} chance in per cent
       */
      good: (user, move, chance) => `${user} played ${move}: ${chance} %.`,
      /**
       * @param {string} user
       * @param {string} move
       * @param {string} verdict
       * @param {number} lost in per cent
       */
      bad: (user, move, verdict, lost) => `${user} played ${move}, ${verdict} that lost ${lost} %.`,
      /** @param {number} moves */
      missed: (moves) => (moves === 1 ? "A win was missed." : `A win in ${moves} moves was missed.`),
      /**
       * @param {string} line
       * @param {number} chance in per cent
       */
      better: (line, chance) => `Best was ${line}: ${chance} %.`,
      pointOut: "Show the best move on the board",
      accuracyHeading: "Accuracy",
      /**
       * @param {string} user
       * @param {number} value in per cent
       */
      accuracy: (user, value) => `${user}: accuracy ${value} %`,
      turningPoints: "Turning points",
      show: "Show",
      playAgain: "Play it again from here",
      /** @param {number} ply */
      ofMove: (ply) => `(move ${ply})`,
    },
    load: {
      heading: "Load a game",
      about: "Paste a record or a list of moves, choose a file, or drop one on the page. Records saved as text and signed records can be read.",
      paste: "Record or moves",
      placeholder: "adamas challenge ann bob",
      file: "File",
      orFile: "or a file:",
      open: "Open",
      game: "Game",
      inTheText: "as the text says",
      whichGame: "These are only moves: choose the game that they belong to.",
      /** @param {{ number: number, move: string, why: string }} fault */
      fault: ({ number, move, why }) => `Move ${number}, ${move}, cannot be made. ${why}`,
      /** @param {{ number: number, move: string, why: string }} fault */
      partly: ({ number, move, why }) => `Move ${number}, ${move}, cannot be made, so the moves end before it. ${why}`,
      cut: "A player left this game. The moves after that cannot be shown.",
      /** @param {number} moves */
      long: (moves) => `This game is long: these are its first ${moves} moves.`,
    },
    record: {
      tooLong: "This is too large for the record of a game.",
      noText: "This is no text file. Choose the record of a game.",
      empty: "There are no moves in this text.",
      /** @param {number} line */
      noEvent: (line) => `Line ${line} is no part of a signed record.`,
      noStart: "This signed record lacks its beginning.",
      /** @param {string} name */
      noGame: (name) => `There is no game called ${name} here.`,
      /**
       * @param {number} line
       * @param {string} text
       */
      noMove: (line, text) => `This is no record of a game: “${text}” on line ${line} is no move.`,
    },
  },

  learn: {
    heading: "Learn to play",
    intro: "Three moves show how a game works. Then try its puzzles: every answer is proved.",
    /** @param {string} kind */
    title: (kind) => `Learn ${GAMES[kind] ?? kind}`,
    inAMinute: "Learn in a minute",
    firstMovesDone: "First moves again",
    firstMoves: "Your first moves",
    puzzles: "Puzzles",
    toPuzzles: "Try a puzzle",
    rules: "Rules",
    play: "Play the computer",
    again: "Again",
    allDone: "Well done!",
    nowPlay: "Now press Play.",
    clickMarked: "Not there.",
    legalBut: "That is a legal move, but not the one we want.",
    /**
     * @param {number} move
     * @param {number} moves
     */
    moveOf: (move, moves) => `Move ${move} of ${moves}`,
    /** @param {string} what a cell, or `+A` for a piece A of the reserve */
    click: (what) => (what.startsWith("+") ? `Click the piece ${what.slice(1)} of your reserve.` : `Click ${what}, which is marked.`),
    /** @param {number} solved */
    puzzlesSolved: (solved) => (solved === 0 ? "Puzzles" : `Puzzles: ${solved} solved`),
    /**
     * @param {number} grade
     * @param {number} solved
     * @param {number} all
     */
    solvedOf: (grade, solved, all) => `Difficulty ${grade}: ${solved} of ${all} solved`,
    /**
     * @param {number} number
     * @param {boolean} solved
     */
    puzzle: (number, solved) => (solved ? `Puzzle ${number}, solved` : `Puzzle ${number}`),
    goal: /** @type {Record<string, string>} */ ({
      adamas: "Capture all pieces of the other side.",
      hexma: "Join the bottom and the top of the star by a chain of your pieces.",
      stymie: "Blue joins top and bottom, orange joins left and right. One of them will.",
      diam: "Get two pieces of one colour face to face across the ring, above the ground.",
    }),
    guided: /** @type {Record<string, Record<string, string>>} */ ({
      adamas: {
        first: "All your pieces stand on c1. Send one along the row to the middle.",
        second: "One move can send pieces to several cells. Send two, up and down.",
        third: "The piece on c4 is one high, and exactly one piece of yours sees it: you can capture it.",
        done: "A stack falls when the pieces that see it are exactly as many as it is high. Capture everything and you win.",
      },
      hexma: {
        first: "A piece steps to a free point beside it.",
        second: "Or it hops over a piece beside it, yours or theirs, to the free point behind.",
        third: "Hops go on as long as there is something to hop over. This piece makes three.",
        done: "Join bottom and top by a chain of your pieces before the other side does.",
      },
      stymie: {
        first: "You are blue and join top and bottom. The first move is a single piece: take the middle.",
        second: "From now on you may place two: an octagon and a square that touches it.",
        third: "Orange has placed a single piece, so you may answer with three: an octagon and two squares that touch it.",
        done: "Top and bottom are joined: you have won.",
      },
      diam: {
        first: "Pieces come from your reserve, in two kinds: A and B. Put an A on sector 1.",
        second: "A piece goes on top of what is there. Put a B on your A.",
        third: "Your B on sector 1 stands on the second level. Face it with another B on sector 5, opposite.",
        done: "Two of a kind face to face above the ground: you have won.",
      },
    }),
    steps: /** @type {Record<string, Record<string, { title: string, text: string, task: string, done: string }>>} */ ({
      adamas: {
        move: {
          title: "Pieces move in straight lines",
          text: "Pieces of a stack go any distance along one of six lines, to a free cell or onto a stack of yours. They do not jump.",
          task: "Move some of your pieces on c1.",
          done: "Right. As many pieces as you like go, and the rest stay.",
        },
        split: {
          title: "Split",
          text: "One stack may send pieces to several cells in one move.",
          task: "Send pieces from one stack to two or more cells.",
          done: "Right. All of these cells were in sight before the move.",
        },
        merge: {
          title: "Merge",
          text: "Or several stacks send pieces to one cell that all of them see.",
          task: "Choose two of your stacks, then a cell that both see.",
          done: "Right. They now stand as one stack.",
        },
        capture: {
          title: "Capture",
          text: "A stack can be captured when the pieces that see it, all together, are exactly as many as it is high. What arrives takes its place.",
          task: "Capture the orange piece on c4.",
          done: "Right. One piece saw it, and it was one high.",
        },
        win: {
          title: "Win",
          text: "Whoever has no pieces left, or no move, is out. The last one wins.",
          task: "Two blue pieces see the orange stack of two: capture it.",
          done: "That is a win.",
        },
      },
      hexma: {
        step: {
          title: "Step",
          text: "A turn moves one piece. A step goes to a free point beside it.",
          task: "Move one of your pieces.",
          done: "Right.",
        },
        hop: {
          title: "Hop",
          text: "Or the piece hops over one piece beside it, of either side, to the free point right behind. Nothing is captured.",
          task: "Hop over a piece.",
          done: "Right. What it hopped over stays.",
        },
        chain: {
          title: "Hop on",
          text: "After a hop the piece may hop on, in any direction. You click only where it ends.",
          task: "Find a move of two hops or more.",
          done: "Right. A long line of pieces is a fast road.",
        },
        win: {
          title: "Win",
          text: "You win when a chain of your pieces joins the bottom edge to the top edge. Both sides join the same two edges.",
          task: "One move completes the chain.",
          done: "That is a win: the chain is complete.",
        },
      },
      stymie: {
        one: {
          title: "One piece",
          text: "Blue opens with a single piece on any cell, octagon or square.",
          task: "Place a piece.",
          done: "Right. Only the first move has to be a single piece.",
        },
        two: {
          title: "Two pieces",
          text: "After that a move may place two pieces: an octagon and a square that touches it.",
          task: "You are orange. Place an octagon and a square that touch.",
          done: "Right.",
        },
        three: {
          title: "Three pieces",
          text: "If the last move was a single piece, you may answer with three: an octagon with two squares, or a square with two octagons.",
          task: "Orange has placed one piece. Answer with three.",
          done: "Right. So a single piece has its price.",
        },
        win: {
          title: "Win",
          text: "Blue joins top and bottom, orange joins left and right. There is no draw.",
          task: "You are blue. Join top and bottom.",
          done: "That is a win.",
        },
      },
      diam: {
        place: {
          title: "Place",
          text: "A piece of your reserve goes on any sector, on top of what is there, up to four high.",
          task: "Choose a piece of the reserve, then a sector.",
          done: "Right.",
        },
        stack: {
          title: "Build",
          text: "Only pieces above the ground count, so stacks matter. You may build on your own pieces and on theirs.",
          task: "Place a piece on top of another.",
          done: "Right. It stands on the second level.",
        },
        shift: {
          title: "Shift",
          text: "Instead of placing a piece you may move a stack to the next sector, if its lowest piece is yours.",
          task: "Move your piece on sector 1 to the next sector.",
          done: "Right.",
        },
        part: {
          title: "Shift a part",
          text: "Or take a part of a stack, from a piece of yours upwards.",
          task: "Move your piece on top of sector 1, and leave the rest.",
          done: "Right. What lies on the piece goes along.",
        },
        win: {
          title: "Win",
          text: "You win when two pieces of one colour stand opposite each other on the same level, the second or higher. If both sides have such a pair, the higher one wins.",
          task: "Your B stands on sector 1, on the second level. Put another on sector 5, opposite.",
          done: "That is a win.",
        },
      },
    }),
  },

  puzzles: {
    /**
     * @param {string} game
     * @param {number} number
     */
    title: (game, number) => `Puzzle ${number}: ${game}`,
    /**
     * @param {number} number
     * @param {number} count
     */
    heading: (number, count) => `Puzzle ${number} of ${count}`,
    /** @param {number} grade */
    grade: (grade) => `Difficulty ${grade} of 5`,
    /** The colours of the seats. */
    sides: ["blue", "orange"],
    /**
     * What a beginner does not know from the first moves.
     * @param {string} kind
     * @param {Record<string, unknown>} options
     */
    about: (kind, options) =>
      kind === "diam" ? `Each side has ${String(options["pieces"] ?? "2x4").split("x")[0]} kinds of pieces, each with its own shade and sign. Two of one kind face to face, above the ground, win.` : "",
    /** @param {string} side */
    winInOne: (side) => `You play ${side}. Win with this move.`,
    /**
     * @param {string} side
     * @param {number} moves
     */
    winIn: (side, moves) => `You play ${side}. Win in ${moves} moves, whatever the other side plays.`,
    /** @param {string} side */
    save: (side) => `You play ${side}. Only one move does not lose. Find it.`,
    /**
     * @param {string} side
     * @param {number} moves
     */
    goOn: (side, moves) => (moves === 1 ? `Right! Now win with ${side}.` : `Right! Now win with ${side} in ${moves} moves.`),
    right: "Right! The other side tries to defend …",
    solved: "Solved!",
    seen: "That is it. Try the next one without help.",
    /** @param {string} move */
    notWon: (move) => `${move} does not win at once. Try another move.`,
    /** @param {string} move */
    notFast: (move) => `${move} does not win in time. Try another move.`,
    /**
     * @param {string} move
     * @param {string} reply
     */
    stopped: (move, reply) => `${move} is not enough: after ${reply} you cannot win with the next move.`,
    /**
     * @param {string} move
     * @param {string} reply
     */
    lost: (move, reply) => `${move} loses: ${reply} wins at once.`,
    /**
     * @param {string} move
     * @param {string} reply
     */
    losing: (move, reply) => `${move} loses: after ${reply} nothing stops the other side.`,
    /** @param {string[]} cells */
    hintFrom: (cells) => `Look at ${cells.join(", ")}.`,
    /** @param {string[]} cells */
    hintTo: (cells) => `Something belongs on ${cells.join(", ")}.`,
    /** @param {string[]} moves */
    solutionIs: (moves) => `The solution: ${moves.join(", ")}.`,
    hint: "Hint",
    solution: "Show the solution",
    again: "Try again",
    next: "Next puzzle",
    all: "All puzzles",
  },

  users: {
    standings: "Standings",
    whose: "Who is listed",
    who: { everyone: "Everyone", people: "People", bots: "Bots" },
    none: {
      everyone: "No player has a rating yet. Rated games between accounts count.",
      people: "No person has a rating yet. Rated games between accounts count.",
      bots: "No bot has a rating yet. Rated games between accounts count.",
    },
    rating: "Rating",
    games: "Games",
    won: "Won",
    drawn: "Drawn",
    lost: "Lost",
    place: "Place",
    player: "Player",
    provisional: "provisional",
    current: "Playing now",
    history: "Finished games",
    online: "online",
    /** @param {number} players */
    tables: (players) => `${players} players`,
    /** @param {string} owner */
    owner: (owner) => `run by ${owner}`,
    /** @param {number} since */
    since: (since) => `since ${date(since)}`,
    challenge: "Challenge",
    challenged: "Challenge sent. The game begins when it is accepted.",
    block: "Block",
    unblock: "Unblock",
    feed: "Feed",
    feedAbout: "The games of this player for a news reader (Atom)",
    /**
     * @param {number} games
     * @param {number} first
     * @param {number} last
     */
    course: (games, first, last) => `Rating over the last ${count(games, "game")}: from ${first} to ${last}`,
    /** @param {number} place in the standings */
    placed: (place) => `place ${place}`,
    /**
     * @param {number} games
     * @param {number} wins
     * @param {number} draws
     * @param {number} losses
     */
    record: (games, wins, draws, losses) => `${count(games, "rated game")}: ${wins} won, ${draws} drawn, ${losses} lost`,
    /**
     * @param {number} rating
     * @param {number} deviation
     */
    rated: (rating, deviation) => `${rating} ± ${deviation}`,
  },

  stats: {
    title: "Statistics",
    whose: "Whose games",
    who: { everyone: "All games", people: "People", bots: "Bots", mixed: "People against bots" },
    none: "No such game has ended yet.",
    /**
     * @param {number} games
     * @param {number} aborted
     */
    games: (games, aborted) => (aborted === 0 ? count(games, "game") : `${count(games, "game")}, and ${aborted} aborted`),
    results: "Results",
    result: "Result",
    count: "Games",
    share: "Share",
    /** @param {number} player from 1 */
    wonBy: (player) => `Player ${player} won`,
    drawn: "Drawn",
    ends: "How the games ended",
    end: "End",
    /** @type {Record<string, string>} */
    reasons: {
      last_player: "Last player left",
      two_pieces: "Two pieces left",
      connected: "Edges joined",
      aligned: "Two like pieces face to face",
      stuck: "Nobody can move",
      repetition: "Repetition",
      too_long: "Limit of moves",
      agreement: "Agreement",
      resigned: "Resignation",
      timed_out: "Time",
      abandoned: "Player left",
      ruling: "Ruling of the operator",
    },
    lengths: "Lengths",
    /**
     * @param {number} median
     * @param {number} lower
     * @param {number} upper
     */
    median: (median, lower, upper) => `Half of the games have at most ${count(median, "move")}, and half of all between ${lower} and ${upper}.`,
    /** @param {number} longest */
    chart: (longest) => `Lengths of the games, up to ${count(longest, "move")}`,
    /**
     * @param {number} from
     * @param {number} to
     * @param {number} games
     */
    bar: (from, to, games) => `${from === to ? count(from, "move") : `${from} to ${to} moves`}: ${count(games, "game")}`,
    axis: "Moves",
    openings: "Openings",
    openingsAbout: "Games with the usual options; unlisted games are not among them.",
    /** @param {number} moves */
    firstMoves: (moves) => (moves === 1 ? "First move" : `First ${moves} moves`),
    wonBySeat: "Won by seat",
    /**
     * @param {number} part
     * @param {number} all
     */
    percent: (part, all) => `${all === 0 ? 0 : Math.round((100 * part) / all)}%`,
  },

  home: {
    title: "Play",
    heading: "Four board games, live.",
    lead: "Play a first game in a minute. No account needed.",
    welcome: "Play",
    newGame: "New game",
    computer: "Computer",
    person: "Person",
    friend: "Friend",
    /** @param {string} game */
    playComputer: (game) => `Play ${game} against the computer`,
    /** @param {string} game */
    playPerson: (game) => `Play ${game} against a person`,
    /** @param {string} game */
    playFriend: (game) => `Play ${game} against a friend`,
    learn: "Learn in a minute",
    yours: "Your games",
    yourMove: "Your move",
    /** @param {string} user */
    theirMove: (user) => `${user} to move`,
    showAll: "Show all",
    challenges: "Challenges for you",
    seeks: "Open games",
    noSeeks: "Nobody is waiting for an opponent. Be the first:",
    open: "Open a game",
    live: "Live games",
    all: "All live games",
    featured: "Featured",
    finished: "Just finished",
    allFinished: "All finished games",
    join: "Join",
    accept: "Accept",
    decline: "Decline",
    cancel: "Cancel",
    outgoing: "Waiting for an opponent",
    /** @param {string[]} users */
    waitingFor: (users) => `waiting for ${users.join(" and ")}`,
    /** @param {string} by */
    challengedBy: (by) => `${by} challenges you`,
    /**
     * @param {string} by
     * @param {string} [reason]
     */
    refused: (by, reason = "") =>
      ({
        expired: "Nobody has accepted your challenge in time.",
        later: `${by} cannot play now. Try again later.`,
        too_fast: `${by} wants a slower clock.`,
        too_slow: `${by} only plays with a clock, or a faster one, at the moment.`,
        rated: `${by} only plays rated games.`,
        casual: `${by} does not play rated games.`,
        game: `${by} does not play this game.`,
        options: `${by} does not play with these options.`,
        no_bot: `${by} does not play bots.`,
        busy: `${by} plays as many games as it can at the moment.`,
        busy_with_you: `You have as many games with ${by} as one player may have. Finish one of them to begin another.`,
        busy_network: `${by} plays as many games as it can with people of your network at the moment.`,
      })[reason] ?? (by === "" ? "Your challenge was not accepted." : `${by} has declined your challenge.`),
    /** @param {string[]} users */
    versus: (users) => users.join(" – "),
    /** @param {number} ply */
    ply: (ply) => count(ply, "move"),
    rated: "rated",
    unrated: "not rated",
    /**
     * @param {number | undefined} least
     * @param {number | undefined} most
     */
    ratedFrom: (least, most) =>
      least === undefined ? `players up to ${most}` : most === undefined ? `players from ${least}` : `players from ${least} to ${most}`,
    /**
     * @param {number} joined
     * @param {number} players
     */
    seated: (joined, players) => `${joined} of ${players}`,
    waiting: "Waiting for a player to join …",
    stays: "stays open while you are away",
    invited: "Anyone with the link can join",
    /** @param {string} user */
    invitedBy: (user) => `You have joined ${user}`,
    asked: "Waiting for an answer …",
  },

  challenge: {
    notices: "Challenges",
    /** @param {string} by */
    from: (by) => `${by} challenges you`,
    /** @param {string} by */
    again: (by) => `${by} would like to play again`,
    /** @param {string[]} users */
    others: (users) => `Also playing: ${users.join(", ")}`,
    randomSeat: "the first player is chosen at random",
    /** @param {number} seat */
    seat: (seat) => ["you move first", "you move second", "you move third"][seat] ?? `you have seat ${seat + 1}`,
    later: "Later",
  },

  notify: {
    ask: "Tell me when it is my move",
    about: "Your browser can tell you about your moves and challenges while you look at something else.",
    on: "Notifications are on.",
    failed: "Notifications are on only while a page of ours is open: your browser could not be subscribed to calls.",
    onOpen: "Notifications are on in this browser, while a page of ours is open.",
    onClosed: "Notifications are on in this browser, also while the page is closed.",
    off: "Turn them off",
    browsers: "Browsers that hear of your games while the page is closed",
    remove: "Remove",
    feed: "Feed of your games",
    feedAbout: "(Atom, for a news reader; public games only)",
    heading: "Notifications",
    refused: "Your browser does not allow notifications for this page.",
    yourMove: "Your move",
    over: "Game over",
    /**
     * @param {string} game
     * @param {string[]} opponents
     */
    gameWith: (game, opponents) => `${game} against ${opponents.join(" and ")}`,
    /**
     * @param {"won" | "lost" | "drawn"} outcome
     * @param {string} game
     * @param {string[]} opponents
     */
    result: (outcome, game, opponents) =>
      `${{ won: "You won", lost: "You lost", drawn: "You drew" }[outcome]}: ${game} against ${opponents.join(" and ")}.`,
    /**
     * @param {string} game
     * @param {string[]} opponents
     */
    aborted: (game, opponents) => `${game} against ${opponents.join(" and ")} was aborted.`,
  },

  join: {
    title: "Join a game",
    /** @param {string} by */
    heading: (by) => `${by} invites you to a game`,
    play: "Play",
    guest: "You can play without an account.",
    yours: "This is your own invitation. Send the link to the person you want to play:",
    gone: "This invitation is no longer open.",
    /**
     * @param {number} joined
     * @param {number} players
     */
    joined: (joined, players) => `${joined} of ${players} players are here.`,
    waiting: "You have joined. The game begins when everyone is here.",
    randomSeat: "The first player is chosen at random.",
    /**
     * @param {number} seat of the one who invites
     * @returns {string}
     */
    seat: (seat) => (seat === 0 ? "They move first." : "You move first."),
  },

  live: {
    title: "Watch",
    all: "All",
    none: "No live games at the moment.",
    player: "Player",
    finished: "Finished games",
    tv: "Watch on one board",
  },

  tv: {
    title: "Live TV",
    none: "Nobody plays at the moment. A game appears here as soon as one begins.",
    open: "Open this game",
  },

  games: {
    title: "Finished games",
    game: "Game",
    anyGame: "any game",
    player: "Player",
    opponent: "Against",
    result: "Result",
    anyResult: "any result",
    /** Results from the side of the player. */
    results: /** @type {Record<string, string>} */ ({ won: "won", lost: "lost", drawn: "drawn" }),
    outcomes: { won: "Won", lost: "Lost", drawn: "Draw", aborted: "Aborted" },
    annulled: "annulled",
    leftToComputer: "A computer took the seat.",
    /** @param {string[]} users */
    against: (users) => `Against ${users.join(" and ")}`,
    /**
     * How a game ended for a player, as a sentence.
     * @param {string} reason
     * @param {"won" | "lost" | "drawn" | "aborted"} outcome
     */
    how: (reason, outcome) => sentence(outcome === "drawn" ? (DRAWN_BY[reason] ?? reason) : (ENDED_BY[reason]?.[outcome === "won" ? 0 : 1] ?? reason)),
    rated: "Rated only",
    search: "Show",
    none: "No finished games match.",
    whose: "Please enter a player: results and opponents are those of a player.",
    more: "More",
  },

  bots: {
    title: "Play a bot",
    lead: "Programs that are connected and accept challenges: those of the server, and those of players.",
    all: "All games",
    none: "No bot accepts such games at present.",
    /** @param {string} user */
    challenge: (user) => `Challenge ${user}`,
    ofServer: "of this server",
    busy: "Busy at present",
    /** @param {number} games */
    free: (games) => `Free for ${count(games, "game")}`,
    /** @param {string} what */
    accepts: (what) => `Accepts: ${what}`,
    everything: "Accepts every game",
    clocks: /** @type {Record<string, string>} */ ({
      none: "no clock",
      fischer: "time with increment",
      per_move: "time per move",
      byoyomi: "byoyomi",
      days: "days per move",
    }),
    /** @param {number} ms */
    paceMin: (ms) => `at least ${span(ms)} a move`,
    /** @param {number} ms */
    paceMax: (ms) => `at most ${span(ms)} a move`,
    onlyRated: "only rated games",
    onlyCasual: "only games that are not rated",
    /**
     * @param {number | undefined} min
     * @param {number | undefined} max
     */
    ratings: (min, max) => (max === undefined ? `ratings from ${min}` : min === undefined ? `ratings up to ${max}` : `ratings ${min} to ${max}`),
    noBots: "no bots",
    noGuests: "no guests",
    defaultOptions: "default options",
    link: "All bots that play here",
  },

  house: {
    /**
     * @param {string} why
     * @param {string} player
     */
    instead: (why, player) => `${why} You play ${player} instead.`,
    legend: "Computer",
    /** What the levels do, in a sentence. */
    levels: /** @type {Record<string, string>} */ ({
      easy: "It makes any move.",
      level2: "It often picks a good move.",
      level3: "It never misses a win in one move, yours or its own.",
      medium: "It looks one move ahead.",
      level5: "It looks some moves ahead.",
      level6: "It looks some moves ahead, and rarely slips.",
      level7: "It looks many moves ahead.",
      hard: "It looks as far ahead as it can.",
    }),
    /**
     * @param {number} elo
     * @param {string} game
     */
    elo: (elo, game) => `In ${game} ${elo} Elo above level 1.`,
  },

  newGame: {
    heading: "New game",
    close: "Close",
    game: "Game",
    against: "Opponent",
    computer: "Computer",
    person: "Person",
    friend: "Friend",
    level: "Strength",
    how: "Invite",
    byLink: "by link",
    byName: "by name",
    name: "Name",
    names: "Names, separated by commas",
    third: "The computer takes the third seat",
    bothComputers: "Both computers play at this level.",
    watchComputers: "Only watch: the computer plays itself",
    watch: "Watch",
    players: "Players",
    seat: "You move",
    anySeat: "at random",
    /** @param {number} seat */
    seatNumber: (seat) => ["first", "second", "third"][seat] ?? String(seat + 1),
    clock: "Time",
    presets: /** @type {Record<string, { name: string, about: string }>} */ ({
      fast: { name: "3+2", about: "fast" },
      slow: { name: "10+5", about: "relaxed" },
      day: { name: "1 day", about: "a move" },
      none: { name: "No clock", about: "at leisure" },
      custom: { name: "Other …", about: "your own" },
    }),
    presetTitles: /** @type {Record<string, string>} */ ({
      fast: "3 minutes each, and 2 seconds more for every move",
      slow: "10 minutes each, and 5 seconds more for every move",
      day: "a day for every move",
      none: "no clock",
      custom: "another clock",
    }),
    mode: "Clock",
    perGame: "for the game, plus each move",
    perMove: "for each move",
    byoyomi: "for the game, then periods",
    days: "days for each move",
    minutes: "Minutes for the game",
    increment: "Seconds added a move",
    seconds: "Seconds a move",
    periods: "Number of periods",
    period: "Seconds a period",
    dayCount: "Days a move",
    more: "More options",
    /**
     * @param {number} least
     * @param {number} most
     */
    range: (least, most) => `Please enter a number from ${least} to ${most}.`,
    whole: "Please enter a whole number.",
    halves: "Please enter whole or half minutes.",
    /** @param {string} name */
    noName: (name) => `${name} cannot be the name of a player.`,
    /** @param {number} names */
    namesMissing: (names) => (names === 1 ? "Please enter the name of one player." : `Please enter the names of ${names} players.`),
    rated: "Rated",
    needsAccount: "Rated games need an account.",
    bots: "Bots may join",
    guests: "Guests may join",
    lasting: "Keep it open while I am away",
    unlisted: "Unlisted: only people with the link can watch",
    ratingFrom: "Opponent's rating from",
    ratingTo: "to",
    ratingOrder: "The first rating must not be above the second.",
    delay: "Spectators are behind by",
    noDelay: "nothing",
    /** @param {number} moves */
    delayMoves: (moves) => count(moves, "move"),
    /** @param {number} moves */
    delayed: (moves) => `spectators ${count(moves, "move")} behind`,
    byDefault: "standard",
    play: "Play",
    findOpponent: "Find an opponent",
    invite: "Create a link",
    beside: "Is your friend beside you?",
    challenge: "Challenge",
    inviteMade: "Send this link to the person you want to play.",
    inviteAbout: "The game begins when they open it and press Play. No account is needed.",
    link: "Link to the game",
    copy: "Copy link",
    copied: "Copied",
    share: "Share",
    /** @param {string} game */
    shareText: (game) => `Play ${game} with me`,
  },

  game: {
    you: "you",
    bot: "bot",
    guest: "guest",
    yourMove: "Your move.",
    /** @param {string} user */
    waitingFor: (user) => `Waiting for ${user}.`,
    /** @param {string} user */
    isAway: (user) => `${user} is away.`,
    /** @param {string} user */
    clockWaits: (user) => `The clock of ${user} starts when ${user} has seen the game.`,
    ownClockWaits: "Your clock starts when you have seen the game.",
    parked: "Parked; it goes on when you move.",
    sending: "Sending your move …",
    yourMoveRegion: "Your move",
    farSide: "Players on the far side",
    nearSide: "Players on the near side",
    /** @param {string} user */
    isComputer: (user) => Object.hasOwn(COMPUTERS, user),
    goalRegion: "Goal",
    /** @param {string} goal */
    goalSentence: (goal) => `Goal: ${goal.charAt(0).toLowerCase()}${goal.slice(1)}`,
    /**
     * @param {string} kind
     * @param {number | undefined} seat
     * @param {number} players
     */
    goal: (kind, seat, players) => GOALS[kind]?.(seat, players) ?? "",
    /**
     * @param {string} kind
     * @param {number} players
     */
    rulesOf: (kind, players) => RULES[kind]?.(players) ?? [],
    rules: "Rules",
    allRules: "All rules, with examples",
    /** @param {string} state */
    youAreOut: (state) => `You are out. ${{ no_pieces: "You have no pieces left.", no_move: "You had no move on your turn." }[state] ?? "You have left the game."} The others play on.`,
    tabs: "Moves, chat and rules",
    tools: "View",
    controls: "Game",
    notices: "Offers",
    settings: "Settings",
    menu: "More actions",
    keepGame: "Keep this game",
    close: "Close",
    flip: { text: "Turn the board round", title: "Turn the board round (key f)" },
    keys: "Keys",
    keysTitle: "Keys (key ?)",
    analyse: "Analyse this position",
    keyList: /** @type {[string, string][]} */ ([
      ["← → ↑ ↓", "Go over the board; outside of it ← and → go through the moves"],
      ["Space", "Pick the cell"],
      ["Shift Space", "Pick it in its other role"],
      ["+ −", "More or fewer pieces"],
      ["Enter", "Play the move"],
      ["u", "Undo the last step of the move"],
      ["Esc", "Clear the move"],
      ["m", "Type a move"],
      ["Home End", "First position, current position"],
      ["f", "Turn the board round"],
      ["t", "Show threats"],
      ["?", "Show these keys"],
    ]),
    /** @param {string} state */
    seatState: (state) => SEAT_STATES[state] ?? state,
    /**
     * @param {string} letter
     * @param {number} number
     */
    inReserve: (letter, number) => `${letter}, ${number} in reserve`,
    waitingForServer: "Time is up: waiting for the server …",
    play: "Play",
    undo: "Undo",
    undoTitle: "Undo the last step of the move (key u)",
    backToGame: "Back to the game",
    typeMove: "Type a move (key m)",
    choosePlace: "Choose where to put it.",
    chooseFromReserve: "Put down a piece of your reserve, or move a stack.",
    choose: "Choose a cell to begin.",
    /** @param {string} cell */
    noMoveFrom: (cell) => `No move begins at ${cell}.`,
    chooseOrDrag: "Choose a piece, or drag it.",
    goOn: "Choose where to.",
    completeIt: "Not a move yet: choose a marked cell to complete it.",
    dropStack: "Shift or long press: the whole stack.",
    all: "all",
    fewer: "Fewer pieces",
    none: "None from here",
    /** @param {number} most */
    allOf: (most) => `All ${most}`,
    /** @param {string} cell */
    amountAt: (cell) => `Pieces at ${cell}`,
    /** @param {string[]} letters */
    choosePieces: (letters) => `The piece${letters.length === 1 ? "" : "s"} ${letters.join(" ")}`,
    more: "More pieces",
    notation: "Move in notation",
    resign: "Resign",
    resignSure: "Resign this game?",
    abort: "Abort",
    abortSure: "Abort this game?",
    offers: /** @type {Record<"draw" | "takeback" | "abort", string>} */ ({
      draw: "Draw",
      takeback: "Take back",
      abort: "Abort",
    }),
    offerTitles: /** @type {Record<"draw" | "takeback" | "abort", (moves: number) => string>} */ ({
      draw: () => "Offer a draw",
      takeback: (moves) => `Ask to take ${lastMoves(moves)} back`,
      abort: () => "Propose to abort the game",
    }),
    /** @param {string} move */
    namedMove: (move) => ({ swap: "Swap sides" })[move] ?? move,
    /** @param {string} move */
    namedMoveSure: (move) => ({ swap: "Take over your opponent's side and piece?" })[move] ?? `Play ${move}?`,
    yes: "Yes",
    no: "No",
    /**
     * @param {string} by
     * @param {string} what
     * @param {number} moves how many a takeback takes back
     */
    offer: (by, what, moves) => `${by} ${OFFERS[what]?.theirs(moves) ?? what}.`,
    /**
     * @param {string} user
     * @param {string} what
     */
    declined: (user, what) => `${user} declines: ${OFFERS[what]?.noun ?? what}.`,
    /**
     * @param {string} what
     * @param {number} moves how many a takeback takes back
     */
    ownOffer: (what, moves) => `You ${OFFERS[what]?.own(moves) ?? what}.`,
    /**
     * @param {string} user
     * @param {string} reason
     * @param {string} computer
     */
    leaves: (user, reason, computer) => `${user} ${LEAVES[reason]?.[0] ?? reason}. Shall ${computer} play on in this seat? All clocks stand.`,
    /**
     * @param {string} reason
     * @param {string} computer
     */
    youLeave: (reason, computer) => `You ${LEAVES[reason]?.[1] ?? reason}. The others are asked whether ${computer} plays on in your seat.`,
    /** @param {number} seconds */
    seconds: (seconds) => `${seconds} s`,
    awaitsAnswers: "Waiting for answers",
    /** @param {string} user */
    insteadOf: (user) => `for ${user}`,
    /**
     * @param {string} computer
     * @param {string} user
     */
    playsOn: (computer, user) => `${computer} plays on for ${user}.`,
    accept: "Accept",
    decline: "Decline",
    withdraw: "Withdraw",
    moves: "Moves",
    noMoves: "No moves yet.",
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
      text: "Play moves at once",
      title: "Play a move without a further click as soon as it is complete and unambiguous",
    },
    threats: { text: "Show threats", title: "Show which pieces opponents could capture (key t)" },
    /**
     * Announces a move to screen readers.
     * @param {string} user
     * @param {string} move
     * @param {string[]} captured captured cells
     */
    moved: (user, move, captured) =>
      `${user}: ${move}${captured.length > 0 ? `, captured ${captured.join(", ")}` : ""}.`,
    /**
     * @param {number} number
     * @param {string[]} names
     */
    watching: (number, names) => (names.length === number ? `Watching: ${names.join(", ")}` : count(number, "spectator")),
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
    heading: "Chat",
    logIn: "Log in to chat",
    rooms: { players: "players", spectators: "spectators" },
    write: "Say something",
    send: "Send",
    unsent: "Not sent yet:",
    sentLater: "Sent as soon as the server can be reached:",
    sendAgain: "Send again",
    discard: "Discard",
    earlier: "Earlier lines",
    mute: "mute",
    /** @param {string} user */
    muteWhom: (user) => `Mute ${user}`,
    /** @param {string} user */
    unmuteWhom: (user) => `Unmute ${user}`,
    muted: "Muted: ",
    unsay: "Take this line back",
  },

  report: {
    button: "Report",
    line: "report",
    inGame: "Report a player",
    title: "Report a player to the operator",
    /** @param {string} user */
    titleOf: (user) => `Report ${user} to the operator`,
    whom: "Who",
    about: "What it is about",
    reasons: { cheating: "Help from others, or losing on purpose", abuse: "Insults or threats", spam: "Advertising or flooding", stalling: "Letting me wait instead of losing", name: "The name", other: "Something else" },
    text: "What has happened",
    withGame: "The operator sees the game and its last lines of chat.",
    send: "Send",
    sent: "Thank you. You will hear what the operator did.",
  },

  download: {
    link: "Copy link",
    copied: "Copied",
    record: "Save as text",
    journal: "Save signed record",
    failed: "Saving failed. Try again?",
  },

  /**
   * @param {GameResult} result
   * @param {string[]} users by seat
   */
  result: (result, users) => {
    if (result.reason === "aborted") return "The game was aborted.";
    const winners = result.winners.map((seat) => users[seat] ?? "");
    if (winners.length === 1) return `${winners[0]} won ${WON_BY[result.reason] ?? result.reason}.`;
    const why = DRAWN_BY[result.reason] ?? result.reason;
    return winners.length < users.length ? `A draw between ${winners.join(" and ")}: ${why}.` : `A draw: ${why}.`;
  },

  over: {
    heading: "Result",
    /**
     * @param {{ is: "won" | "lost" | "drawn" | "aborted" | "over", winner: number | undefined }} outcome
     * @param {string[]} users
     */
    verdict: ({ is, winner }, users) =>
      ({ won: "You won", lost: "You lost", drawn: "A draw", aborted: "Game aborted", over: winner === undefined ? "A draw" : `${users[winner]} won` })[is],
    /**
     * How it ended, from the side of the reader.
     * @param {GameResult} result
     * @param {{ winner: number | undefined, loser: number | undefined }} outcome
     * @param {string[]} users
     * @param {number | undefined} seat of the reader
     */
    how: ({ reason }, { winner, loser }, users, seat) => {
      if (reason === "aborted") return "Nobody won, and it does not count.";
      if (winner === undefined) return sentence(DRAWN_BY[reason] ?? reason);
      const [own, who] = [winner === seat, users[winner] ?? ""];
      const left = users[loser ?? -1] ?? "";
      switch (reason) {
        case "connected":
          return own ? "Your chain joins both edges." : `${who} joined both edges.`;
        case "aligned":
          return own ? "Two of your pieces face each other." : `Two pieces of ${who} face each other.`;
        case "last_player":
          return own ? "You are the last player left." : `${who} is the last player left.`;
        case "resigned":
          return loser === seat ? "You resigned." : `${left} resigned.`;
        case "timed_out":
          return loser === seat ? "Your time ran out." : `${left} ran out of time.`;
        case "abandoned":
          return loser === seat ? "You were away for too long." : `${left} left the game.`;
        case "ruling":
          return "The operator of this server has decided so.";
        default:
          return sentence(reason);
      }
    },
    /**
     * @param {number} before
     * @param {number} after
     */
    rating: (before, after) => `Rating ${before} → ${after}`,
    /** @param {number} change */
    signed: (change) => (change < 0 ? `−${-change}` : `+${change}`),
    annulled: "The operator has annulled this result: it counts for nothing.",
    again: "Rematch",
    harder: "Try harder",
    easier: "Try easier",
    newOpponent: "New opponent",
    stepThrough: "Step through",
    analyse: "Analyse",
    share: "Share",
    waiting: "Waiting for the other player …",
  },

  people: {
    heading: "Who can reach you",
    challenges: "Who may challenge me",
    everyone: "everyone",
    accounts: "players with an account",
    nobody: "nobody",
    blocked: "Blocked players",
    noneBlocked: "You have blocked nobody.",
    blockedMeans: "A blocked player cannot challenge you, join your open games or write to you.",
    name: "Name of a player",
    block: "Block",
    /** @param {string} user */
    unblock: (user) => `Unblock ${user}`,
    saved: "Saved.",
  },

  account: {
    heading: "Account",
    nameRule: "2 to 20 letters and digits, - and _ in between.",
    passwordRule: "At least 8 characters.",
    passwordLong: "That password is too long.",
    passwordMissing: "Please enter a password.",
    invitation: "Invitation",
    haveCode: "I have lost my password",
    recovery: "Recovery code",
    recoveryMeans: "If you lose your password, this code sets a new one, once. Write it down and keep it in a safe place: nobody can show it to you again.",
    codeKept: "I have kept it",
    copyCode: "Copy",
    codeCopied: "Copied",
    newRecovery: "Make a new code",
    mail: "Mail address",
    mailMeans: "If you lose your password, the server sends a code to this address. It sends nothing else, and shows the address to nobody.",
    mailAddress: "Address",
    mailSet: "Send a code to confirm it",
    mailRule: "That is no mail address.",
    mailCode: "Code from the mail",
    mailConfirm: "Confirm",
    mailConfirmed: "The address is confirmed.",
    mailDelete: "Delete",
    mailDeleted: "The address is deleted.",
    mailWaits: (/** @type {string} */ address) => `${address} waits for the code that was sent to it.`,
    mailMe: "Send me a code by mail",
    mailSent: (/** @type {string} */ name) => `If ${name} has a confirmed address, a code is on its way to it.`,
    closeAccount: "Close this account",
    closeMeans:
      "Closes the account and its bots for good. Log-ins, settings and what you have said are deleted. Your games and ratings stay, and keep the name, which nobody else can take.",
    closeSure: "I want to close it for good.",
    closeSureMissing: "Please tick that you are sure.",
    accountClosed: (/** @type {string} */ name) => `The account ${name} is closed.`,
    code: "Code",
    setPassword: "Set the password",
    /**
     * @param {string} guest
     * @param {string} wanted
     */
    otherName: (guest, wanted) =>
      `You have unfinished games as ${guest}. Finish them before you take another name, keep that name, or start again as ${wanted} and leave them behind.`,
    /**
     * @param {string} guest
     * @param {number} live
     * @param {string} account
     */
    leavesGames: (guest, live, account) =>
      `The games of ${guest} stay behind${live > 0 ? `, ${live === 1 ? "one of them unfinished" : `${live} of them unfinished`}` : ""}: without signing up as ${guest} nobody can come back to them. Log in as ${account} all the same?`,
    /** @param {string} account */
    logInAnyway: (account) => `Leave them and log in as ${account}`,
    /** @param {string} name */
    nameTaken: (name) => `${name} is taken. Your games are still here; choose another name.`,
    /** @param {string} name */
    signUpAs: (name) => `Sign up as ${name}`,
    /** @param {string} name */
    signUpAnew: (name) => `Start again as ${name}`,
    signUp: "Sign up",
    logIn: "Log in",
    logOut: "Log out",
    user: "Name",
    password: "Password",
    profile: "Your profile",
    botProfile: "Profile of the bot",
    settings: "Settings",
    language: "Language",
    changePassword: "Change password",
    oldPassword: "Present password",
    newPassword: "New password",
    revokeAll: "Also end the log-ins of my programs",
    passwordChanged: "The password is changed. All other browsers are logged out.",
    tokens: "Log-ins",
    tokensAbout: "Every browser and program that is logged in under your name. End those that you do not know.",
    botTokensAbout: "The program of a bot logs in with a token.",
    tokenLabel: "What the log-in is for",
    createToken: "New token",
    tokenCreated: "Copy this token now: it is shown only once.",
    thisBrowser: "this browser",
    endToken: "End",
    /** @param {number} time */
    created: (time) => `since ${date(time)}`,
    /** @param {number} time */
    lastUsed: (time) => `last used ${date(time)}`,
    /** @param {number} time */
    expires: (time) => `until ${date(time)}`,
    bots: "Bots",
    botsAbout: "A bot plays under a name of its own. Its program logs in with a token of the bot.",
    botName: "Name of the bot",
    createBot: "New bot",
    keepName: "Sign up to keep your name and to play rated games.",
    /** @param {string} guest */
    chooseName: (guest) => `Sign up to keep your games and to play rated ones. You may choose another name now; what you have played stays under ${guest} in its record.`,
    /** @param {string} name */
    youAre: (name) => `You are ${name}.`,
    /** @param {string} name */
    youAreGuest: (name) => `You are playing as ${name}, a guest.`,
    logOutSure:
      "A guest has no password: once you log out you cannot come back under this name, and your unfinished games are lost. Sign up to keep them. Log out all the same?",
  },

  webhook: {
    heading: "Webhook",
    about: "The server can call an address of yours when it is your move, when you are challenged, when a game ends and when another player writes to you: for a chat room or a program.",
    botAbout: "The server can call an address when it is the bot's move, when it is challenged, when a game ends and when another player writes to it.",
    url: "Address to call",
    example: "https://example.org/my-hook",
    rule: "Please enter an address that begins with https://.",
    set: "Set",
    replace: "Replace",
    delete: "Delete",
    deleted: "The webhook is deleted.",
    secret: "Copy this secret now: it is shown only once. It signs every call.",
    works: "no failures",
    /** @param {number} failures */
    failing: (failures) => (failures === 1 ? "the last call failed" : `the last ${failures} calls failed`),
    /** @param {number} failures */
    stopped: (failures) => `stopped after ${count(failures, "failure")}: set it again to go on`,
  },

  /** A game within another page. */
  embed: {
    open: "Open the game",
  },

  /** What can be shared of a game. */
  share: {
    share: "Share",
    send: "Share …",
    link: "Copy the link",
    picture: "Open a picture of the board",
    pictureLink: "Copy the link of a picture",
    embed: "Copy the code for another page",
    copied: "Copied.",
  },

  connection: {
    opening: "Connecting …",
    offline: "You are offline. The page comes from your device; your games are safe on the server.",
    stale: "The server has not answered for a while.",
    /** @param {number} seconds */
    waiting: (seconds) => `No connection. Trying again${seconds > 0 ? ` in ${seconds} s` : ""} …`,
    restart: "The server restarts. Your games are safe; back in a moment …",
    ended: "The server has closed the connection",
    retry: "Connect again",
    unanswered: "The connection broke before the server answered.",
  },
};
