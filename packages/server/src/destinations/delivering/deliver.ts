import { AppError, addMs, backoffMs, type EnvironmentContext, MINUTE, SECOND } from "#platform";
import { type FeedHead, FeedReader, noteChanges, readFeedCursor, writeFeedCursor } from "#records";
import type { Destination } from "../destination.ts";
import { endTurn, failTurn, type Lease, noteProgress, restartRow } from "../store.ts";
import { connectTarget, type TargetConnection } from "../target/connection/store.ts";
import { toDestinationError } from "../target/delivery-error.ts";
import { openTarget, readTarget } from "../target/sealed-target.ts";
import { type FeedPosition, readBatches } from "./batches.ts";
import { Fenced, prepareTable, writeBatch } from "./write-batch.ts";

/** Then another destination's changes are delivered first. */
const TURN_MS = 10 * SECOND;
/** Another process delivers after this time, should this one die; renewed with each batch. Longer than any statement. */
export const HELD_MS = 45 * SECOND;
/** How soon the next change is looked for; doubles while there is none. */
const IDLE = { firstMs: SECOND, longestMs: 30 * SECOND };
const FAILED = { firstMs: 2 * SECOND, longestMs: 5 * MINUTE };
/** Also without changes the database is asked this often whether its table is still there. */
const CONTACT_EVERY_MS = 15 * MINUTE;

/** Delivers what has changed, for some seconds; what fails is repeated later, with growing pauses. */
export async function deliver(ctx: EnvironmentContext, destination: Destination): Promise<void> {
  const lease = { id: destination.id, until: destination.dueAt };
  try {
    await deliverTurn(ctx, destination, lease);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof Fenced) {
      await endTurn(ctx.db, lease, { dueAt: addMs(ctx.clock.now(), IDLE.firstMs), idleMs: 0 });
      return;
    }
    await fail(ctx, { destination, lease, error });
  }
}

async function deliverTurn(
  ctx: EnvironmentContext,
  destination: Destination,
  lease: Lease,
): Promise<void> {
  const head = await noteChanges(ctx);
  const now = ctx.clock.now();
  if (isUpToDate(destination, head, now)) return await rest(ctx, destination, lease);
  const secrets = await openTarget(ctx, destination);
  await using connection = await connectTarget(ctx, readTarget(secrets), secrets.ca);
  const begun = await begin(ctx, { destination, head, connection });
  const reader = new FeedReader(ctx, {
    at: begun.at,
    filter: {
      models: destination.models ?? undefined,
      integrationKeys: destination.integrations ?? undefined,
      connection: undefined,
    },
  });
  const startedAt = performance.now();
  let { fence } = begun;
  for await (const batch of readBatches(ctx, reader, head.position)) {
    const cursor = writeFeedCursor(head, batch.at);
    if (cursor !== fence.cursor) await writeBatch(ctx, connection, { fence, batch, cursor });
    fence = { ...fence, cursor };
    await ctx.failpoints.hit("destinations.delivered");
    const now = ctx.clock.now();
    const isOurs = await noteProgress(ctx.db, lease, {
      until: addMs(now, HELD_MS),
      epoch: head.epoch,
      position: batch.at.position,
      delivered: batch.kind === "rows" ? batch.rows.length : 1,
      now,
    });
    // It was paused, changed or deleted meanwhile.
    if (!isOurs) return;
    if (performance.now() - startedAt >= TURN_MS) break;
  }
  const isChanged = begun.at.position !== head.position;
  const dueAt = addMs(ctx.clock.now(), isChanged ? 0 : IDLE.firstMs);
  await endTurn(ctx.db, lease, { dueAt, idleMs: 0 });
}

function isUpToDate(
  { epoch, position, contactedAt, failures }: Destination,
  head: FeedHead,
  now: Date,
): boolean {
  if (failures > 0 || epoch !== head.epoch || position !== head.position) return false;
  return contactedAt !== null && addMs(contactedAt, CONTACT_EVERY_MS) > now;
}

async function rest(
  ctx: EnvironmentContext,
  { idleMs: before }: Destination,
  lease: Lease,
): Promise<void> {
  const idleMs = Math.min(Math.max(before * 2, IDLE.firstMs), IDLE.longestMs);
  await endTurn(ctx.db, lease, { dueAt: addMs(ctx.clock.now(), idleMs), idleMs });
}

/** Where the table continues. A table whose position the feed does not know any more is emptied and filled again. */
async function begin(
  ctx: EnvironmentContext,
  given: { destination: Destination; head: FeedHead; connection: TargetConnection },
): Promise<{ fence: Parameters<typeof writeBatch>[2]["fence"]; at: FeedPosition }> {
  const { destination, head, connection } = given;
  const { id, schema, table, generation } = destination;
  const wanted = { schema, table, destination: id, generation };
  const { cursor } = await prepareTable(connection, wanted);
  const fence = { ...wanted, cursor };
  if (cursor === null) return { fence, at: { position: 0, sequence: 0 } };
  try {
    return { fence, at: readFeedCursor(head, cursor) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const restarted = await restartRow(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
    if (restarted === undefined) throw new Fenced();
    const again = { ...wanted, generation: restarted.generation };
    const state = await prepareTable(connection, again);
    return { fence: { ...again, cursor: state.cursor }, at: { position: 0, sequence: 0 } };
  }
}

async function fail(
  ctx: EnvironmentContext,
  { destination, lease, error }: { destination: Destination; lease: Lease; error: unknown },
): Promise<void> {
  const { id, address, failures } = destination;
  const target = await openTarget(ctx, destination).then(readTarget, () => undefined);
  const shown = toDestinationError(error, {
    host: target?.host ?? address,
    password: target?.password ?? "",
  });
  ctx.log.warn("destinations.failed", { destination: id, code: shown.code });
  const now = ctx.clock.now();
  // A little apart, so that not all come at once when a database is back.
  const pauseMs = backoffMs(FAILED, failures + 1) * (0.75 + Math.random() / 2);
  await failTurn(ctx.db, lease, { ...shown, now, dueAt: addMs(now, pauseMs) });
}
