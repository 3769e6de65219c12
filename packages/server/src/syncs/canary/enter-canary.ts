import type { EnvironmentContext, SyncId } from "#foundation";
import { findCachedFunctionById } from "#functions";
import type { RunSubject } from "../runs/run-subject.ts";
import { touchSync } from "./store.ts";

/**
 * What a run that has begun works on: the version of a canary only while that is running, which a process may hear of
 * late. From then on a rollback of the canary stops the run.
 */
export async function enterCanary(
  ctx: EnvironmentContext,
  subject: RunSubject,
  { syncId, byWebhook = false }: { readonly syncId: SyncId; readonly byWebhook?: boolean },
): Promise<RunSubject | undefined> {
  const { canaryId } = subject.fn;
  if (canaryId === undefined) return subject;
  const now = ctx.clock.now();
  if (await touchSync(ctx.db, ctx.environment.id, { canaryId, syncId, byWebhook, now })) {
    await ctx.failpoints.hit("canaries.sync_touched");
    return subject;
  }
  const fn = await findCachedFunctionById(ctx, subject.fn.id);
  return fn?.type === "sync" ? { ...subject, fn } : undefined;
}
