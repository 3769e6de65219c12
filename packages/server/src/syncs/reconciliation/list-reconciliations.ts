import type { RouteOutput, syncReconciliationRoutes } from "@jackfield/contract";
import { getConnection } from "#connections";
import { type EnvironmentContext, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getIntegration } from "#integrations";
import { flushReconciled } from "./count-missed.ts";
import { listReconciled, type ReconciliationRow } from "./store.ts";

type Page = RouteOutput<typeof syncReconciliationRoutes.listReconciliations>;

const DEFAULT_LIMIT = 100;
const cursors = keysetCursor({ radix: 36, separator: "/", ids: "number" });

export const syncReconciliationHandlers = {
  listReconciliations: async (ctx, { query }) => {
    const { provider_config_key: key, connection_id: connectionId, model, cursor } = query;
    const integration = key === undefined ? undefined : await getIntegration(ctx, key);
    const connection =
      integration === undefined || connectionId === undefined
        ? undefined
        : await getConnection(ctx, { integration, connectionId });
    return await listPage(ctx, {
      ...{ integrationId: integration?.id, connection: connection?.uuid, model },
      isMissedOnly: query.missed === "true",
      after: cursor === undefined ? undefined : toPosition(cursor),
      limit: query.limit ?? DEFAULT_LIMIT,
    });
  },
} satisfies RouteHandlers<typeof syncReconciliationRoutes>;

/** Throws invalid_cursor. */
function toPosition(cursor: string): { day: string; id: number } {
  const { createdAt, id } = cursors.read(cursor);
  return { day: createdAt.toISOString().slice(0, 10), id: Number(id) };
}

async function listPage(
  ctx: EnvironmentContext,
  { limit, ...filter }: Parameters<typeof listReconciled>[2],
): Promise<Page> {
  await flushReconciled(ctx);
  const rows = await listReconciled(ctx.db, ctx.environment.id, { ...filter, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next =
    last && cursors.write({ createdAt: new Date(`${last.day}T00:00:00Z`), id: String(last.id) });
  return { data: page.map(presentRow), next_cursor: next ?? null };
}

function presentRow(row: ReconciliationRow): Page["data"][number] {
  return {
    provider_config_key: row.integrationKey,
    connection_id: row.connectionId,
    ...{ model: row.model, day: row.day, scheduled_runs: row.runs },
    ...{ changes_by_webhooks: row.brought, missed_by_webhooks: row.missed },
  };
}
