// Names of guests in every language: names must be ASCII.

/** First names of guests. */
export const GUEST_NAMES = [
  "Agate", "Amber", "Beryl", "Citrine", "Coral", "Emerald", "Flint", "Garnet", "Granite", "Jade",
  "Jasper", "Jet", "Lapis", "Marble", "Obsidian", "Onyx", "Opal", "Pearl", "Peridot", "Quartz",
  "Ruby", "Sapphire", "Slate", "Spinel", "Topaz", "Zircon",
];
