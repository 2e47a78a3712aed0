// What needs Node: the token in a file.

import { open, readFile, rename, rm } from "node:fs/promises";
import type { TokenStore } from "./connect.js";

/** Keeps a token in a file that only this user of the machine can read. */
export function tokenFile(path: string): TokenStore {
  return {
    read: async () => {
      try {
        return (await readFile(path, "utf8")).trim() || undefined;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw error;
      }
    },
    write: async (token) => {
      // The file is there wholly or not at all.
      const next = `${path}.new`;
      // One that is there already has a mode and an owner of its own, or leads elsewhere.
      await rm(next, { force: true });
      const file = await open(next, "wx", 0o600);
      try {
        await file.writeFile(`${token}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(next, path);
    },
  };
}
