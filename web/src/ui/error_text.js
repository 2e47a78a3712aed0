// Why something did not work, as a sentence for people.

import { RequestError } from "../net/pending.js";
import { strings } from "../strings.js";

/** @import {Failed} from "../wire.js" */

/** @param {unknown} error */
export function errorText(error) {
  if (error instanceof RequestError) return strings.failed(error.failed);
  if (isFailed(error)) return strings.failed(error);
  return strings.connection.unanswered;
}

/**
 * Whether this is the server's no to a `hello`, which comes without a request.
 * @param {unknown} error
 * @returns {error is Failed}
 */
function isFailed(error) {
  return error !== null && typeof error === "object" && "message" in error && "code" in error;
}
