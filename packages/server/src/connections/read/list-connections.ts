import { listIntegrationIds } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { type ListedConnection, listConnectionRows } from "./store.ts";

export interface ConnectionListing {
  readonly connectionId?: string | undefined;
  /** Keys of integrations, separated by commas. */
  readonly integrationId?: string | undefined;
  readonly search?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Short for the tags `end_user_id` and `organization_id`. */
  readonly endUserId?: string | undefined;
  readonly endUserOrganizationId?: string | undefined;
  readonly withCredentials?: boolean | undefined;
  readonly limit?: number | undefined;
  /** Counted from 0. */
  readonly page?: number | undefined;
}

const DEFAULT_LIMIT = 10_000;
const LIMIT_WITH_CREDENTIALS = 100;

/** Connections that fit every filter, newest first. */
export async function listConnections(
  ctx: EnvironmentContext,
  listing: ConnectionListing,
): Promise<ListedConnection[]> {
  const { connectionId, integrationId, search, page = 0, withCredentials = false } = listing;
  const limit = listing.limit ?? (withCredentials ? LIMIT_WITH_CREDENTIALS : DEFAULT_LIMIT);
  const keys = integrationId?.split(",").map((key) => key.trim());
  const integrationIds = keys && (await listIntegrationIds(ctx, keys));
  const tags = toTagFilters(listing);
  // Two filters on one tag with different values fit nothing.
  if (integrationIds?.length === 0 || tags === "none") return [];
  return await listConnectionRows(ctx.db, ctx.environment.id, {
    connectionId,
    integrationIds,
    search,
    tags,
    withCredentials,
    limit,
    offset: page * limit,
  });
}

function toTagFilters({
  tags = {},
  endUserId,
  endUserOrganizationId,
}: ConnectionListing): Record<string, string> | undefined | "none" {
  const wanted = new Map<string, string>();
  const given = [
    ...Object.entries(tags),
    ["end_user_id", endUserId] as const,
    ["organization_id", endUserOrganizationId] as const,
  ];
  for (const [key, value] of given) {
    if (value === undefined) continue;
    const name = key.toLowerCase();
    if ((wanted.get(name) ?? value) !== value) return "none";
    wanted.set(name, value);
  }
  return wanted.size === 0 ? undefined : Object.fromEntries(wanted);
}
