import type { inboxConnectionRoutes, RouteOutput } from "@jackfield/contract";
import { getConnection } from "#connections";
import { type EnvironmentContext, keysetCursor, SECOND } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getIntegration } from "#integrations";
import { flushArrivals } from "./note-arrivals.ts";
import { findQuietMs } from "./rhythm.ts";
import { countMissing } from "./sequence.ts";
import { type ArrivalsRow, listArrivalRows } from "./store.ts";

type ArrivalsPage = RouteOutput<typeof inboxConnectionRoutes.listWebhookArrivals>;

const DEFAULT_LIMIT = 100;
const cursors = keysetCursor({ radix: 36, separator: "/", ids: "number" });
/** The order is that of numbers alone. */
const NO_TIME = new Date(0);

export const inboxConnectionHandlers = {
  listWebhookArrivals: async (ctx, { query }) => {
    const { provider_config_key: key, connection_id: connectionId, cursor } = query;
    const integration = key === undefined ? undefined : await getIntegration(ctx, key);
    const connection =
      integration === undefined || connectionId === undefined
        ? undefined
        : await getConnection(ctx, { integration, connectionId });
    return await listArrivals(ctx, {
      integrationId: integration?.id,
      connection: connection?.uuid,
      isSilent: query.silent === "true",
      before: cursor === undefined ? undefined : Number(cursors.read(cursor).id),
      limit: query.limit ?? DEFAULT_LIMIT,
    });
  },
} satisfies RouteHandlers<typeof inboxConnectionRoutes>;

async function listArrivals(
  ctx: EnvironmentContext,
  { limit, ...filter }: Parameters<typeof listArrivalRows>[2],
): Promise<ArrivalsPage> {
  await flushArrivals(ctx);
  const rows = await listArrivalRows(ctx.db, ctx.environment.id, { ...filter, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last && cursors.write({ createdAt: NO_TIME, id: String(last.id) });
  return { data: page.map(presentArrivals), next_cursor: next ?? null };
}

function presentArrivals(row: ArrivalsRow): ArrivalsPage["data"][number] {
  const { rhythm, sequence } = row;
  const longestMs = Math.max(rhythm.longestMs, rhythm.longestBeforeMs);
  const quietMs = findQuietMs(rhythm, row);
  return {
    provider_config_key: row.integrationKey,
    connection_id: row.connectionId,
    ...{ received: row.received, duplicates: row.duplicates },
    since: new Date(row.firstMs).toISOString(),
    last_received_at: new Date(row.lastMs).toISOString(),
    longest_interval_seconds: longestMs === 0 ? null : Math.round(longestMs / SECOND),
    expected_within_seconds: quietMs === undefined ? null : Math.round(quietMs / SECOND),
    silent_since: row.silentSinceMs === null ? null : new Date(row.silentSinceMs).toISOString(),
    sequence: sequence && {
      highest: sequence.highest,
      missing: countMissing(sequence),
      ranges: sequence.missing.map(([first, last]) => ({ first, last })),
      repeated: sequence.repeated,
    },
  };
}
