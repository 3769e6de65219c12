import type { inboxIntegrationRoutes, RouteOutput } from "@jackfield/contract";
import { addMs, DAY, type EnvironmentContext, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getIntegration } from "#integrations";
import { findLastReceived } from "./last-received.ts";
import { flushIntake } from "./note-intake.ts";
import { type IntakeRow, listIntakeRows, type RejectionSum, sumRejections } from "./store.ts";

type IntakePage = RouteOutput<typeof inboxIntegrationRoutes.listWebhookIntake>;

const DEFAULT_LIMIT = 100;
const cursors = keysetCursor({ radix: 36, separator: "/", ids: "number" });
/** The order is that of numbers alone. */
const NO_TIME = new Date(0);

export const inboxIntegrationHandlers = {
  listWebhookIntake: async (ctx, { query }) => {
    const { provider_config_key: key, cursor, limit = DEFAULT_LIMIT } = query;
    const integrationId = key === undefined ? undefined : (await getIntegration(ctx, key)).id;
    const before = cursor === undefined ? undefined : Number(cursors.read(cursor).id);
    await flushIntake(ctx);
    const filter = { integrationId, before, limit: limit + 1 };
    const rows = await listIntakeRows(ctx.db, ctx.environment.id, filter);
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    const next = last && cursors.write({ createdAt: NO_TIME, id: String(last.id) });
    return { data: await presentPage(ctx, page), next_cursor: next ?? null };
  },
} satisfies RouteHandlers<typeof inboxIntegrationRoutes>;

async function presentPage(
  ctx: EnvironmentContext,
  rows: readonly IntakeRow[],
): Promise<IntakePage["data"]> {
  const sums = await sumRejections(ctx.db, ctx.environment.id, {
    integrationIds: rows.map(({ id }) => id),
    since: addMs(ctx.clock.now(), -DAY),
  });
  const byIntegration = Map.groupBy(sums, ({ integrationId }) => integrationId);
  const shown: IntakePage["data"] = [];
  for (const row of rows) {
    const receivedAt = row.receivedAt ?? (await findLastReceived(ctx, row.id));
    shown.push(presentIntake({ ...row, receivedAt }, byIntegration.get(row.id) ?? []));
  }
  return shown;
}

function presentIntake(
  row: IntakeRow,
  reasons: readonly RejectionSum[],
): IntakePage["data"][number] {
  const { rejectedAt, rejectedReason } = row;
  return {
    provider_config_key: row.integrationKey,
    last_received_at: row.receivedAt?.toISOString() ?? null,
    last_verified_at: row.verifiedAt?.toISOString() ?? null,
    rejected:
      rejectedAt === null || rejectedReason === null
        ? null
        : {
            last_at: rejectedAt.toISOString(),
            last_reason: rejectedReason,
            last_24h: reasons.reduce((sum, { count }) => sum + count, 0),
            reasons: reasons.map(({ reason, count }) => ({ reason, count })),
          },
  };
}
