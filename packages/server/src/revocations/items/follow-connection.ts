import { type Connection, type ConnectionDeleted, readRevocation } from "#connections";
import { type EnvironmentContext, reasonOf } from "#foundation";
import { enqueueTask, notifyDue } from "#tasks";
import { REVOCATIONS } from "../revocation.ts";
import { reopenRevocation } from "../store.ts";
import { keyOf, revocationTasks } from "../tasks.ts";
import { sealKept } from "./kept.ts";
import { listWaitingOf, storeKept, withdrawAgain } from "./store.ts";

/** Keeps the credentials of a frozen connection that is deleted or authorized again until they are withdrawn. */
export async function followLeaving(
  ctx: EnvironmentContext,
  { connection, integration }: ConnectionDeleted,
): Promise<void> {
  const waiting = await listWaitingOf(ctx.db, ctx.environment.id, connection.uuid);
  if (waiting.length === 0) return;
  const revocation = await readRevocation(ctx, integration, connection).catch((error: unknown) => {
    const { uuid } = connection;
    ctx.log.warn("revocations.not_kept", { connection: uuid, reason: reasonOf(error) });
    return undefined;
  });
  if (revocation === undefined) return;
  for (const item of waiting) {
    await storeKept(ctx.db, item, await sealKept(ctx, item, revocation));
  }
}

/** A refresh that had begun before has brought another token, which is withdrawn like the one before. */
export async function followRenewed(
  ctx: EnvironmentContext,
  { connection: { uuid, frozen } }: { readonly connection: Connection },
): Promise<void> {
  if (frozen === undefined) return;
  const environmentId = ctx.environment.id;
  const again = { uuid, revocationId: frozen.by, now: ctx.clock.now() };
  if (!(await withdrawAgain(ctx.db, environmentId, again))) return;
  await reopenRevocation(ctx.db, environmentId, frozen.by);
  const payload = { environmentId, id: frozen.by };
  await enqueueTask(ctx, revocationTasks.run, payload, { key: keyOf(frozen.by), environmentId });
  await notifyDue(ctx, REVOCATIONS);
}
