/** A failure that is the user's to mend: the command prints the message and exits with 1. */
export class UserError extends Error {
  override name = "UserError";
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
