import { AppError, type Logger, messageOf } from "#foundation";
import { findDatabaseAway } from "#foundation/db";
import type { AssociatedData } from "./associated-data.ts";

/** A data key that does not exist, or not any more: what it sealed is lost. */
export class UnknownDataKey extends Error {
  override name = "UnknownDataKey";

  constructor(id: string) {
    super(`data key ${id} does not exist`);
  }
}

/** 500 decryption_failed unless the database was away; the operator's log names the row, the caller learns nothing of it. */
export function toDecryptionFailure(
  { log }: { readonly log?: Logger },
  { environmentId, table, column }: AssociatedData,
  cause: unknown,
): AppError {
  // The data key is in the database: nothing is wrong with the secret.
  const away = findDatabaseAway(cause);
  if (away !== undefined) return away;
  const reason = messageOf(cause);
  log?.error("vault.decryption_failed", { table, column, environment: environmentId, reason });
  return new AppError("decryption_failed", undefined, { cause });
}
