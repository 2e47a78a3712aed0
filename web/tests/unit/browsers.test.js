// What the page uses of browsers is there in the oldest ones that it names. The builtins of
// JavaScript are held by the `lib` of tsconfig.json; this looks at the browser's interfaces and at
// the style sheets, in the data of MDN.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const { api, css, javascript } = createRequire(import.meta.url)("@mdn/browser-compat-data");

/** The oldest browsers, as index.html and README.md name them. */
const OLDEST = /** @type {Record<string, number>} */ ({ chrome: 123, firefox: 121, safari: 17.5 });

/** What the page does without where it is missing. */
const OPTIONAL = new Set([
  // Asked for with `in` or `=== undefined`; `?.` needs no word here.
  "createPolicy", "createScriptURL", "PushManager",
  // Decoration.
  "text-wrap: pretty", "-webkit-tap-highlight-color", "accent-color", "content-visibility", "popover-open",
]);

/** @param {any} feature a feature of the data, with or without `__compat` */
function isThere(feature) {
  const support = feature?.__compat?.support;
  if (support === undefined) return true;
  return Object.entries(OLDEST).every(([browser, version]) =>
    [support[browser] ?? []].flat().some((each) => {
      if (each.flags || each.version_removed) return false;
      return each.version_added === "preview" ? false : Number.parseFloat(String(each.version_added).replace("≤", "")) <= version;
    }),
  );
}

/** @typedef {Map<string, any[]>} Index the features of a name */

/**
 * @param {Index} index
 * @param {any} features
 * @param {boolean} deep
 */
function addTo(index, features, deep) {
  for (const [name, feature] of Object.entries(features)) {
    if (name === "__compat") continue;
    const key = name.replace(/_(static|event)$/, "");
    index.set(key, [...(index.get(key) ?? []), feature]);
    if (deep) addTo(index, feature, true);
  }
  return index;
}

/** The scripts, with those that only name types. @param {string} [end] of the names of the files */
function sources(end = ".js") {
  return readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(end)).map((file) => `src/${file}`);
}

/** Names that the page or the protocol gives to things of its own, or JavaScript to its builtins. */
const OWN = new Set(
  [...sources(), "../clients/typescript/src/protocol.ts"].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\b(\w+)(?:\??:|\s*=[^=]|\([^()]*\) \{)|^ +(\w+);$|\{([\w, ]+)\}|@property \{.*\} (\w+)/gm)].flatMap(
      ([, ...names]) => names.flatMap((name) => name?.match(/\w+/g) ?? []),
    ),
  ),
);
for (const each of Object.values(javascript.builtins)) for (const name of Object.keys(each)) OWN.add(name);

/** @type {Index} */
const MEMBERS = new Map();
for (const each of Object.values(api)) addTo(MEMBERS, each, false);
const FUNCTIONS = addTo(new Map(), { ...css.types, ...css.properties }, true);

/**
 * Returns what a text uses that the oldest browsers lack.
 * @param {string} text
 * @param {RegExp} use its first group is a name
 * @param {(name: string, value: string) => any[] | undefined} look the features of the name
 */
function missing(text, use, look) {
  return [...text.matchAll(use)].flatMap(([, name = "", value = ""]) => {
    const features = OPTIONAL.has(name) || OPTIONAL.has(`${name}: ${value}`) ? undefined : look(name, value);
    return features !== undefined && !features.some(isThere) ? [`${name} ${value}`.trim()] : [];
  });
}

/** @param {string} text of a script */
function missingInScript(text) {
  const code = text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$| \/\/ .*$/gm, "").replace(/"[^"\n]*"/g, '""');
  return [
    ...missing(code, /(?<![?.])\.([a-zA-Z]\w*)\b(?!\?\.)/g, (name) => (OWN.has(name) ? undefined : MEMBERS.get(name))),
    ...missing(code, /\bnew ([A-Z]\w*)\b/g, (name) => (Object.hasOwn(api, name) ? [api[name]] : undefined)),
  ];
}

/** @param {string} text of a style sheet */
function missingInStyle(text) {
  const code = text.replace(/\/\*[^]*?\*\//g, "");
  return [
    ...missing(code, /[{;]\s*([a-z-]+):\s*([a-z-]*)/g, (name, value) => {
      const property = css.properties[name];
      return property === undefined ? undefined : isThere(property) ? [property[value]] : [property];
    }),
    ...missing(code, /([a-z-]+)\(/g, (name) => FUNCTIONS.get(name)),
    ...missing(code, /@([a-z-]+)/g, (name) => css["at-rules"][name] && [css["at-rules"][name]]),
    ...missing(code, /::?([a-z-]+)(?=[^;{}]*\{)/g, (name) => css.selectors[name] && [css.selectors[name]]),
  ];
}

/**
 * @param {string} end of the names of the files
 * @param {(text: string) => string[]} look
 */
function findings(end, look) {
  return sources(end).flatMap((file) => look(readFileSync(file, "utf8")).map((each) => `${file}: ${each}`));
}

test("scripts and style sheets use what the oldest browsers have", () => {
  assert.deepEqual(findings(".js", missingInScript), []);
  assert.deepEqual(findings(".css", missingInStyle), []);
});

test("what is too new is found", () => {
  assert.deepEqual(missingInScript("element.checkVisibility(); document.caretPositionFromPoint(1, 2); // .moveBefore"), ["caretPositionFromPoint"]);
  assert.deepEqual(missingInStyle("a:open { color: red; text-box: trim-both; width: calc-size(auto, size); }"), ["text-box trim-both", "calc-size", "open"]);
});

test("the document and the description name the oldest browsers", () => {
  const names = /Chrome (\d+).* Firefox (\d+).* Safari ([\d.]+)/s;
  for (const file of ["src/index.html", "README.md"]) {
    const [, ...versions] = names.exec(readFileSync(file, "utf8")) ?? [];
    assert.deepEqual(versions.map(Number), [OLDEST["chrome"], OLDEST["firefox"], OLDEST["safari"]], file);
  }
});
