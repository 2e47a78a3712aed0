// The browser's storage, where there is one: browsers deny it to pages in the frames of others.

function find() {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export const storage = find();
