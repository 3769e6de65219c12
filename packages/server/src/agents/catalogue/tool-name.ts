import { createHash } from "node:crypto";

/** What language models take. */
const LONGEST_NAME = 64;
const HASH_DIGITS = 6;

/**
 * `<integration>__<action>`: the same for an action wherever it is listed. What models do not take, and what is too
 * long, is changed; six digits of a hash then keep it apart from others.
 */
export function toolNameOf(integration: string, action: string): string {
  const whole = `${integration}__${action}`;
  const plain = whole.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  if (plain === whole && plain.length <= LONGEST_NAME && !integration.includes("__")) return plain;
  const hash = createHash("sha256").update(`${integration}\0${action}`).digest("hex");
  const end = `_${hash.slice(0, HASH_DIGITS)}`;
  return plain.slice(0, LONGEST_NAME - end.length) + end;
}
