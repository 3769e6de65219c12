import { setTimeout as sleep } from "node:timers/promises";
import { noteBefore } from "#audit";
import type { Environment, EnvironmentContext, SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { enqueueTask } from "#tasks";
import {
  closeLogin,
  dropOwned,
  dropRole,
  dropSchema,
  endSessions,
  revokeViews,
} from "./login/store.ts";
import { noAccess } from "./open-access.ts";
import type { SqlAccess } from "./sql-access.ts";
import {
  deleteAccess,
  findAccess,
  findAccessByRole,
  listEndedRoles,
  lockEnvironment,
  noteEnded,
} from "./store.ts";
import { sqlAccessTasks } from "./tasks.ts";

const SESSIONS_END_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 50;

/** Nobody signs in any more when this returns, and open sessions end; role and views are dropped after. Throws not_found. */
export async function endSqlAccess(ctx: EnvironmentContext): Promise<void> {
  const { id } = ctx.environment;
  const ended = await withTransaction(ctx, async (ctx) => {
    await lockEnvironment(ctx.db, id);
    const found = await findAccess(ctx.db, id);
    if (found === undefined) throw noAccess();
    noteBefore(ctx, { role: found.role });
    await endLogin(ctx, found);
    return found;
  });
  if (ended.isOfDatabase) await endSessions(ctx.db, ended.role);
}

/** Answers the deletion of an environment, in its transaction. */
export async function endSqlAccessOfEnvironment(
  ctx: EnvironmentContext,
  { id }: Environment,
): Promise<void> {
  const found = await findAccess(ctx.db, id);
  if (found !== undefined) await endLogin(ctx, found);
}

/** Runs before an environment is erased, if the task has not done it yet. */
export async function dropSqlAccessAtLast(
  ctx: EnvironmentContext,
  { environment }: { readonly environment: Environment },
): Promise<void> {
  for (const role of await listEndedRoles(ctx.db, environment.id)) await dropAccess(ctx, role);
}

async function endLogin(ctx: EnvironmentContext, found: SqlAccess): Promise<void> {
  const { role, environmentId, isOfDatabase } = found;
  // First: it waits for those who change views.
  await noteEnded(ctx.db, role, ctx.clock.now());
  if (isOfDatabase) {
    await closeLogin(ctx.db, role);
    await revokeViews(ctx.db, found);
  }
  await enqueueTask(ctx, sqlAccessTasks.drop, { role }, { environmentId });
}

/** Drops a login that was revoked, with its views. A session that has not ended yet makes it fail; then it is tried again. */
export async function dropAccess(ctx: SystemContext, role: string): Promise<void> {
  const found = await findAccessByRole(ctx.db, role);
  if (found === undefined) return;
  if (found.isOfDatabase) await untilSessionsEnd(ctx, role);
  await withTransaction(ctx, async ({ db }) => await dropSchema(db, found.schema));
  if (found.isOfDatabase) {
    await withTransaction(ctx, async ({ db }) => await dropOwned(db, role));
    const isDropped = await withTransaction(ctx, async ({ db }) => await dropRole(db, role));
    // It cannot sign in. What it owns is in another database of the cluster, which is not the server's to change.
    if (!isDropped) ctx.log.warn("sql_access.role_left", { role });
  }
  await deleteAccess(ctx.db, role);
}

async function untilSessionsEnd(ctx: SystemContext, role: string): Promise<void> {
  const endAt = performance.now() + SESSIONS_END_WITHIN_MS;
  while ((await endSessions(ctx.db, role)) > 0 && performance.now() < endAt) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: ctx.signal });
  }
}
