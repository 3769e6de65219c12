import type { EnvironmentContext } from "#foundation";
import { flushUses } from "../uses/count-uses.ts";
import { listMatching, type MatchedConnection, type MatchPage } from "./store.ts";

/** Connections that a revocation means, a page of them, in the order in which they were made. */
export async function listMatchingConnections(
  ctx: EnvironmentContext,
  page: Omit<MatchPage, "accountId">,
): Promise<MatchedConnection[]> {
  if (page.match.keyId !== undefined) await flushUses(ctx);
  const { id, accountId } = ctx.environment;
  return await listMatching(ctx.db, id, { ...page, accountId });
}
