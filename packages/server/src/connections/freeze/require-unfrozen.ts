import { AppError } from "#foundation";
import type { Connection } from "../connection.ts";

/** Throws connection_frozen: nobody uses the credentials of a connection that a revocation has frozen. */
export function requireUnfrozen({
  connectionId,
  frozen,
}: Pick<Connection, "connectionId" | "frozen">): void {
  if (frozen === undefined) return;
  throw new AppError(
    "connection_frozen",
    `The connection ${connectionId} is frozen by the revocation ${frozen.by} since ${frozen.at.toISOString()}; its end user connects again, or the revocation releases it.`,
  );
}
