// What a view gets from the page, and what the page needs of a view.

import type { Connection } from "./net/connection.js";
import type { Identity } from "./net/identity.js";
import type { UserGames } from "./net/user_games.js";

/** What every view may use. */
export interface App {
  connection: Connection;
  identity: Identity;
  /** The games and challenges of the user. */
  games: UserGames;
  /** Shows the view of another address. */
  navigate(path: string): void;
  /** Shows a sentence over the page for some seconds. */
  showToast(text: string): void;
  /** Sets the title of the window, and announces it to screen readers after a change of view. */
  setTitle(text: string): void;
  /** Shows that there is nothing at this address. */
  showNotFound(text: string): void;
}

/** Fills the page while its address is shown. */
export interface View {
  element: HTMLElement;
  close(): void;
}
