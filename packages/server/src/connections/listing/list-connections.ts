import { type EnvironmentContext, keysetCursor } from "#foundation";
import { listIntegrationIds } from "#integrations";
import type { ConnectionState } from "../health/connection-state.ts";
import { flushUses } from "../uses/count-uses.ts";
import {
  type ListedConnection,
  type ListOrder,
  type ListPosition,
  listConnectionRows,
} from "./store.ts";

export interface ConnectionListing {
  readonly connectionId?: string | undefined;
  /** Keys of integrations, separated by commas. */
  readonly integrationId?: string | undefined;
  readonly state?: ConnectionState | undefined;
  readonly expiresBefore?: Date | undefined;
  readonly unusedSince?: Date | undefined;
  readonly reauthorizeBefore?: Date | undefined;
  /** Default: what the filters are read in the order of, else `created_at`. */
  readonly sort?: ListOrder | undefined;
  readonly cursor?: string | undefined;
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

/** A filter as bodies of requests have it. */
export interface ConnectionFilterFields {
  readonly provider_config_key?: string | undefined;
  readonly connection_id?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly search?: string | undefined;
  readonly expires_before?: string | undefined;
  readonly unused_since?: string | undefined;
  readonly reauthorize_before?: string | undefined;
}

/** What the filter lists; a state is the caller's to add. */
export function listingOfFilter(filter: ConnectionFilterFields): ConnectionListing {
  const { expires_before: expires, unused_since: unused } = filter;
  const { reauthorize_before: reauthorize } = filter;
  return {
    ...{ connectionId: filter.connection_id, integrationId: filter.provider_config_key },
    ...{ tags: filter.tags, search: filter.search },
    expiresBefore: expires === undefined ? undefined : new Date(expires),
    unusedSince: unused === undefined ? undefined : new Date(unused),
    reauthorizeBefore: reauthorize === undefined ? undefined : new Date(reauthorize),
  };
}

const DEFAULT_LIMIT = 10_000;
const LIMIT_WITH_CREDENTIALS = 100;

/** Connections that fit every filter, newest first unless the listing says otherwise. */
export async function listConnections(
  ctx: EnvironmentContext,
  listing: ConnectionListing,
): Promise<readonly ListedConnection[]> {
  return (await listConnectionPage(ctx, listing)).listed;
}

export interface ConnectionPage {
  readonly listed: readonly ListedConnection[];
  /** Null at the end of the list. */
  readonly nextCursor: string | null;
}

/** As `listConnections`, with where the next page begins; throws invalid_cursor. */
export async function listConnectionPage(
  ctx: EnvironmentContext,
  listing: ConnectionListing,
): Promise<ConnectionPage> {
  const { connectionId, integrationId, search, page = 0, withCredentials = false } = listing;
  const { state, expiresBefore, unusedSince, reauthorizeBefore, cursor } = listing;
  if (unusedSince !== undefined) await flushUses(ctx);
  const order = orderOf(listing);
  const after = cursor === undefined ? undefined : readPosition(order, cursor);
  const limit = listing.limit ?? (withCredentials ? LIMIT_WITH_CREDENTIALS : DEFAULT_LIMIT);
  const keys = integrationId?.split(",").map((key) => key.trim());
  const integrationIds = keys && (await listIntegrationIds(ctx, keys));
  const tags = toTagFilters(listing);
  // Two filters on one tag with different values fit nothing.
  if (integrationIds?.length === 0 || tags === "none") return { listed: [], nextCursor: null };
  const rows = await listConnectionRows(ctx.db, ctx.environment.id, {
    ...{ connectionId, integrationIds, state, expiresBefore, unusedSince, search, tags },
    reauthorizeBefore,
    ...{ withCredentials, order, after },
    limit: limit + 1,
    offset: page * limit,
  });
  const listed = rows.slice(0, limit);
  const last = rows.length > limit ? listed.at(-1) : undefined;
  return { listed, nextCursor: last === undefined ? null : writePosition(order, last.position) };
}

function orderOf(listing: ConnectionListing): ListOrder {
  const { sort, expiresBefore, unusedSince, reauthorizeBefore } = listing;
  if (reauthorizeBefore !== undefined) return "reauthorize_by";
  if (expiresBefore !== undefined) return "expires_at";
  return unusedSince === undefined ? (sort ?? "created_at") : "last_used_at";
}

/** Each order has a form of its own, so that a cursor of another is refused. */
const cursors = {
  created_at: keysetCursor({ radix: 36, separator: "/", ids: "number" }),
  expires_at: keysetCursor({ radix: 36, separator: ".", ids: "number" }),
  reauthorize_by: keysetCursor({ radix: 10, separator: ".", ids: "number" }),
  last_used_at: keysetCursor({ radix: 10, separator: "/", ids: "number" }),
};

function readPosition(order: ListOrder, cursor: string): ListPosition {
  const { createdAt, id } = cursors[order].read(cursor);
  return { at: createdAt, id: Number(id) };
}

function writePosition(order: ListOrder, { at, id }: ListPosition): string {
  return cursors[order].write({ createdAt: at, id: String(id) });
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
