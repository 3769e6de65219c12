import { AppError, type EnvironmentContext } from "#foundation";
import { hasRoom } from "../store.ts";

/**
 * Throws resource_capped when the installation has as many connections as the operator allows. Inside a
 * transaction those who create connections take turns from here on, so that the limit is exact.
 */
export async function requireRoom(ctx: EnvironmentContext): Promise<void> {
  const limit = ctx.settings.maxConnections;
  if (limit === undefined || (await hasRoom(ctx.db, limit))) return;
  throw new AppError(
    "resource_capped",
    `This installation takes ${limit} connections at most (SVC_MAX_CONNECTIONS); delete some, or ask the operator.`,
  );
}
