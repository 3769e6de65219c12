import type { EnvironmentContext, EnvironmentId, SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { insertDueNotes } from "#tasks";
import { DELIVERIES } from "../delivery.ts";
import type { DeliveryKey, GoneDelivery } from "../store.ts";
import { areDeliveriesPrepared } from "./is-prepared.ts";
import {
  deleteDeliveriesOfEnvironment,
  deleteLeftOfEnvironment,
  deleteOfGone,
  enqueueDeliveries,
  hastenQueued,
  updateQueued,
} from "./store.ts";

/** A note that something of the environment is due from a moment on. */
export async function noteDue(
  { db }: SystemContext,
  environmentId: EnvironmentId,
  dueAt: Date,
): Promise<void> {
  await insertDueNotes(db, DELIVERIES, [{ environmentId, queue: 0, dueAt }]);
}

/** With deliveries that were queued for the first time, in the same transaction; does nothing where triggers do it. */
export async function noteAdded(
  ctx: EnvironmentContext,
  deliveries: readonly DeliveryKey[],
): Promise<void> {
  if (!(await areDeliveriesPrepared(ctx))) return;
  await enqueueDeliveries(ctx.db, ctx.environment.id, deliveries);
  await noteDue(ctx, ctx.environment.id, ctx.clock.now());
}

/** With deliveries that were queued again. */
export async function noteQueuedAgain(
  ctx: SystemContext,
  environmentId: EnvironmentId,
  deliveries: readonly DeliveryKey[],
): Promise<void> {
  if (deliveries.length === 0 || !(await areDeliveriesPrepared(ctx))) return;
  await updateQueued(ctx.db, environmentId, deliveries);
  await noteDue(ctx, environmentId, ctx.clock.now());
}

/** With what waits for a receiver that is sent to again. */
export async function noteOpened(ctx: EnvironmentContext, receiverId: string): Promise<void> {
  if (!(await areDeliveriesPrepared(ctx))) return;
  const now = ctx.clock.now();
  await hastenQueued(ctx.db, ctx.environment.id, { receiverId, now });
  await noteDue(ctx, ctx.environment.id, now);
}

/** Deletes deliveries, and what belongs to them where no trigger does it; resolves to how many there were. */
export async function deletingDeliveries(
  ctx: SystemContext,
  environmentId: EnvironmentId,
  deleteSome: (db: SystemContext["db"]) => Promise<readonly GoneDelivery[]>,
): Promise<number> {
  if (!(await areDeliveriesPrepared(ctx))) return (await deleteSome(ctx.db)).length;
  return await withTransaction(ctx, async ({ db }) => {
    const gone = await deleteSome(db);
    await deleteOfGone(db, environmentId, gone);
    return gone.length;
  });
}

/** Deleted by one statement, which has to end within its time-out. */
const ROWS_AT_ONCE = 1000;

/**
 * Before an environment is erased: where deliveries lie on a server of their own, they do not go with its row. In parts, so
 * that no statement takes long however many there are.
 */
export async function forgetDeliveriesAtLast(ctx: EnvironmentContext): Promise<void> {
  if (!(await areDeliveriesPrepared(ctx))) return;
  const { id } = ctx.environment;
  const deletePage = async (db: SystemContext["db"]) =>
    await deleteDeliveriesOfEnvironment(db, id, ROWS_AT_ONCE);
  while ((await deletingDeliveries(ctx, id, deletePage)) === ROWS_AT_ONCE) {
    ctx.signal.throwIfAborted();
  }
  while (await deleteLeftOfEnvironment(ctx.db, id, ROWS_AT_ONCE)) ctx.signal.throwIfAborted();
}
