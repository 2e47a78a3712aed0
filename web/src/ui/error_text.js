// The text of an error for players.

import { RequestError } from "../net/pending.js";
import { strings } from "../strings/strings.js";

/** @import {Failed} from "../wire.js" */

/** @param {unknown} error */
export function errorText(error) {
  if (error instanceof RequestError) return strings.failed(error.failed);
  if (isFailed(error)) return strings.failed(error);
  return strings.connection.unanswered;
}

/**
 * Returns whether this is the server's error to a `hello`, which has no request.
 * @param {unknown} error
 * @returns {error is Failed}
 */
function isFailed(error) {
  return error !== null && typeof error === "object" && "message" in error && "code" in error;
}
