import type { EnvironmentContext } from "#platform";
import { listReceiverRows, type ReceiverRow } from "./store.ts";

/** Addresses that webhooks of the environment went to, by id, and where the next page begins. */
export async function listReceivers(
  ctx: EnvironmentContext,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<{ receivers: ReceiverRow[]; next: string | null }> {
  const page = { after, limit: limit + 1 };
  const found = await listReceiverRows(ctx.db, ctx.environment.id, page);
  const receivers = found.slice(0, limit);
  return { receivers, next: found.length > limit ? (receivers.at(-1)?.id ?? null) : null };
}

export function presentReceiver({ failingSince, disabledAt, ...row }: ReceiverRow) {
  const state = disabledAt !== null ? "disabled" : failingSince !== null ? "failing" : "ok";
  return {
    id: row.id,
    url: row.url,
    state: state as "disabled" | "failing" | "ok",
    failing_since: failingSince?.toISOString() ?? null,
    disabled_at: disabledAt?.toISOString() ?? null,
    held: row.held,
    recent: {
      sent: row.sent,
      delivered: row.delivered,
      last_at: row.lastAt?.toISOString() ?? null,
      last_status: row.lastStatus,
      duration_p95_ms: row.durationP95Ms,
    },
  };
}
