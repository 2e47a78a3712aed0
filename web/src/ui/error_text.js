// Why something did not work, as a sentence for people.

import { Refused } from "../net/pending.js";
import { words } from "../strings.js";

/** @import {Failed} from "../wire.js" */

/** @param {unknown} error */
export function reason(error) {
  if (error instanceof Refused) return words.failed(error.failed);
  if (isFailed(error)) return words.failed(error);
  return words.connection.unanswered;
}

/**
 * Whether this is the server's no to a `hello`, which comes without a request.
 * @param {unknown} error
 * @returns {error is Failed}
 */
function isFailed(error) {
  return error !== null && typeof error === "object" && "message" in error && "code" in error;
}
