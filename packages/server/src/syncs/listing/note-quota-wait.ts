import type { EnvironmentContext } from "#foundation";
import type { QuotaWaiting } from "#proxy";
import { setQuotaWait } from "./store.ts";

/** Lists of syncs say until when a run waits for its provider. */
export async function noteQuotaWait(
  ctx: EnvironmentContext,
  { runId, until }: QuotaWaiting,
): Promise<void> {
  await setQuotaWait(ctx.db, ctx.environment.id, { id: runId, until });
}
