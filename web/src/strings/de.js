// The texts of the page in German. Their parameters are described in the English file.

import { DAY, HOUR, MINUTE, SECOND, failureText, inPairs, kind, optionsInWords, reasonText, sentence } from "./shared.js";

/** @import {Failed} from "../wire.js" */
/** @import {OptionWords, Reason} from "./shared.js" */
/** @import {Strings} from "./strings.js" */

/** Name and goal of each game. */
const GAMES = /** @type {Record<string, { name: string, goal: string }>} */ ({
  adamas: { name: "Adamas", goal: "Schlage Stapel, bis sonst niemand mehr Steine und Züge hat." },
  hexma: { name: "Hexma", goal: "Verbinde deinen Rand und den gegenüber durch eine Kette." },
  stymie: { name: "Stymie", goal: "Verbinde deine beiden Ränder durch eine Kette." },
  diam: { name: "Diam", goal: "Bring zwei gleiche Steine auf gleiche Höhe gegenüber, über dem Boden." },
});

/** Options of games in words. @type {Record<string, Record<string, OptionWords>>} */
const OPTIONS = {
  adamas: {
    size: {
      title: "Brettgröße",
      about: "Wie viele Felder eine Seite des Bretts hat.",
      choice: (size) => `${size} Felder pro Seite`,
      set: (size) => `Brett mit ${size} Feldern pro Seite`,
    },
    pieces: { title: "Steine", about: "Mit wie vielen Steinen jeder beginnt.", choice: String, set: (pieces) => `je ${pieces} Steine` },
    prog_cap: {
      title: "Fortschreitendes Schlagen",
      about: "Nach jedem Teil einer Aufteilung werden die sichtbaren gegnerischen Steine neu gezählt.",
      set: () => "fortschreitendes Schlagen",
    },
  },
  stymie: {
    size: {
      title: "Brettgröße",
      about: "Wie viele Achtecke eine Seite des Bretts hat.",
      choice: (size) => `${size} Achtecke pro Seite`,
      set: (size) => `Brett mit ${size} Achtecken pro Seite`,
    },
    swap: {
      title: "Seitentausch nach dem ersten Zug",
      about: "Der zweite Spieler darf nach dem ersten Zug die Seiten tauschen. Das macht den Anfang fair.",
      set: () => "mit Seitentausch",
    },
  },
  diam: {
    board: {
      title: "Brett",
      about: "Wie viele Sektoren der Ring hat und wie hoch Stapel werden dürfen.",
      choice: (board) => inPairs(board, (sectors, height) => `${sectors} Sektoren, Stapel bis Höhe ${height}`),
      set: (board) => inPairs(board, (sectors, height) => `${sectors} Sektoren, Stapel bis Höhe ${height}`),
    },
    pieces: {
      title: "Steine",
      about: "Wie viele Farben jeder hat und wie viele Steine von jeder.",
      choice: (pieces) => inPairs(pieces, (colours, each) => `${colours} Farben, je ${each} Steine`),
      set: (pieces) => inPairs(pieces, (colours, each) => `${colours} Farben mit je ${each} Steinen`),
    },
    nomirror: {
      title: "Kein gespiegelter Anfang",
      about: "Der erste Stein des zweiten Spielers darf nicht gegenüber dem des ersten liegen.",
      set: () => "kein gespiegelter Anfang",
    },
  },
};

/** How a game was won, right after "Ann gewinnt". */
const WON_BY = /** @type {Record<string, string>} */ ({
  last_player: ", weil sonst niemand mehr im Spiel ist",
  connected: " mit einer Kette zwischen beiden Rändern",
  aligned: " mit zwei gleichen Steinen, die sich gegenüberstehen",
  resigned: " durch Aufgabe",
  timed_out: " auf Zeit",
  abandoned: ", weil der Gegner das Spiel verlassen hat",
  ruling: " durch Entscheidung des Betreibers",
});

/** Why nobody won, after "Remis". */
const DRAWN_BY = /** @type {Record<string, string>} */ ({
  two_pieces: "die letzten beiden Steine sehen einander nicht",
  connected: "zwei Spieler haben ihre Ränder gleichzeitig verbunden",
  aligned: "zwei Paare stehen sich gegenüber",
  stuck: "niemand kann ziehen",
  repetition: "dieselbe Stellung kam dreimal vor",
  too_long: "das Spiel hat die Höchstzahl an Zügen erreicht",
  agreement: "die Spieler haben sich darauf geeinigt",
  ruling: "der Betreiber hat so entschieden",
});

/** How a game ended for the player who won it, and for one who lost it. @type {Record<string, [string, string]>} */
const ENDED_BY = {
  last_player: ["als Letzter im Spiel geblieben", "vor den anderen ausgeschieden"],
  connected: ["beide Ränder verbunden", "der Gegner hat beide Ränder verbunden"],
  aligned: ["zwei gleiche Steine gegenüber", "zwei gleiche Steine des Gegners gegenüber"],
  resigned: ["der Gegner hat aufgegeben", "durch Aufgabe"],
  timed_out: ["die Zeit des Gegners war um", "auf Zeit"],
  abandoned: ["der Gegner hat das Spiel verlassen", "das Spiel verlassen"],
  ruling: ["der Betreiber hat so entschieden", "der Betreiber hat so entschieden"],
  aborted: ["ohne Ergebnis", "ohne Ergebnis"],
};

/** What a player wants in a game: for a seat, or for anybody. @type {Record<string, (seat: number | undefined, players: number) => string>} */
const GOALS = {
  adamas: () => "Schlage Stapel, bis sonst niemand mehr ziehen kann: Wer als Letzter übrig bleibt, gewinnt.",
  hexma: (seat, players) =>
    players === 2
      ? "Verbinde den oberen und den unteren Rand mit einer Kette aus eigenen Steinen."
      : seat === undefined
        ? "Jeder verbindet die beiden Ränder der eigenen Farbe mit einer Kette aus Steinen."
        : "Verbinde die beiden Ränder deiner Farbe mit einer Kette aus eigenen Steinen.",
  stymie: (seat) =>
    ["Verbinde oben und unten mit deinen Steinen.", "Verbinde links und rechts mit deinen Steinen."][seat ?? -1] ??
    "Einer verbindet oben und unten, der andere links und rechts.",
  diam: () => "Bring zwei gleiche Steine von dir einander gegenüber auf den Ring, gleich hoch und über dem Boden.",
};

/** The rules of each game in a few sentences. @type {Record<string, (players: number) => string[]>} */
const RULES = {
  adamas: () => [
    "Steine ziehen in gerader Linie beliebig weit über leere Felder: auf ein leeres Feld, auf einen eigenen Stapel oder auf einen, den sie schlagen.",
    "In einem Zug darfst du einen Stapel auf mehrere Felder aufteilen oder mehrere Stapel auf einem Feld sammeln.",
    "Du schlägst einen Stapel, wenn er genau so hoch ist, wie er Steine anderer Farben sieht: Zähl auf jeder seiner sechs Linien den ersten Stapel zusammen.",
    "Der allererste Zug darf nicht schlagen.",
    "Wer keinen Stein mehr hat oder am Zug nicht ziehen kann, scheidet aus.",
    "Remis ist es, wenn nur zwei einzelne Steine bleiben, die einander nicht sehen, oder wenn dieselbe Stellung zum dritten Mal vorkommt.",
  ],
  hexma: (players) => [
    "Zieh einen Stein einen Schritt auf einen freien Nachbarpunkt oder lass ihn springen.",
    "Ein Sprung geht über einen Stein beliebiger Farbe auf den freien Punkt direkt dahinter. In einem Zug darfst du beliebig oft springen.",
    "Geschlagen wird nie.",
    players === 2 ? "Beide Spieler verbinden dieselben zwei Ränder." : "Jeder der drei Spieler hat ein anderes Paar von Rändern.",
    "Gewinnen kannst du nur mit deinem eigenen Zug. Dieselbe Stellung zum dritten Mal ist Remis.",
  ],
  stymie: () => [
    "Steine ziehen nie. Setz einen Stein auf ein beliebiges freies Feld oder zwei: auf ein Achteck und ein Quadrat, das es berührt.",
    "Nach einem einzelnen Stein deines Gegners darfst du drei setzen: ein Achteck mit zwei seiner Quadrate oder ein Quadrat mit zwei seiner Achtecke. Überleg dir also gut, ob du nur einen setzt.",
    "Achtecke berühren die vier Achtecke neben sich und die Quadrate an ihren Ecken. Quadrate berühren nur Achtecke.",
    "Der erste Zug des Spiels ist ein einzelner Stein. Ein volles Brett hat immer einen Sieger.",
  ],
  diam: () => [
    "Setz einen Stein aus deinem Vorrat auf einen beliebigen Stapel, oder zieh einen eigenen Stein mit allem, was auf ihm liegt, auf einen benachbarten Stapel.",
    "Stapel dürfen nur begrenzt hoch werden.",
    "Zwei gleiche Steine, die sich auf dem Ring gleich hoch und über dem Boden gegenüberstehen, gewinnen für ihren Besitzer, egal wer gezogen hat.",
    "Gibt es mehrere solche Paare, entscheidet das höchste.",
    "Wer nicht ziehen kann, setzt aus. Dieselbe Stellung zum dritten Mal ist Remis.",
  ],
};

/** The names of the server's own bots. @type {Record<string, string>} */
const COMPUTERS = {
  "house-easy": "Computer (Stufe 1)",
  "house-2": "Computer (Stufe 2)",
  "house-3": "Computer (Stufe 3)",
  house: "Computer (Stufe 4)",
  "house-5": "Computer (Stufe 5)",
  "house-6": "Computer (Stufe 6)",
  "house-7": "Computer (Stufe 7)",
  "house-hard": "Computer (Stufe 8)",
  "house-1b": "Computer B (Stufe 1)",
  "house-2b": "Computer B (Stufe 2)",
  "house-3b": "Computer B (Stufe 3)",
  "house-4b": "Computer B (Stufe 4)",
  "house-5b": "Computer B (Stufe 5)",
  "house-6b": "Computer B (Stufe 6)",
  "house-7b": "Computer B (Stufe 7)",
  "house-8b": "Computer B (Stufe 8)",
};

const SEAT_STATES = /** @type {Record<string, string>} */ ({
  in: "",
  no_pieces: "keine Steine mehr",
  no_move: "konnte nicht ziehen",
  resigned: "hat aufgegeben",
  timed_out: "Zeit abgelaufen",
  abandoned: "hat das Spiel verlassen",
});

/** What is said of an offer; `moves` is how many a takeback takes back. @typedef {(moves: number) => string} OfSomeMoves */

const LEAVES = /** @type {Record<string, [string, string]>} */ ({
  resigned: ["hat aufgegeben", "hast aufgegeben"],
  timed_out: ["hat die Zeit überschritten", "hast die Zeit überschritten"],
  abandoned: ["hat das Spiel verlassen", "hast das Spiel verlassen"],
});

const OFFERS = /** @type {Record<string, { theirs: OfSomeMoves, own: OfSomeMoves, noun: string }>} */ ({
  draw: { theirs: () => "bietet Remis an", own: () => "hast Remis angeboten", noun: "kein Remis" },
  takeback: {
    theirs: (moves) => `möchte ${lastMoves(moves)} zurücknehmen`,
    own: (moves) => `hast darum gebeten, ${lastMoves(moves)} zurückzunehmen`,
    noun: "der Zug bleibt stehen",
  },
  abort: {
    theirs: () => "möchte das Spiel abbrechen",
    own: () => "hast vorgeschlagen, das Spiel abzubrechen",
    noun: "das Spiel geht weiter",
  },
});

/** The advice if the page is older than the server. */
const RELOAD = "Diese Seite und der Server verstehen einander nicht. Bitte lade die Seite neu.";

/** Texts of the server's errors by code; `undefined` if OTHER introduces the server's sentence. */
const FAILURES = /** @type {Record<Failed["code"], string | undefined>} */ ({
  bad_json: RELOAD,
  bad_message: undefined,
  unknown_type: RELOAD,
  too_large: "Das ist zu lang.",
  proto_unsupported: RELOAD,
  unauthorized: "Falscher Name oder falsches Passwort.",
  forbidden: undefined,
  name_taken: "Diesen Namen oder einen sehr ähnlichen gibt es schon. Bitte wähle einen anderen.",
  not_found: undefined,
  not_a_player: "Du spielst in diesem Spiel nicht mit.",
  not_your_turn: "Du bist nicht am Zug.",
  stale_turn: "Das Spiel ist inzwischen weiter.",
  illegal_move: undefined,
  not_accepting: "Diese Person nimmt das von dir nicht an.",
  blocked: "Einer von euch hat den anderen blockiert.",
  game_over: "Dieses Spiel ist zu Ende.",
  no_such_offer: "Dieses Angebot gilt nicht mehr.",
  id_reuse: "Das hat nicht geklappt. Bitte versuch es noch einmal.",
  too_soon: "Dafür ist es noch zu früh.",
  busy: "Der Server ist gerade beschäftigt.",
  rate_limited: undefined,
  overloaded: "Der Server ist gerade überlastet.",
  read_only: "Der Server kann gerade nichts speichern.",
  banned: undefined,
  sign_up_closed: undefined,
  maintenance: undefined,
  silenced: undefined,
  internal: "Auf dem Server ist etwas schiefgegangen. Bitte versuch es noch einmal.",
});

/** What stands before the server's own sentence, which is English. */
const OTHER = /** @type {Record<string, string>} */ ({
  bad_message: "Damit kann der Server nichts anfangen",
  forbidden: "Das ist nicht erlaubt",
  not_found: "Das gibt es nicht",
  illegal_move: "Dieser Zug ist nicht erlaubt",
  rate_limited: "Das war etwas zu oft",
  banned: "Der Zugang ist gesperrt",
  silenced: "Du darfst anderen nicht schreiben",
  sign_up_closed: "Zurzeit werden keine neuen Konten oder Gäste aufgenommen",
  maintenance: "Der Server wird bald neu gestartet",
});

/** Texts of exceeded limits, by the name of the limit. */
const LIMITS = /** @type {Record<string, string>} */ ({
  messages: "Das war etwas zu schnell.",
  guests_per_hour: "Aus deinem Netz sind in letzter Zeit zu viele Gäste gekommen.",
  mails_per_hour: "In letzter Zeit sind zu viele Mails verlangt worden.",
  mails_per_day: "Für diesen Namen sind heute schon zu viele Mails geschickt worden.",
  sign_ups_per_hour: "Aus deinem Netz sind in letzter Zeit zu viele Konten angelegt worden.",
  log_ins_per_min: "Aus deinem Netz melden sich gerade zu viele Leute an.",
  failed_log_ins_per_min: "Zu viele falsche Passwörter.",
  lines: "Du schreibst schneller, als die anderen lesen können.",
  user_messages: "Das war etwas zu schnell.",
  address_messages: "Aus deinem Netz kommen gerade zu viele Anfragen.",
  network_messages: "Aus deinem Netz kommen gerade zu viele Anfragen.",
  upgrades_per_min: "Aus deinem Netz sind in kurzer Zeit zu viele Verbindungen gekommen.",
  connections_per_address: "Aus deinem Netz gibt es schon zu viele Verbindungen.",
  seeks_per_min: "Du hast in kurzer Zeit zu viele Spiele angeboten.",
  games_per_min: "Du hast in kurzer Zeit zu viele Spiele angefangen.",
  games: "Einer der Spieler hat schon zu viele laufende Spiele.",
  games_per_network: "Aus deinem Netz laufen schon zu viele Spiele von Gästen.",
  seeks: "Du hast schon zu viele offene Spiele.",
  seeks_per_network: "Aus deinem Netz gibt es schon zu viele offene Spiele.",
  challenges: "Es sind schon zu viele Herausforderungen offen.",
  invites: "Es sind schon zu viele Einladungen offen.",
  exhibitions: "Es laufen schon zu viele Spiele, in denen der Computer gegen sich selbst spielt.",
  watched_games: "Du folgst schon zu vielen Spielen zugleich.",
  mutes: "Du hast schon zu viele Spieler stummgeschaltet.",
  blocks: "Du hast schon zu viele Spieler blockiert.",
  reports_per_user: "Der Betreiber hat deine früheren Meldungen noch nicht gelesen.",
  reports_per_network: "Der Betreiber hat noch zu viele Meldungen aus deinem Netz zu lesen.",
  reports: "Der Betreiber hat noch zu viele Meldungen zu lesen.",
  bots: "Du hast schon zu viele Bots.",
  tokens: "Du hast schon zu viele Anmeldungen.",
  stored_kib_per_day: "Aus deinem Netz ist heute schon zu viel gespeichert worden.",
  network_stored_kib_per_day: "Aus deinem Netz ist heute schon zu viel gespeichert worden, auch von angemeldeten Spielern.",
  account_stored_kib_per_day: "Unter deinem Konto ist heute schon zu viel gespeichert worden.",
});

/** Why a move is refused, by the server's `why_key`. */
const REFUSALS = /** @type {Record<string, string>} */ ({
  "move.no_such_cell": "Auf diesem Brett gibt es kein Feld {name}.",
  "move.other_game": "Das ist kein Zug dieses Spiels, sondern eines anderen.",
  "move.other_board": "Das ist ein Zug auf einem Brett anderer Größe.",
  "move.too_long": "Das ist kein Zug: Es ist zu lang.",
  "adamas.shape": "Das ist kein Zug: Schreib START-ZIEL, zum Beispiel d1-2xd3,e1 oder 2xd1,3xa4-d4.",
  "adamas.cell_shape": "Das ist kein Zug: Ein Feld ist ein Buchstabe und eine Zahl, zum Beispiel c3, nach einer Anzahl wie in 2xc3.",
  "adamas.count_of_zero": "Jeder Teil eines Zugs braucht mindestens einen Stein, aber {cell} bekommt keinen.",
  "adamas.count_too_great": "Die Anzahl bei {cell} ist zu groß: Kein Stapel ist höher als {max}.",
  "adamas.count_on_both_sides": "Die Anzahl steht auf beiden Seiten: Schreib sie nur einmal, zum Beispiel 9xd1-d3.",
  "adamas.count_on_split_source": "Beim Aufteilen stehen die Anzahlen bei den Zielen, zum Beispiel d1-2xd3,e1; bei {cell} steht hier keine.",
  "adamas.count_on_merge_destination": "Beim Sammeln stehen die Anzahlen bei den Startfeldern, zum Beispiel 2xd1,3xa4-d4; bei {cell} steht hier keine.",
  "adamas.several_to_several": "Ein Zug hat entweder nur einen Start oder nur ein Ziel.",
  "adamas.cell_twice": "{cell} kommt zweimal vor: Zähl die Anzahlen zusammen, zum Beispiel 2x{cell}.",
  "adamas.stays_in_place": "{cell} ist zugleich Start und Ziel.",
  "adamas.too_many_parts": "Kein Zug hat mehr als {max} Teile.",
  "adamas.empty_source": "{cell} ist leer.",
  "adamas.not_your_stack": "{cell} ist nicht dein Stapel.",
  "adamas.too_few_pieces": "{cell} hat {height} Steine, nicht {taken}.",
  "adamas.too_few_pieces_one": "{cell} hat {height} Stein, nicht {taken}.",
  "adamas.not_on_one_line": "{from} und {to} liegen nicht auf einer Linie.",
  "adamas.out_of_sight": "{from} sieht {to} nicht: {by} steht im Weg.",
  "adamas.opening_capture": "Der Eröffnungszug darf nicht schlagen, und {cell} ist ein gegnerischer Stapel.",
  "adamas.not_threatened": "{cell} hat die Höhe {height}, sieht aber {seen} gegnerische Steine.",
  "adamas.not_threatened_one": "{cell} hat die Höhe {height}, sieht aber {seen} gegnerischen Stein.",
  "hexma.shape": "Das ist kein Zug: Schreib VON-NACH, zum Beispiel q11-k13.",
  "hexma.point_shape": "Das ist kein Zug: Ein Punkt ist ein Buchstabe und eine Zahl, zum Beispiel q11.",
  "hexma.no_piece": "Auf {cell} steht kein Stein.",
  "hexma.not_your_piece": "Der Stein auf {cell} gehört dir nicht.",
  "hexma.stays_in_place": "Ein Zug darf wieder über {cell} führen, aber nicht enden, wo er begonnen hat.",
  "hexma.several_pieces": "Ein Zug bewegt einen Stein von einem Punkt zu einem anderen.",
  "hexma.occupied": "{cell} ist besetzt.",
  "hexma.out_of_reach": "Von {from} nach {to} führen weder ein Schritt noch Sprünge.",
  "hexma.not_by_hops": "Von {from} nach {to} führen keine Sprünge.",
  "stymie.shape": "Das ist kein Zug: Schreib ein bis drei Felder mit Kommas dazwischen, zum Beispiel f6,g5.",
  "stymie.cell_twice": "{cell} kommt zweimal vor.",
  "stymie.too_many_cells": "Ein Zug setzt höchstens {max} Steine.",
  "stymie.piece_moved": "Steine werden gesetzt und ziehen nie.",
  "stymie.not_empty": "{cell} ist nicht leer.",
  "stymie.opening_is_single": "Der Eröffnungszug setzt genau einen Stein.",
  "stymie.octagons_only": "{first} und {second} sind Achtecke: Zusammen setzt man auf ein Achteck und ein Quadrat, das es berührt, oder auf drei solche Felder.",
  "stymie.squares_only": "{first} und {second} sind Quadrate: Zusammen setzt man auf ein Achteck und ein Quadrat, das es berührt, oder auf drei solche Felder.",
  "stymie.apart": "{first} und {second} berühren sich nicht.",
  "stymie.triple_after_opening": "Drei Steine sind die Antwort auf einen einzelnen Stein des Gegners, aber nicht auf die Eröffnung.",
  "stymie.triple_unearned": "Drei Steine sind nur erlaubt, wenn der Gegner zuletzt genau einen gesetzt hat.",
  "stymie.swap_not_played": "Dieses Spiel wird ohne Seitentausch gespielt.",
  "stymie.swap_out_of_time": "Der Seitentausch ist nur als Antwort auf den Eröffnungszug möglich.",
  "diam.shape":
    "Das ist kein Zug: Schreib einen Buchstaben und einen Sektor, um einen Stein zu setzen, zum Beispiel A1, oder einen Sektor und + oder -, um einen Stapel zu ziehen, zum Beispiel 4+, oder seinen Teil ab einem Stein, zum Beispiel 6,3-.",
  "diam.no_such_colour": "In diesem Spiel gibt es keine Steine {letter}.",
  "diam.not_your_colour": "{letter} gehört deinem Gegner: Setz einen eigenen Stein.",
  "diam.none_in_reserve": "Du hast kein {letter} mehr zum Setzen.",
  "diam.full": "Sektor {cell} ist voll: Kein Stapel wird hier höher als {max}.",
  "diam.mirrored": "Mit -nomirror darf dein erster Stein nicht gegenüber dem deines Gegners liegen, also nicht auf Sektor {cell}.",
  "diam.piece_zero": "Die Steine eines Stapels werden ab 1 gezählt, dem untersten.",
  "diam.empty_sector": "Sektor {cell} ist leer.",
  "diam.not_neighbours": "Die Sektoren {from} und {to} liegen nicht nebeneinander.",
  "diam.several_sectors": "Ein Zug setzt einen Stein oder geht von einem Sektor zu einem anderen.",
  "diam.no_such_piece": "Sektor {cell} hat {height} Steine, also ist keiner so hoch.",
  "diam.no_such_piece_one": "Sektor {cell} hat {height} Stein, also ist keiner so hoch.",
  "diam.not_your_piece": "Stein {piece} von Sektor {cell} ist {letter} und gehört dir nicht.",
  "diam.too_high": "Sektor {cell} wäre mit diesen Steinen {height} hoch, und kein Stapel wird hier höher als {max}.",
});

/** The text in place of messages that only programmers understand. */
const UNREADABLE = "Der Server kann das nicht lesen: Etwas fehlt oder ist ungültig.";

/**
 * @param {number} number
 * @param {string} one
 * @param {string} many
 */
function count(number, one, many) {
  return `${number.toLocaleString("de")} ${number === 1 ? one : many}`;
}

/** @param {number} time */
const date = (time) => new Date(time).toLocaleDateString("de", { dateStyle: "medium" });

/** @param {number} ms */
const time = (ms) => new Date(ms).toLocaleString("de", { dateStyle: "medium", timeStyle: "short" });

/** @param {number} moves */
const movesInWords = (moves) => count(moves, "Zug", "Züge");

/**
 * Some moves at the end of a game, as an object.
 * @param {number} moves
 */
function lastMoves(moves) {
  return moves === 1 ? "den letzten Zug" : `die letzten ${moves === 2 ? "beiden" : moves} Züge`;
}

/** @param {number} ms */
function span(ms) {
  if (ms % MINUTE !== 0 || ms === 0) return `${(ms / SECOND).toLocaleString("de")} s`;
  if (ms % DAY === 0) return count(ms / DAY, "Tag", "Tage");
  if (ms % HOUR === 0) return count(ms / HOUR, "Stunde", "Stunden");
  return `${ms / MINUTE} min`;
}

/**
 * A time to wait, rounded up.
 * @param {number} ms
 * @param {string} days in the dative, as after `in`, or in another case
 */
function wait(ms, days = "Tagen") {
  if (ms <= MINUTE) return count(Math.max(1, Math.ceil(ms / SECOND)), "Sekunde", "Sekunden");
  if (ms <= HOUR) return count(Math.ceil(ms / MINUTE), "Minute", "Minuten");
  return ms <= 2 * DAY ? count(Math.ceil(ms / HOUR), "Stunde", "Stunden") : count(Math.ceil(ms / DAY), "Tag", days);
}

/**
 * Names in a row.
 * @param {string[]} users
 */
const and = (users) => users.join(" und ");

/**
 * Why a move is refused.
 * @param {Reason} reason
 */
const why = (reason) => reasonText(REFUSALS, reason);

/** @param {Failed} failed */
const failure = (failed) =>
  failureText(
    { failures: FAILURES, limits: LIMITS, unreadable: UNREADABLE, why, other: (said, code) => `${OTHER[code] ?? "Das hat nicht geklappt"}. (${said})` },
    failed,
  );

/** @type {Strings} */
export const strings = {
  title: "Adamant",
  kind,

  kinds: Object.keys(GAMES),

  gameName: (rules) => GAMES[kind(rules)]?.name ?? kind(rules),
  gameGoal: (rules, said) => GAMES[kind(rules)]?.goal ?? said,

  board: {
    name: "Das Brett",
    empty: "leer",
    yours: (pieces) => (pieces === 1 ? "dein Stein" : `dein Stapel aus ${pieces}`),
    theirs: (user, pieces) => (pieces === 1 ? `Stein von ${user}` : `Stapel aus ${pieces} von ${user}`),
    mixed: (letters, user) => {
      const top = user === undefined ? "gehört dir" : `gehört ${user}`;
      return letters.length === 1 ? `Stein ${letters.join("")}, ${top}` : `von unten ${letters.join(" ")}, der oberste ${top}`;
    },
    states: {
      chosen: "gewählt",
      target: "mögliches Ziel",
      capture: "schlägt",
      threatened: "bedroht",
      "last-to": "letzter Zug",
      "last-from": "Start des letzten Zugs",
    },
    edge: (edge, own) => (own ? `dein Ziel, ${edge}` : `Ziel, ${edge}`),
    edges: {
      home: "naher Rand",
      away: "ferner Rand",
      top: "oberer Rand",
      bottom: "unterer Rand",
      left: "linker Rand",
      right: "rechter Rand",
    },
  },

  viewSettings: {
    heading: "Ansicht",
    theme: { title: "Erscheinungsbild", choices: { auto: "Wie das System", light: "Hell", dark: "Dunkel" } },
    board: { title: "Brett", choices: { paper: "Papier", wood: "Holz", slate: "Schiefer" } },
    coordinates: { title: "Koordinaten", choices: { edge: "Am Rand", cells: "In den Feldern", off: "Aus" } },
    letters: { title: "Buchstaben auf Steinen", choices: { off: "Aus", on: "An" } },
    animation: { title: "Animation", choices: { auto: "Wie das System", off: "Aus" } },
    volume: { title: "Ton", choices: { 0: "Aus", 40: "Leise", 70: "Normal", 100: "Laut" } },
  },

  clock: (given) => {
    const clock = /** @type {import("../wire.js").ClockState} */ (given);
    const base = span(clock.base_ms ?? 0);
    switch (clock.mode) {
      case "none":
        return "ohne Bedenkzeit";
      case "fischer":
        return clock.inc_ms ? `${base} + ${span(clock.inc_ms)} pro Zug` : base;
      case "per_move":
        return `${span(clock.move_ms ?? 0)} pro Zug`;
      case "byoyomi":
        return `${base} + ${clock.periods} × ${span(clock.period_ms ?? 0)}`;
      case "days":
        return `${count(clock.per_move_days ?? 0, "Tag", "Tage")} pro Zug`;
      default:
        return clock.mode;
    }
  },

  date,

  claimAfter: (mode, after) =>
    mode === "days"
      ? "Ist jemand abwesend, entscheidet nur die Uhr."
      : `Wer am Zug ist und ${wait(mode === "none" ? after.untimed_ms : after.timed_ms, "Tage")} lang abwesend bleibt, kann das Spiel verlieren.`,

  options: (options, rules = "") => optionsInWords(OPTIONS, options, rules),

  option: (rules, name) => OPTIONS[kind(rules)]?.[name],

  player: (user) => COMPUTERS[user] ?? user,

  why: (answer) => why(answer ?? {}),

  nav: {
    label: "Adamant",
    menu: "Menü",
    skip: "Zum Inhalt",
    watch: "Zuschauen",
    learn: "Lernen",
    analysis: "Analyse",
    rules: "Regeln",
    standings: "Rangliste",
    yourMove: (games) => `${games}× am Zug`,
    next: ": zum nächsten Spiel",
  },
  loading: "Wird geladen …",
  loadingOffline: "Das erscheint, sobald der Server erreichbar ist.",
  loadingEnded: "Das erscheint, wenn du dich neu verbindest.",

  trouble: {
    failed: (what) => `Auf dieser Seite ist etwas schiefgegangen (${what}). Deine Spiele sind auf dem Server sicher.`,
    stillLoading: "Das dauert ungewöhnlich lange. Deine Spiele sind auf dem Server sicher.",
    partMissing: "Dieser Teil der Seite konnte nicht geladen werden. Es wird noch einmal versucht …",
    notStored: "Dieser Browser speichert für diese Seite nichts. Du kannst spielen, aber wenn du die Seite schließt, sind hier deine Einstellungen und deine Spiele als Gast weg.",
    tryAgain: "Noch einmal",
    reload: "Seite neu laden",
    understood: "In Ordnung",
    operatorSays: (text) => `Der Betreiber dieses Servers sagt: ${text}`,
    maintenance: (minutes, text) => `${minutes > 0 ? `In ${minutes} min` : "Ab jetzt"} beginnen keine neuen Spiele: ${text}`,
    maintenanceCancelled: "Der geplante Neustart fällt aus.",
    warned: (text) => `Der Betreiber dieses Servers verwarnt dich: ${text}`,
    silenced: (until, text) => `Du darfst anderen nicht schreiben${until === undefined ? "" : `, bis ${time(until)}`}: ${text}`,
    reportClosed: (acted, text) => `Danke für deine Meldung: ${acted ? "Der Betreiber ist ihr nachgegangen." : "Der Betreiber sah keinen Anlass einzugreifen."} ${text}`.trim(),
    gameRuled: (game, text) => `Der Betreiber hat dein Spiel ${game} beendet: ${text}`,
    gameAnnulled: (game, text) => `Der Betreiber hat das Ergebnis deines Spiels ${game} für ungültig erklärt: ${text}`,
    otherUser: (user) => (user === undefined ? "Dieser Browser ist nicht mehr angemeldet." : `Dieser Browser ist jetzt ${user}, wie in einem anderen Tab gewählt.`),
  },

  notFound: {
    title: "Nicht gefunden",
    page: "Unter dieser Adresse gibt es nichts.",
    game: "Dieses Spiel gibt es nicht. Vielleicht ist der Link unvollständig.",
    user: (name) => `Es gibt niemanden mit dem Namen ${name}.`,
    rules: "Dieses Spiel gibt es hier nicht.",
    puzzle: "Diese Aufgabe gibt es nicht.",
    home: "Zur Startseite",
  },

  failed: (failed) =>
    failed.retry_after_ms == null
      ? failure(failed)
      : `${failure(failed)} Versuch es in ${wait(failed.retry_after_ms)} noch einmal.`,

  rules: {
    games: "Spiele",
    notation: "Wie man Züge schreibt",
    options: "Optionen",
    whole: "Die vollständigen Regeln",
  },

  explore: {
    play: "Ziehen",
    undo: "Zurück",
    fewer: "Weniger",
    more: "Mehr",
    amount: (cell) => `Steine für ${cell}`,
    reserve: (piece, pieces) => `${piece} × ${pieces}`,
    reserveOf: (seat) => `Vorrat von Spieler ${seat}`,
    word: (word) => (word === "swap" ? "Seiten tauschen" : `${word} spielen`),
  },

  analysis: {
    title: "Analyse",
    heading: (rules) => `Analyse: ${GAMES[kind(rules)]?.name ?? kind(rules)}`,
    titleOf: (game, players) => `Analyse: ${game}, ${players}`,
    about: "Probier Züge für alle Seiten aus, vom Anfang an oder in jeder Stellung einer Partie. Oder spiel mit jemandem neben dir.",
    emptyBoard: "Analysebrett",
    hotSeat: "Zu zweit an einem Bildschirm",
    hotSeatAbout: "Spiel mit jemandem neben dir. Die Partie bleibt in diesem Browser.",
    analyse: "Analysieren",
    analyseGame: (players) => `Partie ${players} analysieren`,
    sides: ["Blau", "Orange", "Weiß"],
    toMove: (user) => `${user} ist am Zug.`,
    lineFull: (moves) => `Diese Zugfolge hat ${moves} Züge. Mehr lassen sich nicht ausprobieren.`,
    treeFull: "Mehr Züge fasst diese Analyse nicht. Entferne einige, um andere auszuprobieren.",
    gameEnded: (result) => `Hier endete die Partie: ${result}`,
    lastPosition: "Letzte Stellung",
    backToGame: "Zurück zur Partie",
    openGame: "Partie öffnen",
    takeBack: "Zurücknehmen",
    removeFrom: "Ab hier entfernen",
    reset: "Von vorn",
    copy: "Link kopieren",
    copied: "Kopiert.",
    addressTooLong: "Das sind zu viele Züge für einen Link. Speichere sie als Text.",
    save: "Als Text speichern",
    turns: { text: "Brett zu dem drehen, der am Zug ist", title: "Alle sehen ihre eigene Seite vor sich" },
    again: "Noch einmal",
    newGame: "Neue Partie",
    newGameAbout: "Eine neue Partie tritt an die Stelle dieser.",
    setUp: {
      change: "Brett ändern",
      show: "Dieses Brett zeigen",
      begin: "Beginnen",
      name: (seat) => `Spieler ${seat}`,
    },
    opinion: {
      heading: "Meinung des Computers",
      level: "Stufe",
      levels: { easy: "leicht", medium: "mittel", hard: "schwer", perfect: "perfektes Spiel" },
      perfect: (value, side, distance) =>
        ({
          win: `${side} gewinnt sicher: noch ${distance === 1 ? "ein Zug" : `${distance} Züge`} bis zum Ende.`,
          loss: `${side} verliert sicher: noch ${distance === 1 ? "ein Zug" : `${distance} Züge`} bis zum Ende.`,
        })[value] ?? "Remis bei perfektem Spiel.",
      bestMoves: (moves) => (moves === 1 ? "Der einzige beste Zug:" : "Beste Züge:"),
      moreMoves: (moves) => `und ${moves} weitere.`,
      notKnown: "Perfektes Spiel ist hier nicht bekannt: nur auf kleinen Brettern, mit wenigen Steinen oder kurz vor dem Ende.",
      thinking: "Denkt nach …",
      wouldPlay: (level) => `Der Computer (${level}) würde spielen:`,
      playBest: "Diesen Zug spielen",
      even: "Die Stellung ist etwa ausgeglichen.",
      good: {
        better: (side) => `${side} steht etwas besser.`,
        muchBetter: (side) => `${side} steht viel besser.`,
        wins: (side) => `${side} gewinnt.`,
      },
      bad: {
        better: (side) => `${side} steht etwas schlechter.`,
        muchBetter: (side) => `${side} steht viel schlechter.`,
        wins: (side) => `${side} verliert.`,
      },
      over: "Die Partie ist zu Ende.",
      none: "Der Computer hat zu dieser Stellung keine Meinung.",
      forbidden: "Solange du diese Partie spielst, hat der Computer keine Meinung dazu.",
    },
    computer: {
      heading: "Computeranalyse",
      begin: "Diese Partie analysieren",
      queued: (ahead) => (ahead === 0 ? "Die Analyse beginnt gleich …" : `In der Warteschlange, hinter ${ahead} …`),
      running: (searched, positions) => (positions === undefined ? "Die Analyse beginnt …" : `${searched} von ${positions} Stellungen …`),
      noMoves: "Diese Partie hat keine Züge, die sich analysieren lassen.",
      graph: (user) => `Chancen von ${user} nach jedem Zug`,
      start: (chance, user) => `Vor dem ersten Zug: ${chance} % für ${user}`,
      after: (ply, move, chance, user) => `Zug ${ply}, ${move}: ${chance} % für ${user}`,
      verdict: (verdict) => ({ inaccuracy: "eine Ungenauigkeit", mistake: "ein Fehler", blunder: "ein grober Fehler" })[verdict] ?? "",
      noComment: "Geh zu einem Zug der Partie, um zu sehen, was der Computer dazu sagt.",
      good: (user, move, chance) => `${user} spielte ${move}: ${chance} %.`,
      bad: (user, move, verdict, lost) => `${user} spielte ${move}, ${verdict}: ${lost} % weniger.`,
      missed: (moves) => (moves === 1 ? "Ein Gewinn wurde verpasst." : `Ein Gewinn in ${moves} Zügen wurde verpasst.`),
      better: (line, chance) => `Am besten war ${line}: ${chance} %.`,
      pointOut: "Den besten Zug auf dem Brett zeigen",
      accuracyHeading: "Genauigkeit",
      accuracy: (user, value) => `${user}: Genauigkeit ${value} %`,
      turningPoints: "Wendepunkte",
      show: "Zeigen",
      playAgain: "Von hier noch einmal spielen",
      ofMove: (ply) => `(Zug ${ply})`,
    },
    load: {
      heading: "Partie laden",
      about: "Füg eine Aufzeichnung oder eine Liste von Zügen ein, wähl eine Datei, oder lass eine auf die Seite fallen. Lesbar sind als Text gespeicherte und signierte Aufzeichnungen.",
      paste: "Aufzeichnung oder Züge",
      placeholder: "adamas challenge ann bob",
      file: "Datei",
      orFile: "oder eine Datei:",
      open: "Öffnen",
      game: "Spiel",
      inTheText: "wie im Text",
      whichGame: "Das sind nur Züge: Wähl das Spiel, zu dem sie gehören.",
      fault: ({ number, move, why }) => `Zug ${number}, ${move}, ist nicht möglich. ${why}`,
      partly: ({ number, move, why }) => `Zug ${number}, ${move}, ist nicht möglich. Die Züge enden davor. ${why}`,
      cut: "Jemand hat diese Partie verlassen. Die Züge danach lassen sich nicht zeigen.",
      long: (moves) => `Diese Partie ist lang: Das sind ihre ersten ${moves} Züge.`,
    },
    record: {
      tooLong: "Das ist zu groß für die Aufzeichnung einer Partie.",
      noText: "Das ist keine Textdatei. Wähl die Aufzeichnung einer Partie.",
      empty: "In diesem Text sind keine Züge.",
      noEvent: (line) => `Zeile ${line} gehört zu keiner signierten Aufzeichnung.`,
      noStart: "Dieser signierten Aufzeichnung fehlt der Anfang.",
      noGame: (name) => `Ein Spiel namens ${name} gibt es hier nicht.`,
      noMove: (line, text) => `Das ist keine Aufzeichnung einer Partie: „${text}“ in Zeile ${line} ist kein Zug.`,
    },
  },

  learn: {
    heading: "Spielen lernen",
    intro: "Drei Züge zeigen dir, wie ein Spiel geht. Probier danach die Aufgaben: Jede Lösung ist bewiesen.",
    title: (kind) => `${GAMES[kind]?.name ?? kind} lernen`,
    inAMinute: "In einer Minute lernen",
    firstMovesDone: "Noch einmal die ersten Züge",
    firstMoves: "Deine ersten Züge",
    puzzles: "Aufgaben",
    toPuzzles: "Probier eine Aufgabe",
    rules: "Regeln",
    play: "Gegen den Computer",
    again: "Noch einmal",
    allDone: "Gut gemacht!",
    nowPlay: "Drück jetzt auf „Ziehen“.",
    clickMarked: "Nicht dort.",
    legalBut: "Dieser Zug ist erlaubt, aber nicht der gesuchte.",
    moveOf: (move, moves) => `Zug ${move} von ${moves}`,
    click: (what) => (what.startsWith("+") ? `Klick auf den Stein ${what.slice(1)} in deinem Vorrat.` : `Klick auf ${what}, das markiert ist.`),
    puzzlesSolved: (solved) => (solved === 0 ? "Aufgaben" : `Aufgaben: ${solved} gelöst`),
    solvedOf: (grade, solved, all) => `Schwierigkeit ${grade}: ${solved} von ${all} gelöst`,
    puzzle: (number, solved) => (solved ? `Aufgabe ${number}, gelöst` : `Aufgabe ${number}`),
    goal: {
      adamas: "Schlag alle Steine der anderen Seite.",
      hexma: "Verbinde den unteren und den oberen Rand des Sterns mit einer Kette aus deinen Steinen.",
      stymie: "Blau verbindet oben und unten, Orange links und rechts. Einem von beiden gelingt es.",
      diam: "Bring zwei Steine einer Farbe einander gegenüber auf den Ring, über dem Boden.",
    },
    guided: {
      adamas: {
        first: "Alle deine Steine stehen auf c1. Schick einen davon die Reihe entlang in die Mitte.",
        second: "Ein Zug kann Steine auf mehrere Felder schicken. Schick zwei los, nach oben und nach unten.",
        third: "Der Stein auf c4 hat die Höhe 1, und genau ein Stein von dir sieht ihn: Du kannst ihn schlagen.",
        done: "Ein Stapel fällt, wenn ihn genau so viele Steine sehen, wie er hoch ist. Schlag alles, und du gewinnst.",
      },
      hexma: {
        first: "Ein Stein zieht einen Schritt auf einen freien Nachbarpunkt.",
        second: "Oder er springt über einen Stein neben sich, eigen oder fremd, auf den freien Punkt dahinter.",
        third: "Sprünge gehen weiter, solange es etwas zu überspringen gibt. Dieser Stein schafft drei.",
        done: "Verbinde unten und oben mit einer Kette aus deinen Steinen, bevor es die andere Seite tut.",
      },
      stymie: {
        first: "Du bist Blau und verbindest oben und unten. Der erste Zug ist ein einzelner Stein: Nimm die Mitte.",
        second: "Ab jetzt darfst du zwei setzen: ein Achteck und ein Quadrat, das es berührt.",
        third: "Orange hat einen einzelnen Stein gesetzt, also darfst du mit dreien antworten: einem Achteck und zwei Quadraten, die es berühren.",
        done: "Oben und unten sind verbunden: Du hast gewonnen.",
      },
      diam: {
        first: "Steine kommen aus deinem Vorrat. Es gibt zwei Arten: A und B. Setz ein A auf Sektor 1.",
        second: "Ein Stein kommt auf das, was schon da liegt. Setz ein B auf dein A.",
        third: "Dein B auf Sektor 1 steht auf der zweiten Ebene. Stell ihm auf Sektor 5, gegenüber, ein zweites B entgegen.",
        done: "Zwei gleiche stehen sich über dem Boden gegenüber: Du hast gewonnen.",
      },
    },
    steps: {
      adamas: {
        move: {
          title: "Steine ziehen geradeaus",
          text: "Die Steine eines Stapels ziehen beliebig weit auf einer von sechs Linien, auf ein freies Feld oder auf einen eigenen Stapel. Sie springen nicht.",
          task: "Zieh einige deiner Steine auf c1.",
          done: "Richtig. Es ziehen so viele Steine, wie du willst, und der Rest bleibt.",
        },
        split: {
          title: "Aufteilen",
          text: "Ein Stapel darf in einem Zug Steine auf mehrere Felder schicken.",
          task: "Schick Steine eines Stapels auf zwei oder mehr Felder.",
          done: "Richtig. Alle diese Felder waren vor dem Zug zu sehen.",
        },
        merge: {
          title: "Sammeln",
          text: "Oder mehrere Stapel schicken Steine auf ein Feld, das sie alle sehen.",
          task: "Wähl zwei deiner Stapel und dann ein Feld, das beide sehen.",
          done: "Richtig. Sie stehen nun als ein Stapel.",
        },
        capture: {
          title: "Schlagen",
          text: "Ein Stapel kann geschlagen werden, wenn ihn zusammen genau so viele Steine sehen, wie er hoch ist. Was ankommt, nimmt seinen Platz ein.",
          task: "Schlag den orangen Stein auf c4.",
          done: "Richtig. Ein Stein sah ihn, und er hatte die Höhe 1.",
        },
        win: {
          title: "Gewinnen",
          text: "Wer keine Steine oder keinen Zug mehr hat, scheidet aus. Wer übrig bleibt, gewinnt.",
          task: "Zwei blaue Steine sehen den orangen Stapel aus zwei: Schlag ihn.",
          done: "Das ist der Sieg.",
        },
      },
      hexma: {
        step: {
          title: "Ein Schritt",
          text: "Wer am Zug ist, bewegt einen Stein. Ein Schritt führt auf einen freien Nachbarpunkt.",
          task: "Zieh einen deiner Steine.",
          done: "Richtig.",
        },
        hop: {
          title: "Ein Sprung",
          text: "Oder der Stein springt über einen Stein neben sich, egal von wem, auf den freien Punkt direkt dahinter. Geschlagen wird nichts.",
          task: "Spring über einen Stein.",
          done: "Richtig. Der übersprungene Stein bleibt stehen.",
        },
        chain: {
          title: "Weiterspringen",
          text: "Nach einem Sprung darf der Stein in jede Richtung weiterspringen. Du klickst nur darauf, wo er landet.",
          task: "Finde einen Zug mit zwei oder mehr Sprüngen.",
          done: "Richtig. Eine lange Reihe von Steinen ist eine schnelle Straße.",
        },
        win: {
          title: "Gewinnen",
          text: "Du gewinnst, wenn eine Kette aus deinen Steinen den unteren mit dem oberen Rand verbindet. Beide Seiten verbinden dieselben zwei Ränder.",
          task: "Ein Zug vollendet die Kette.",
          done: "Das ist der Sieg: Die Kette ist vollständig.",
        },
      },
      stymie: {
        one: {
          title: "Ein Stein",
          text: "Blau eröffnet mit einem einzelnen Stein auf einem beliebigen Feld, Achteck oder Quadrat.",
          task: "Setz einen Stein.",
          done: "Richtig. Nur der erste Zug muss ein einzelner Stein sein.",
        },
        two: {
          title: "Zwei Steine",
          text: "Danach darf ein Zug zwei Steine setzen: auf ein Achteck und ein Quadrat, das es berührt.",
          task: "Du bist Orange. Setz auf ein Achteck und ein Quadrat, die sich berühren.",
          done: "Richtig.",
        },
        three: {
          title: "Drei Steine",
          text: "War der letzte Zug ein einzelner Stein, darfst du mit dreien antworten: einem Achteck mit zwei Quadraten oder einem Quadrat mit zwei Achtecken.",
          task: "Orange hat einen Stein gesetzt. Antworte mit dreien.",
          done: "Richtig. Ein einzelner Stein hat also seinen Preis.",
        },
        win: {
          title: "Gewinnen",
          text: "Blau verbindet oben und unten, Orange links und rechts. Ein Remis gibt es nicht.",
          task: "Du bist Blau. Verbinde oben und unten.",
          done: "Das ist der Sieg.",
        },
      },
      diam: {
        place: {
          title: "Setzen",
          text: "Ein Stein aus deinem Vorrat kommt auf einen beliebigen Sektor, auf alles, was dort liegt, bis zur Höhe 4.",
          task: "Wähl einen Stein aus dem Vorrat und dann einen Sektor.",
          done: "Richtig.",
        },
        stack: {
          title: "Bauen",
          text: "Nur Steine über dem Boden zählen, deshalb sind Stapel wichtig. Du darfst auf eigene und auf fremde Steine bauen.",
          task: "Setz einen Stein auf einen anderen.",
          done: "Richtig. Er steht auf der zweiten Ebene.",
        },
        shift: {
          title: "Ziehen",
          text: "Statt einen Stein zu setzen, darfst du einen Stapel auf den nächsten Sektor ziehen, wenn sein unterster Stein dir gehört.",
          task: "Zieh deinen Stein von Sektor 1 auf den nächsten Sektor.",
          done: "Richtig.",
        },
        part: {
          title: "Einen Teil ziehen",
          text: "Oder nimm einen Teil eines Stapels, von einem deiner Steine an aufwärts.",
          task: "Zieh deinen Stein oben auf Sektor 1 und lass den Rest stehen.",
          done: "Richtig. Was auf dem Stein liegt, zieht mit.",
        },
        win: {
          title: "Gewinnen",
          text: "Du gewinnst, wenn sich zwei Steine einer Farbe auf derselben Ebene gegenüberstehen, auf der zweiten oder höher. Haben beide Seiten so ein Paar, gewinnt das höhere.",
          task: "Dein B steht auf Sektor 1 auf der zweiten Ebene. Setz ein zweites auf Sektor 5, gegenüber.",
          done: "Das ist der Sieg.",
        },
      },
    },
  },

  puzzles: {
    title: (game, number) => `Aufgabe ${number}: ${game}`,
    heading: (number, count) => `Aufgabe ${number} von ${count}`,
    grade: (grade) => `Schwierigkeit ${grade} von 5`,
    sides: ["Blau", "Orange"],
    about: (kind, options) =>
      kind === "diam" ? `Jede Seite hat ${String(options["pieces"] ?? "2x4").split("x")[0]} Sorten von Steinen, jede mit eigenem Farbton und Zeichen. Zwei von einer Sorte, die sich über dem Boden gegenüberliegen, gewinnen.` : "",
    winInOne: (side) => `Du spielst ${side}. Gewinne mit diesem Zug.`,
    winIn: (side, moves) => `Du spielst ${side}. Gewinne in ${moves} Zügen, egal was die andere Seite spielt.`,
    save: (side) => `Du spielst ${side}. Nur ein Zug verliert nicht. Finde ihn.`,
    goOn: (side, moves) => (moves === 1 ? `Richtig! Gewinne jetzt mit ${side}.` : `Richtig! Gewinne jetzt mit ${side} in ${moves} Zügen.`),
    right: "Richtig! Die andere Seite versucht, sich zu verteidigen …",
    solved: "Gelöst!",
    seen: "So geht es. Probier die nächste ohne Hilfe.",
    notWon: (move) => `${move} gewinnt nicht sofort. Versuch einen anderen Zug.`,
    notFast: (move) => `${move} gewinnt nicht rechtzeitig. Versuch einen anderen Zug.`,
    stopped: (move, reply) => `${move} reicht nicht: Nach ${reply} kannst du mit dem nächsten Zug nicht gewinnen.`,
    lost: (move, reply) => `${move} verliert: ${reply} gewinnt sofort.`,
    losing: (move, reply) => `${move} verliert: Nach ${reply} ist die andere Seite nicht mehr aufzuhalten.`,
    hintFrom: (cells) => `Schau dir ${cells.join(", ")} an.`,
    hintTo: (cells) => `Auf ${cells.join(", ")} gehört etwas hin.`,
    solutionIs: (moves) => `Die Lösung: ${moves.join(", ")}.`,
    hint: "Tipp",
    solution: "Lösung zeigen",
    again: "Noch einmal",
    next: "Nächste Aufgabe",
    all: "Alle Aufgaben",
  },

  users: {
    standings: "Rangliste",
    whose: "Wer in der Liste steht",
    who: { everyone: "Alle", people: "Menschen", bots: "Bots" },
    none: {
      everyone: "Noch hat niemand eine Wertung. Es zählen gewertete Spiele zwischen Konten.",
      people: "Noch hat kein Mensch eine Wertung. Es zählen gewertete Spiele zwischen Konten.",
      bots: "Noch hat kein Bot eine Wertung. Es zählen gewertete Spiele zwischen Konten.",
    },
    rating: "Wertung",
    games: "Spiele",
    won: "Gewonnen",
    drawn: "Remis",
    lost: "Verloren",
    place: "Platz",
    player: "Spieler",
    provisional: "vorläufig",
    current: "Spielt gerade",
    history: "Beendete Spiele",
    online: "online",
    tables: (players) => `${players} Spieler`,
    owner: (owner) => `betrieben von ${owner}`,
    since: (since) => `dabei seit ${date(since)}`,
    challenge: "Herausfordern",
    challenged: "Herausforderung gesendet. Sobald sie angenommen ist, beginnt das Spiel.",
    block: "Blockieren",
    unblock: "Nicht mehr blockieren",
    feed: "Feed",
    feedAbout: "Die Spiele dieses Spielers für einen Feedreader (Atom)",
    course: (games, first, last) => `Wertung über ${games === 1 ? "die letzte Partie" : `die letzten ${games} Partien`}: von ${first} auf ${last}`,
    placed: (place) => `Platz ${place}`,
    record: (games, wins, draws, losses) =>
      `${count(games, "gewertetes Spiel", "gewertete Spiele")}: ${wins} gewonnen, ${draws} remis, ${losses} verloren`,
    rated: (rating, deviation) => `${rating} ± ${deviation}`,
  },

  stats: {
    title: "Statistik",
    whose: "Wessen Spiele",
    who: { everyone: "Alle Spiele", people: "Menschen", bots: "Bots", mixed: "Menschen gegen Bots" },
    none: "Noch ist kein solches Spiel zu Ende.",
    games: (games, aborted) => (aborted === 0 ? count(games, "Spiel", "Spiele") : `${count(games, "Spiel", "Spiele")}, dazu ${aborted} abgebrochen`),
    results: "Ergebnisse",
    result: "Ergebnis",
    count: "Spiele",
    share: "Anteil",
    wonBy: (player) => `Spieler ${player} gewinnt`,
    drawn: "Remis",
    ends: "Wie die Spiele endeten",
    end: "Ende",
    reasons: {
      last_player: "Letzter im Spiel",
      two_pieces: "Zwei Steine übrig",
      connected: "Ränder verbunden",
      aligned: "Zwei gleiche Steine gegenüber",
      stuck: "Niemand kann ziehen",
      repetition: "Wiederholung",
      too_long: "Höchstzahl an Zügen",
      agreement: "Einigung",
      resigned: "Aufgabe",
      timed_out: "Zeit",
      abandoned: "Spieler gegangen",
      ruling: "Entscheidung des Betreibers",
    },
    lengths: "Längen",
    median: (median, lower, upper) => `Die Hälfte der Spiele hat höchstens ${count(median, "Zug", "Züge")}, die mittlere Hälfte zwischen ${lower} und ${upper}.`,
    chart: (longest) => `Längen der Spiele, bis ${count(longest, "Zug", "Züge")}`,
    bar: (from, to, games) => `${from === to ? count(from, "Zug", "Züge") : `${from} bis ${to} Züge`}: ${count(games, "Spiel", "Spiele")}`,
    axis: "Züge",
    openings: "Eröffnungen",
    openingsAbout: "Spiele mit den üblichen Optionen; ungelistete Spiele zählen hier nicht.",
    firstMoves: (moves) => (moves === 1 ? "Erster Zug" : `Erste ${moves} Züge`),
    wonBySeat: "Gewonnen nach Sitz",
    percent: (part, all) => `${all === 0 ? 0 : Math.round((100 * part) / all)} %`,
  },

  home: {
    title: "Spielen",
    heading: "Vier Brettspiele, live.",
    lead: "In einer Minute zum ersten Spiel. Ganz ohne Konto.",
    welcome: "Spielen",
    newGame: "Neues Spiel",
    computer: "Computer",
    person: "Mensch",
    friend: "Freund",
    playComputer: (game) => `${game} gegen den Computer spielen`,
    playPerson: (game) => `${game} gegen einen Menschen spielen`,
    playFriend: (game) => `${game} gegen einen Freund spielen`,
    learn: "In einer Minute lernen",
    yours: "Deine Spiele",
    yourMove: "Du bist am Zug",
    theirMove: (user) => `${user} ist am Zug`,
    showAll: "Alle zeigen",
    challenges: "Herausforderungen an dich",
    seeks: "Offene Spiele",
    noSeeks: "Niemand wartet auf einen Gegner. Mach den Anfang:",
    open: "Spiel anbieten",
    live: "Laufende Spiele",
    all: "Alle laufenden Spiele",
    featured: "Im Blickpunkt",
    finished: "Gerade beendet",
    allFinished: "Alle beendeten Spiele",
    join: "Mitspielen",
    accept: "Annehmen",
    decline: "Ablehnen",
    cancel: "Abbrechen",
    outgoing: "Warten auf einen Gegner",
    waitingFor: (users) => `wartet auf ${and(users)}`,
    challengedBy: (by) => `${by} fordert dich heraus`,
    refused: (by, reason = "") =>
      ({
        expired: "Niemand hat deine Herausforderung rechtzeitig angenommen.",
        later: `${by} kann jetzt nicht spielen. Versuche es später noch einmal.`,
        too_fast: `${by} möchte mehr Bedenkzeit.`,
        too_slow: `${by} spielt zurzeit nur mit Uhr oder mit kürzerer Bedenkzeit.`,
        rated: `${by} spielt nur gewertete Partien.`,
        casual: `${by} spielt keine gewerteten Partien.`,
        game: `${by} spielt dieses Spiel nicht.`,
        options: `${by} spielt nicht mit diesen Optionen.`,
        no_bot: `${by} spielt nicht gegen Bots.`,
        busy: `${by} spielt gerade so viele Partien wie möglich.`,
        busy_with_you: `Du hast so viele Partien mit ${by}, wie eine Person haben darf. Beende eine davon, um eine neue zu beginnen.`,
        busy_network: `${by} spielt gerade so viele Partien wie möglich mit Leuten aus deinem Netz.`,
      })[reason] ?? (by === "" ? "Deine Herausforderung wurde nicht angenommen." : `${by} hat deine Herausforderung abgelehnt.`),
    versus: (users) => users.join(" – "),
    ply: (ply) => movesInWords(ply),
    rated: "gewertet",
    unrated: "nicht gewertet",
    ratedFrom: (least, most) =>
      least === undefined ? `Wertung bis ${most}` : most === undefined ? `Wertung ab ${least}` : `Wertung ${least} bis ${most}`,
    seated: (joined, players) => `${joined} von ${players}`,
    waiting: "Warten auf einen Mitspieler …",
    stays: "bleibt offen, während du weg bist",
    invited: "Wer den Link hat, kann mitspielen",
    invitedBy: (user) => `Du spielst bei ${user} mit`,
    asked: "Warten auf eine Antwort …",
  },

  challenge: {
    notices: "Herausforderungen",
    from: (by) => `${by} fordert dich heraus`,
    again: (by) => `${by} möchte eine Revanche`,
    others: (users) => `Außerdem dabei: ${users.join(", ")}`,
    randomSeat: "wer beginnt, entscheidet das Los",
    seat: (seat) => ["du ziehst zuerst", "du ziehst als Zweiter", "du ziehst als Dritter"][seat] ?? `du hast Platz ${seat + 1}`,
    later: "Später",
  },

  notify: {
    ask: "Sag mir, wenn ich am Zug bin",
    about: "Dein Browser kann dir Züge und Herausforderungen melden, während du etwas anderes machst.",
    on: "Benachrichtigungen sind an.",
    failed: "Benachrichtigungen sind nur an, solange eine unserer Seiten offen ist: Dein Browser konnte sich nicht für Anrufe anmelden.",
    onOpen: "Benachrichtigungen sind in diesem Browser an, solange eine unserer Seiten offen ist.",
    onClosed: "Benachrichtigungen sind in diesem Browser an, auch bei geschlossener Seite.",
    off: "Ausschalten",
    browsers: "Browser, die auch bei geschlossener Seite von deinen Spielen hören",
    remove: "Entfernen",
    feed: "Feed deiner Spiele",
    feedAbout: "(Atom, für einen Feedreader; nur öffentliche Spiele)",
    heading: "Benachrichtigungen",
    refused: "Dein Browser erlaubt für diese Seite keine Benachrichtigungen.",
    yourMove: "Du bist am Zug",
    over: "Spiel beendet",
    gameWith: (game, opponents) => `${game} gegen ${and(opponents)}`,
    result: (outcome, game, opponents) =>
      `${{ won: "Gewonnen", lost: "Verloren", drawn: "Remis" }[outcome]}: ${game} gegen ${and(opponents)}.`,
    aborted: (game, opponents) => `${game} gegen ${and(opponents)} wurde abgebrochen.`,
  },

  join: {
    title: "Mitspielen",
    heading: (by) => `${by} lädt dich zu einem Spiel ein`,
    play: "Spielen",
    guest: "Du kannst ohne Konto spielen.",
    yours: "Das ist deine eigene Einladung. Schick den Link an die Person, mit der du spielen möchtest:",
    gone: "Diese Einladung gilt nicht mehr.",
    joined: (joined, players) => `${joined} von ${players} Spielern sind da.`,
    waiting: "Du bist dabei. Das Spiel beginnt, sobald alle da sind.",
    randomSeat: "Wer beginnt, entscheidet das Los.",
    seat: (seat) => (seat === 0 ? "Dein Gegner zieht zuerst." : "Du ziehst zuerst."),
  },

  live: {
    title: "Zuschauen",
    all: "Alle",
    none: "Im Moment läuft kein Spiel.",
    player: "Spieler",
    finished: "Beendete Spiele",
    tv: "Auf einem Brett zuschauen",
  },

  tv: {
    title: "Live-TV",
    none: "Im Moment spielt niemand. Sobald ein Spiel beginnt, erscheint es hier.",
    open: "Dieses Spiel öffnen",
  },

  games: {
    title: "Beendete Spiele",
    game: "Spiel",
    anyGame: "jedes Spiel",
    player: "Spieler",
    opponent: "Gegen",
    result: "Ergebnis",
    anyResult: "jedes Ergebnis",
    results: { won: "gewonnen", lost: "verloren", drawn: "remis" },
    outcomes: { won: "Gewonnen", lost: "Verloren", drawn: "Remis", aborted: "Abgebrochen" },
    annulled: "ungültig",
    leftToComputer: "Ein Computer hat den Platz übernommen.",
    against: (users) => `Gegen ${and(users)}`,
    how: (reason, outcome) => sentence(outcome === "drawn" ? (DRAWN_BY[reason] ?? reason) : (ENDED_BY[reason]?.[outcome === "won" ? 0 : 1] ?? reason)),
    rated: "Nur gewertete",
    search: "Zeigen",
    none: "Keine passenden Spiele gefunden.",
    whose: "Bitte gib einen Spieler an: Ergebnis und Gegner beziehen sich auf ihn.",
    more: "Mehr",
  },

  bots: {
    title: "Gegen einen Bot spielen",
    lead: "Programme, die verbunden sind und Herausforderungen annehmen: die des Servers und die von Spielern.",
    all: "Alle Spiele",
    none: "Zurzeit nimmt kein Bot solche Spiele an.",
    challenge: (user) => `${user} herausfordern`,
    ofServer: "von diesem Server",
    busy: "Zurzeit beschäftigt",
    free: (games) => `Frei für ${count(games, "Spiel", "Spiele")}`,
    accepts: (what) => `Nimmt an: ${what}`,
    everything: "Nimmt jedes Spiel an",
    clocks: {
      none: "ohne Uhr",
      fischer: "Zeit mit Zugabe",
      per_move: "Zeit je Zug",
      byoyomi: "Byoyomi",
      days: "Tage je Zug",
    },
    paceMin: (ms) => `mindestens ${span(ms)} je Zug`,
    paceMax: (ms) => `höchstens ${span(ms)} je Zug`,
    onlyRated: "nur gewertete Spiele",
    onlyCasual: "nur Spiele ohne Wertung",
    ratings: (min, max) => (max === undefined ? `Wertung ab ${min}` : min === undefined ? `Wertung bis ${max}` : `Wertung ${min} bis ${max}`),
    noBots: "keine Bots",
    noGuests: "keine Gäste",
    defaultOptions: "Standardregeln",
    link: "Alle Bots, die hier spielen",
  },

  house: {
    instead: (why, player) => `${why} Du spielst stattdessen gegen ${player}.`,
    legend: "Computer",
    levels: {
      easy: "Er macht irgendeinen Zug.",
      level2: "Er findet oft einen guten Zug.",
      level3: "Er übersieht keinen Sieg in einem Zug, weder deinen noch seinen.",
      medium: "Er denkt einen Zug voraus.",
      level5: "Er denkt einige Züge voraus.",
      level6: "Er denkt einige Züge voraus und irrt sich selten.",
      level7: "Er denkt viele Züge voraus.",
      hard: "Er denkt so weit voraus, wie er kann.",
    },
    elo: (elo, game) => `In ${game} ${elo} Elo über Stufe 1.`,
  },

  newGame: {
    heading: "Neues Spiel",
    close: "Schließen",
    game: "Spiel",
    against: "Gegner",
    computer: "Computer",
    person: "Mensch",
    friend: "Freund",
    level: "Stärke",
    how: "Einladen",
    byLink: "per Link",
    byName: "mit Namen",
    name: "Name",
    names: "Namen, mit Kommas getrennt",
    third: "Der Computer nimmt den dritten Platz",
    bothComputers: "Beide Computer spielen in dieser Stärke.",
    watchComputers: "Nur zusehen: Der Computer spielt gegen sich selbst",
    watch: "Zusehen",
    players: "Spieler",
    seat: "Du ziehst",
    anySeat: "nach Los",
    seatNumber: (seat) => ["zuerst", "als Zweiter", "als Dritter"][seat] ?? String(seat + 1),
    clock: "Bedenkzeit",
    presets: {
      fast: { name: "3+2", about: "schnell" },
      slow: { name: "10+5", about: "gemütlich" },
      day: { name: "1 Tag", about: "pro Zug" },
      none: { name: "Ohne Uhr", about: "in aller Ruhe" },
      custom: { name: "Andere …", about: "deine eigene" },
    },
    presetTitles: {
      fast: "je 3 Minuten, und 2 Sekunden mehr für jeden Zug",
      slow: "je 10 Minuten, und 5 Sekunden mehr für jeden Zug",
      day: "ein Tag für jeden Zug",
      none: "ohne Bedenkzeit",
      custom: "eine andere Bedenkzeit",
    },
    mode: "Uhr",
    perGame: "für das Spiel, plus für jeden Zug",
    perMove: "für jeden Zug",
    byoyomi: "für das Spiel, dann in Perioden",
    days: "Tage für jeden Zug",
    minutes: "Minuten für das Spiel",
    increment: "Sekunden mehr pro Zug",
    seconds: "Sekunden pro Zug",
    periods: "Anzahl der Perioden",
    period: "Sekunden pro Periode",
    dayCount: "Tage pro Zug",
    more: "Mehr Optionen",
    range: (least, most) => `Bitte gib eine Zahl von ${least} bis ${most} ein.`,
    whole: "Bitte gib eine ganze Zahl ein.",
    halves: "Bitte gib ganze oder halbe Minuten ein.",
    noName: (name) => `${name} kann kein Spielername sein.`,
    namesMissing: (names) => (names === 1 ? "Bitte gib den Namen eines Spielers ein." : `Bitte gib die Namen von ${names} Spielern ein.`),
    rated: "Gewertet",
    needsAccount: "Für gewertete Spiele brauchst du ein Konto.",
    bots: "Bots dürfen mitspielen",
    guests: "Gäste dürfen mitspielen",
    lasting: "Offen halten, während ich weg bin",
    unlisted: "Nicht gelistet: Nur wer den Link hat, kann zuschauen",
    ratingFrom: "Wertung des Gegners von",
    ratingTo: "bis",
    ratingOrder: "Die erste Wertung darf nicht höher sein als die zweite.",
    delay: "Verzögerung für Zuschauer",
    noDelay: "keine",
    delayMoves: (moves) => movesInWords(moves),
    delayed: (moves) => `Zuschauer ${movesInWords(moves)} verzögert`,
    byDefault: "Standard",
    play: "Spielen",
    findOpponent: "Gegner finden",
    invite: "Link erstellen",
    beside: "Sitzt ihr nebeneinander?",
    challenge: "Herausfordern",
    inviteMade: "Schick diesen Link an die Person, mit der du spielen möchtest.",
    inviteAbout: "Das Spiel beginnt, wenn sie ihn öffnet und auf „Spielen“ drückt. Ein Konto ist nicht nötig.",
    link: "Link zum Spiel",
    copy: "Link kopieren",
    copied: "Kopiert",
    share: "Teilen",
    shareText: (game) => `Spiel ${game} mit mir`,
  },

  game: {
    you: "du",
    bot: "Bot",
    guest: "Gast",
    yourMove: "Du bist am Zug.",
    waitingFor: (user) => `Warten auf ${user}.`,
    isAway: (user) => `${user} ist abwesend.`,
    clockWaits: (user) => `Die Uhr von ${user} läuft, sobald ${user} das Spiel gesehen hat.`,
    ownClockWaits: "Deine Uhr läuft, sobald du das Spiel gesehen hast.",
    parked: "Geparkt; es geht weiter, wenn du ziehst.",
    sending: "Dein Zug wird gesendet …",
    yourMoveRegion: "Dein Zug",
    farSide: "Spieler auf der fernen Seite",
    nearSide: "Spieler auf der nahen Seite",
    isComputer: (user) => Object.hasOwn(COMPUTERS, user),
    goalRegion: "Ziel",
    goalSentence: (goal) => `Ziel: ${goal}`,
    goal: (kind, seat, players) => GOALS[kind]?.(seat, players) ?? "",
    rulesOf: (kind, players) => RULES[kind]?.(players) ?? [],
    rules: "Regeln",
    allRules: "Alle Regeln, mit Beispielen",
    youAreOut: (state) =>
      `Du bist ausgeschieden. ${{ no_pieces: "Du hast keine Steine mehr.", no_move: "Du konntest nicht mehr ziehen." }[state] ?? "Du hast das Spiel verlassen."} Die anderen spielen weiter.`,
    tabs: "Züge, Chat und Regeln",
    tools: "Ansicht",
    controls: "Spiel",
    notices: "Angebote",
    settings: "Einstellungen",
    menu: "Weitere Aktionen",
    keepGame: "Spiel aufbewahren",
    close: "Schließen",
    flip: { text: "Brett drehen", title: "Brett drehen (Taste f)" },
    keys: "Tasten",
    keysTitle: "Tasten (Taste ?)",
    analyse: "Diese Stellung analysieren",
    keyList: [
      ["← → ↑ ↓", "Über das Brett gehen; außerhalb davon blättern ← und → durch die Züge"],
      ["Leertaste", "Feld wählen"],
      ["Umschalt Leertaste", "Feld in seiner anderen Rolle wählen"],
      ["+ −", "Mehr oder weniger Steine"],
      ["Enter", "Zug spielen"],
      ["u", "Letzten Schritt des Zugs zurücknehmen"],
      ["Esc", "Zug verwerfen"],
      ["m", "Zug eintippen"],
      ["Pos1 Ende", "Erste Stellung, aktuelle Stellung"],
      ["f", "Brett drehen"],
      ["t", "Drohungen zeigen"],
      ["?", "Diese Tasten zeigen"],
    ],
    seatState: (state) => SEAT_STATES[state] ?? state,
    inReserve: (letter, number) => `${letter}, ${number} im Vorrat`,
    waitingForServer: "Die Zeit ist um: Warten auf den Server …",
    play: "Ziehen",
    undo: "Zurück",
    undoTitle: "Letzten Schritt des Zugs zurücknehmen (Taste u)",
    backToGame: "Zurück zum Spiel",
    typeMove: "Zug eintippen (Taste m)",
    choosePlace: "Wähl aus, wohin du ihn setzt.",
    chooseFromReserve: "Setz einen Stein aus deinem Vorrat oder zieh einen Stapel.",
    choose: "Wähl ein Feld, um zu beginnen.",
    noMoveFrom: (cell) => `Auf ${cell} beginnt kein Zug.`,
    chooseOrDrag: "Wähl einen Stein oder zieh ihn.",
    goOn: "Wähl das Ziel.",
    completeIt: "Noch kein Zug: Wähl ein markiertes Feld, um ihn zu vollenden.",
    dropStack: "Umschalt oder langes Drücken: der ganze Stapel.",
    all: "alle",
    fewer: "Weniger Steine",
    none: "Von hier keine",
    allOf: (most) => `Alle ${most}`,
    amountAt: (cell) => `Steine auf ${cell}`,
    choosePieces: (letters) => `${letters.length === 1 ? "Der Stein" : "Die Steine"} ${letters.join(" ")}`,
    more: "Mehr Steine",
    notation: "Zug in Notation",
    resign: "Aufgeben",
    resignSure: "Dieses Spiel aufgeben?",
    abort: "Abbrechen",
    abortSure: "Dieses Spiel abbrechen?",
    offers: { draw: "Remis", takeback: "Zurücknehmen", abort: "Abbrechen" },
    offerTitles: {
      draw: () => "Remis anbieten",
      takeback: (moves) => `Darum bitten, ${lastMoves(moves)} zurückzunehmen`,
      abort: () => "Vorschlagen, das Spiel abzubrechen",
    },
    namedMove: (move) => ({ swap: "Seiten tauschen" })[move] ?? move,
    namedMoveSure: (move) => ({ swap: "Seite und Stein deines Gegners übernehmen?" })[move] ?? `${move} spielen?`,
    yes: "Ja",
    no: "Nein",
    offer: (by, what, moves) => `${by} ${OFFERS[what]?.theirs(moves) ?? what}.`,
    declined: (user, what) => `${user} lehnt ab: ${OFFERS[what]?.noun ?? what}.`,
    ownOffer: (what, moves) => `Du ${OFFERS[what]?.own(moves) ?? what}.`,
    leaves: (user, reason, computer) => `${user} ${LEAVES[reason]?.[0] ?? reason}. Soll ${computer} auf diesem Platz weiterspielen? Alle Uhren stehen.`,
    youLeave: (reason, computer) => `Du ${LEAVES[reason]?.[1] ?? reason}. Die anderen werden gefragt, ob ${computer} auf deinem Platz weiterspielt.`,
    seconds: (seconds) => `${seconds} s`,
    awaitsAnswers: "Warten auf Antworten",
    insteadOf: (user) => `für ${user}`,
    playsOn: (computer, user) => `${computer} spielt für ${user} weiter.`,
    accept: "Annehmen",
    decline: "Ablehnen",
    withdraw: "Zurückziehen",
    moves: "Züge",
    noMoves: "Noch keine Züge.",
    wantsAgain: (user) => `${user} möchte eine Revanche.`,
    away: (user, seconds) => `${user} ist abwesend. In ${wait(seconds * SECOND)} kannst du den Sieg beanspruchen.`,
    gone: (user) => `${user} ist immer noch abwesend. `,
    claim: "Sieg beanspruchen",
    online: "online",
    offline: "abwesend",
    atOnce: {
      text: "Züge sofort spielen",
      title: "Einen Zug ohne weiteren Klick spielen, sobald er vollständig und eindeutig ist",
    },
    threats: { text: "Drohungen zeigen", title: "Zeigen, welche Steine geschlagen werden könnten (Taste t)" },
    moved: (user, move, captured) =>
      `${user}: ${move}${captured.length > 0 ? `, geschlagen: ${captured.join(", ")}` : ""}.`,
    watching: (number, names) => (names.length === number ? `Es schauen zu: ${names.join(", ")}` : `${number} Zuschauer`),
    periods: (periods) => ` +${periods}`,
  },

  replay: {
    heading: "Frühere Stellungen",
    slider: "Gezeigte Stellung",
    first: "Erste Stellung",
    back: "Einen Zug zurück",
    forward: "Einen Zug vor",
    last: "Aktuelle Stellung",
    ply: (ply, last, move) => `nach ${ply} von ${count(last, "Zug", "Zügen")}${move === undefined ? "" : `: ${move}`}`,
    showing: (ply, last) => (ply === 0 ? "Anfangsstellung." : `Zug ${ply} von ${last}.`),
  },

  talk: {
    heading: "Chat",
    logIn: "Melde dich an, um zu chatten",
    rooms: { players: "Spieler", spectators: "Zuschauer" },
    write: "Schreib etwas",
    send: "Senden",
    unsent: "Noch nicht gesendet:",
    sentLater: "Wird gesendet, sobald der Server zu erreichen ist:",
    sendAgain: "Noch einmal senden",
    discard: "Verwerfen",
    earlier: "Frühere Zeilen",
    mute: "stummschalten",
    muteWhom: (user) => `${user} stummschalten`,
    unmuteWhom: (user) => `${user} nicht mehr stummschalten`,
    muted: "Stummgeschaltet: ",
    unsay: "Diese Zeile zurücknehmen",
  },

  report: {
    button: "Melden",
    line: "melden",
    inGame: "Einen Spieler melden",
    title: "Einen Spieler dem Betreiber melden",
    titleOf: (user) => `${user} dem Betreiber melden`,
    whom: "Wen",
    about: "Worum es geht",
    reasons: { cheating: "Fremde Hilfe oder absichtliches Verlieren", abuse: "Beleidigungen oder Drohungen", spam: "Werbung oder Flut von Zeilen", stalling: "Warten lassen statt zu verlieren", name: "Der Name", other: "Etwas anderes" },
    text: "Was geschehen ist",
    withGame: "Der Betreiber sieht das Spiel und die letzten Zeilen des Chats.",
    send: "Senden",
    sent: "Danke. Du erfährst, was der Betreiber getan hat.",
  },

  download: {
    link: "Link kopieren",
    copied: "Kopiert",
    record: "Als Text speichern",
    journal: "Signiertes Protokoll speichern",
    failed: "Speichern fehlgeschlagen. Noch einmal?",
  },

  result: (result, users) => {
    if (result.reason === "aborted") return "Das Spiel wurde abgebrochen.";
    const winners = result.winners.map((seat) => users[seat] ?? "");
    if (winners.length === 1) return `${winners[0]} gewinnt${WON_BY[result.reason] ?? `: ${result.reason}`}.`;
    const reason = DRAWN_BY[result.reason] ?? result.reason;
    return winners.length < users.length ? `Remis zwischen ${and(winners)}: ${reason}.` : `Remis: ${reason}.`;
  },

  over: {
    heading: "Ergebnis",
    verdict: ({ is, winner }, users) =>
      ({ won: "Du hast gewonnen", lost: "Du hast verloren", drawn: "Remis", aborted: "Spiel abgebrochen", over: winner === undefined ? "Remis" : `${users[winner]} gewinnt` })[is],
    how: ({ reason }, { winner, loser }, users, seat) => {
      if (reason === "aborted") return "Niemand hat gewonnen, und das Spiel zählt nicht.";
      if (winner === undefined) return sentence(DRAWN_BY[reason] ?? reason);
      const [own, who] = [winner === seat, users[winner] ?? ""];
      const left = users[loser ?? -1] ?? "";
      switch (reason) {
        case "connected":
          return own ? "Deine Kette verbindet beide Ränder." : `${who} hat beide Ränder verbunden.`;
        case "aligned":
          return own ? "Zwei deiner Steine stehen sich gegenüber." : `Zwei Steine von ${who} stehen sich gegenüber.`;
        case "last_player":
          return own ? "Außer dir ist niemand mehr im Spiel." : `Außer ${who} ist niemand mehr im Spiel.`;
        case "resigned":
          return loser === seat ? "Du hast aufgegeben." : `${left} hat aufgegeben.`;
        case "timed_out":
          return loser === seat ? "Deine Zeit ist abgelaufen." : `Die Zeit von ${left} ist abgelaufen.`;
        case "abandoned":
          return loser === seat ? "Du warst zu lange abwesend." : `${left} hat das Spiel verlassen.`;
        case "ruling":
          return "Der Betreiber dieses Servers hat so entschieden.";
        default:
          return sentence(reason);
      }
    },
    rating: (before, after) => `Wertung ${before} → ${after}`,
    signed: (change) => (change < 0 ? `−${-change}` : `+${change}`),
    annulled: "Der Betreiber hat dieses Ergebnis für ungültig erklärt: Es zählt nicht.",
    again: "Revanche",
    harder: "Schwerer",
    easier: "Leichter",
    newOpponent: "Neuer Gegner",
    stepThrough: "Durchblättern",
    analyse: "Analysieren",
    share: "Teilen",
    waiting: "Warten auf den anderen Spieler …",
  },

  people: {
    heading: "Wer dich erreicht",
    challenges: "Wer darf mich herausfordern?",
    everyone: "alle",
    accounts: "Spieler mit einem Konto",
    nobody: "niemand",
    blocked: "Blockierte Spieler",
    noneBlocked: "Du hast niemanden blockiert.",
    blockedMeans: "Wer blockiert ist, kann dich nicht herausfordern, nicht in deine offenen Partien einsteigen und dir nicht schreiben.",
    name: "Name eines Spielers",
    block: "Blockieren",
    unblock: (user) => `${user} nicht mehr blockieren`,
    saved: "Gespeichert.",
  },

  account: {
    heading: "Konto",
    nameRule: "2 bis 20 Buchstaben (ohne Umlaute) und Ziffern, dazwischen auch - und _.",
    passwordRule: "Mindestens 8 Zeichen.",
    passwordLong: "Dieses Passwort ist zu lang.",
    passwordMissing: "Bitte gib ein Passwort ein.",
    invitation: "Einladung",
    haveCode: "Ich habe mein Passwort verloren",
    recovery: "Wiederherstellungscode",
    recoveryMeans: "Wenn du dein Passwort verlierst, setzt dieser Code einmal ein neues. Schreib ihn auf und bewahre ihn sicher auf: Niemand kann ihn dir noch einmal zeigen.",
    codeKept: "Ich habe ihn aufgehoben",
    copyCode: "Kopieren",
    codeCopied: "Kopiert",
    newRecovery: "Neuen Code erzeugen",
    mail: "Mailadresse",
    mailMeans: "Wenn du dein Passwort verlierst, schickt der Server einen Code an diese Adresse. Sonst schickt er nichts, und er zeigt sie niemandem.",
    mailAddress: "Adresse",
    mailSet: "Code zur Bestätigung schicken",
    mailRule: "Das ist keine Mailadresse.",
    mailCode: "Code aus der Mail",
    mailConfirm: "Bestätigen",
    mailConfirmed: "Die Adresse ist bestätigt.",
    mailDelete: "Löschen",
    mailDeleted: "Die Adresse ist gelöscht.",
    mailWaits: (address) => `${address} wartet auf den Code, der dorthin geschickt wurde.`,
    mailMe: "Schick mir einen Code per Mail",
    mailSent: (name) => `Wenn ${name} eine bestätigte Adresse hat, ist ein Code dorthin unterwegs.`,
    closeAccount: "Dieses Konto schließen",
    closeMeans:
      "Schließt das Konto und seine Bots endgültig. Anmeldungen, Einstellungen und was du gesagt hast, werden gelöscht. Deine Partien und Wertungen bleiben und behalten den Namen, den sonst niemand nehmen kann.",
    closeSure: "Ich will es endgültig schließen.",
    closeSureMissing: "Bitte bestätige, dass du sicher bist.",
    accountClosed: (name) => `Das Konto ${name} ist geschlossen.`,
    code: "Code",
    setPassword: "Passwort setzen",
    otherName: (guest, wanted) =>
      `Du hast unbeendete Spiele als ${guest}. Beende sie, bevor du einen anderen Namen nimmst, behalte diesen Namen, oder fang als ${wanted} neu an und lass sie zurück.`,
    leavesGames: (guest, live, account) =>
      `Die Spiele von ${guest} bleiben zurück${live > 0 ? `, ${live === 1 ? "eines davon unbeendet" : `${live} davon unbeendet`}` : ""}: Ohne Registrierung als ${guest} kann niemand zu ihnen zurück. Trotzdem als ${account} anmelden?`,
    logInAnyway: (account) => `Zurücklassen und als ${account} anmelden`,
    nameTaken: (name) => `${name} ist vergeben. Deine Spiele sind noch da; wähle einen anderen Namen.`,
    signUpAs: (name) => `Als ${name} registrieren`,
    signUpAnew: (name) => `Als ${name} neu anfangen`,
    signUp: "Registrieren",
    logIn: "Anmelden",
    logOut: "Abmelden",
    user: "Name",
    password: "Passwort",
    profile: "Dein Profil",
    botProfile: "Profil des Bots",
    settings: "Einstellungen",
    language: "Sprache",
    changePassword: "Passwort ändern",
    oldPassword: "Bisheriges Passwort",
    newPassword: "Neues Passwort",
    revokeAll: "Auch die Anmeldungen meiner Programme beenden",
    passwordChanged: "Das Passwort ist geändert. Alle anderen Browser sind abgemeldet.",
    tokens: "Anmeldungen",
    tokensAbout: "Alle Browser und Programme, die unter deinem Namen angemeldet sind. Beende die, die du nicht kennst.",
    botTokensAbout: "Das Programm eines Bots meldet sich mit einem Token an.",
    tokenLabel: "Wofür die Anmeldung ist",
    createToken: "Neuer Token",
    tokenCreated: "Kopier diesen Token jetzt: Er wird nur einmal gezeigt.",
    thisBrowser: "dieser Browser",
    endToken: "Beenden",
    created: (time) => `seit ${date(time)}`,
    lastUsed: (time) => `zuletzt benutzt am ${date(time)}`,
    expires: (time) => `bis ${date(time)}`,
    bots: "Bots",
    botsAbout: "Ein Bot spielt unter einem eigenen Namen. Sein Programm meldet sich mit einem Token des Bots an.",
    botName: "Name des Bots",
    createBot: "Neuer Bot",
    keepName: "Registrier dich, um deinen Namen zu behalten und gewertete Spiele zu spielen.",
    chooseName: (guest) => `Registrier dich, um deine Spiele zu behalten und gewertete zu spielen. Du kannst jetzt einen anderen Namen wählen; was du gespielt hast, bleibt in der Aufzeichnung unter ${guest}.`,
    youAre: (name) => `Du bist ${name}.`,
    youAreGuest: (name) => `Du spielst als Gast mit dem Namen ${name}.`,
    logOutSure:
      "Ein Gast hat kein Passwort: Wenn du dich abmeldest, kannst du unter diesem Namen nicht zurückkommen, und deine laufenden Spiele sind verloren. Registrier dich, um sie zu behalten. Trotzdem abmelden?",
  },

  webhook: {
    heading: "Webhook",
    about: "Der Server kann eine Adresse von dir aufrufen, wenn du am Zug bist, herausgefordert wirst, ein Spiel endet oder dir jemand schreibt: für einen Chatraum oder ein Programm.",
    botAbout: "Der Server kann eine Adresse aufrufen, wenn der Bot am Zug ist, herausgefordert wird, ein Spiel endet oder ihm jemand schreibt.",
    url: "Adresse für den Aufruf",
    example: "https://example.org/mein-hook",
    rule: "Bitte gib eine Adresse ein, die mit https:// beginnt.",
    set: "Setzen",
    replace: "Ersetzen",
    delete: "Löschen",
    deleted: "Der Webhook ist gelöscht.",
    secret: "Kopier dieses Geheimnis jetzt: Es wird nur einmal gezeigt. Damit ist jeder Aufruf signiert.",
    works: "keine Fehler",
    failing: (failures) => (failures === 1 ? "der letzte Aufruf ist gescheitert" : `die letzten ${failures} Aufrufe sind gescheitert`),
    stopped: (failures) => `angehalten nach ${count(failures, "Fehler", "Fehlern")}: Setz ihn neu, damit es weitergeht`,
  },

  embed: {
    open: "Spiel öffnen",
  },

  share: {
    share: "Teilen",
    send: "Teilen …",
    link: "Link kopieren",
    picture: "Bild des Bretts öffnen",
    pictureLink: "Link zum Bild kopieren",
    embed: "Code für eine andere Seite kopieren",
    copied: "Kopiert.",
  },

  connection: {
    opening: "Verbindung wird aufgebaut …",
    offline: "Du bist offline. Die Seite kommt von deinem Gerät; deine Spiele sind auf dem Server sicher.",
    stale: "Der Server hat eine Weile nicht geantwortet.",
    waiting: (seconds) => `Keine Verbindung. Neuer Versuch${seconds > 0 ? ` in ${seconds} s` : ""} …`,
    restart: "Der Server startet neu. Deine Spiele sind sicher; gleich geht es weiter …",
    ended: "Der Server hat die Verbindung geschlossen",
    retry: "Neu verbinden",
    unanswered: "Die Verbindung brach ab, bevor der Server geantwortet hat.",
  },
};
