import { AppError } from "#foundation";

/** Refuses what is JSON but not jsonb: Postgres texts cannot hold U+0000. Throws invalid_body. */
export function requireStorableJson(value: unknown): void {
  // An even number of backslashes before it would make it the six characters themselves.
  if (!/(?<!\\)(?:\\\\)*\\u0000/.test(JSON.stringify(value))) return;
  throw new AppError("invalid_body", "A text holds the character U+0000, which cannot be stored.");
}
