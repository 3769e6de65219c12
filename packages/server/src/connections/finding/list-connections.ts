import type { EnvironmentContext } from "#platform";
import { type ListedConnection, listConnectionRows } from "./store.ts";

export interface ConnectionListing {
  readonly connectionId?: string | undefined;
  /** Names of integrations, separated by commas. */
  readonly integrationId?: string | undefined;
  readonly search?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly limit?: number | undefined;
  /** Counted from 0. */
  readonly page?: number | undefined;
}

const DEFAULT_LIMIT = 10_000;

/** Connections that fit every filter, newest first. */
export async function listConnections(
  ctx: EnvironmentContext,
  { connectionId, integrationId, search, tags, limit = DEFAULT_LIMIT, page = 0 }: ConnectionListing,
): Promise<ListedConnection[]> {
  const keys = integrationId?.split(",").map((key) => key.trim());
  return await listConnectionRows(ctx.db, ctx.environment.id, {
    connectionId,
    integrationKeys: keys,
    search,
    tags: tags === undefined ? undefined : withLowerCaseKeys(tags),
    limit,
    offset: page * limit,
  });
}

function withLowerCaseKeys(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, text]) => [key.toLowerCase(), text]));
}
