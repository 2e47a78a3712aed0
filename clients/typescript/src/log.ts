// Where a client reports what happens.

/** Where a client reports what happens. `console` is one. */
export interface Log {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** Warnings and errors go to the console. */
export const DEFAULT_LOG: Log = {
  info: () => undefined,
  warn: (text) => console.warn(text),
  error: (text) => console.error(text),
};
