import type { RouteOutput, webhookDeliveryRoutes } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { open } from "#vault";
import { answerAad } from "../delivery.ts";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import { receiverId } from "./receiver-id.ts";
import { listReceiverRows, type ReceiverRow } from "./store.ts";

type Receiver = RouteOutput<typeof webhookDeliveryRoutes.listWebhookReceivers>["data"][number];

/** Addresses that webhooks of the environment went to, by id, and where the next page begins. */
export async function listReceivers(
  ctx: EnvironmentContext,
  { url, limit, after }: { url: string | undefined; limit: number; after: string | undefined },
): Promise<{ receivers: Receiver[]; next: string | null }> {
  const only = url === undefined ? undefined : receiverId(ctx.environment.id, url);
  const isPrepared = await areDeliveriesPrepared(ctx);
  const page = { only, after, limit: limit + 1, isPrepared };
  const found = await listReceiverRows(ctx.db, ctx.environment.id, page);
  const rows = found.slice(0, limit);
  const next = found.length > limit ? (rows.at(-1)?.id ?? null) : null;
  return { receivers: await Promise.all(rows.map(async (row) => await present(ctx, row))), next };
}

async function present(ctx: EnvironmentContext, row: ReceiverRow): Promise<Receiver> {
  const { failingSince, disabledAt } = row;
  return {
    id: row.id,
    url: row.url,
    state: disabledAt !== null ? "disabled" : failingSince !== null ? "failing" : "ok",
    failing_since: failingSince?.toISOString() ?? null,
    disabled_at: disabledAt?.toISOString() ?? null,
    held: row.held,
    waiting_since: row.waitingSince?.toISOString() ?? null,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    last_failure: await openFailure(ctx, row),
    recent: {
      sent: row.sent,
      delivered: row.delivered,
      last_at: row.lastAt?.toISOString() ?? null,
      last_status: row.lastStatus,
      duration_p95_ms: row.durationP95Ms,
    },
  };
}

async function openFailure(
  ctx: EnvironmentContext,
  row: ReceiverRow,
): Promise<Receiver["last_failure"]> {
  const { failureId: id, failureDelivery: delivery, failureAnswer: sealed, failedAt } = row;
  if (id === null || delivery === null || failedAt === null) return null;
  const answer = sealed && (await open(ctx, answerAad(ctx.environment.id, id), sealed));
  return {
    delivery_id: delivery,
    at: failedAt.toISOString(),
    status: row.failureStatus,
    error: row.failureError,
    answer: answer?.toString("utf8") ?? null,
  };
}
