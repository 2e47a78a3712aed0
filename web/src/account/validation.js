// Whether a password can be one.

import { PASSWORD_BYTES } from "../net/validation.js";
import { strings } from "../strings/strings.js";

const t = strings.account;

/**
 * Returns the problem with a password, if any.
 * @param {string} password
 * @param {boolean} isNew
 */
export function passwordError(password, isNew) {
  const bytes = new TextEncoder().encode(password).length;
  if (bytes > PASSWORD_BYTES.most) return t.passwordLong;
  if (bytes === 0) return t.passwordMissing;
  return isNew && bytes < PASSWORD_BYTES.least ? t.passwordRule : undefined;
}
