// The texts of the page in the language of the user: the one that the user chose, or the first of
// the browser's languages that the page has. Each language is one file; see LANGUAGES.

import { storage } from "./storage.js";

/** @typedef {typeof import("./en.js").strings} Strings */

/**
 * The languages of the page: their names in themselves, and how to load their texts.
 * @type {Record<string, { name: string, load: () => Promise<{ strings: Strings }> }>}
 */
export const LANGUAGES = {
  en: { name: "English", load: () => import("./en.js") },
  de: { name: "Deutsch", load: () => import("./de.js") },
};

const FALLBACK = "en";

/** The key under which the browser stores the language that the user chose. */
const STORED = "language";

/**
 * Returns the language to use.
 * @param {string | null | undefined} chosen by the user
 * @param {readonly string[]} preferred the browser's languages, such as `de-CH`, the preferred one first
 */
export function pickLanguage(chosen, preferred) {
  const wanted = [chosen ?? "", ...preferred].map((tag) => tag.split("-")[0] ?? "");
  return wanted.find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? FALLBACK;
}

/** The code of the page's language, such as `en`. */
export const language = pickLanguage(storage.getItem(STORED), globalThis.navigator?.languages ?? []);

/**
 * Changes the language: the page loads again.
 * @param {string} code
 */
export function setLanguage(code) {
  storage.setItem(STORED, code);
  location.reload();
}

/** @type {Strings} */
export const strings = (await /** @type {{ load: () => Promise<{ strings: Strings }> }} */ (LANGUAGES[language]).load()).strings;

if (globalThis.document !== undefined) document.documentElement.lang = language;
