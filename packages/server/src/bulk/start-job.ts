import { randomUUID } from "node:crypto";
import { bulkScopes, type Scope } from "@jackfield/contract";
import { isProductionEnvironment } from "#environments";
import {
  type Actor,
  AppError,
  type EnvironmentContext,
  holdsScope,
  requireStepUp,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { enqueueTask } from "#tasks";
import { type BulkBody, chooseTargets } from "./choose-targets.ts";
import { type BulkJob, MOST_WITHOUT_STEP_UP } from "./job.ts";
import { keyOf } from "./run-job.ts";
import { findBulkJob, insertBulkJob } from "./store.ts";
import { bulkTasks } from "./tasks.ts";

/** Begins a job, or only counts; throws forbidden, step_up_required and what a named target's call would. */
export async function startJob(
  ctx: EnvironmentContext,
  body: BulkBody,
): Promise<{ matched: number; job: BulkJob | undefined }> {
  const { action, tags, dry_run: isDry = false } = body;
  requireActionScope(ctx, action);
  const targets = await chooseTargets(ctx, body);
  if (isDry) return { matched: targets.length, job: undefined };
  const destroys = action === "connections:delete" && (await isProductionEnvironment(ctx));
  if (destroys || targets.length > MOST_WITHOUT_STEP_UP) {
    requireStepUp(ctx.actor, ctx.clock.now());
  }
  const [id, environmentId] = [randomUUID(), ctx.environment.id];
  const actor = withoutRights(ctx.actor);
  const row = { id, action, tags: tags ?? null, actor, createdAt: ctx.clock.now() };
  await withTransaction(ctx, async (ctx) => {
    await insertBulkJob(ctx.db, environmentId, { ...row, targets });
    const payload = { environmentId, id };
    await enqueueTask(ctx, bulkTasks.run, payload, { key: keyOf(id), environmentId });
  });
  const meta = { job: id, action, matched: targets.length };
  recordChange(ctx, { message: `Begin ${action} for ${targets.length}`, meta });
  return { matched: targets.length, job: await findBulkJob(ctx.db, environmentId, id) };
}

/** Who it was, for the logs; what they may do was asked at the beginning. */
function withoutRights(actor: Actor): Actor {
  return actor.kind === "key" || actor.kind === "user" ? { ...actor, scopes: [] } : actor;
}

export function requireActionScope({ actor }: EnvironmentContext, action: BulkJob["action"]): void {
  const scopes: readonly Scope[] = bulkScopes[action];
  if (!scopes.some((scope) => holdsScope(actor, scope))) {
    throw new AppError("forbidden", `The action \`${action}\` takes the scope \`${scopes[0]}\`.`);
  }
}
