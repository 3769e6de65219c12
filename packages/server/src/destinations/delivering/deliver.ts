import { addMs, backoffMs, type EnvironmentContext, MINUTE, SECOND } from "#foundation";
import { type FeedHead, noteChanges } from "#records";
import { type Destination, isBucket, isTable } from "../destination.ts";
import { endLease, failLease, type Lease, noteProgress } from "../store.ts";
import { toDestinationError } from "../target/delivery-error.ts";
import { openTarget, readTarget } from "../target/sealed-target.ts";
import { openBucketSink } from "./bucket-sink.ts";
import { Fenced, HELD_MS, type Sink, type SinkInput } from "./sink.ts";
import { openTable } from "./table-sink.ts";

/** Then another destination's changes are delivered first. */
const LEASE_WORK_MS = 10 * SECOND;
/** How soon the next change is looked for; doubles while there is none. */
const IDLE = { firstMs: SECOND, longestMs: 30 * SECOND };
const FAILED = { firstMs: 2 * SECOND, longestMs: 5 * MINUTE };
/** Also without changes the database is asked this often whether its table is still there. */
const CONTACT_EVERY_MS = 15 * MINUTE;

/** Delivers what has changed, for some seconds; what fails is repeated later, with growing pauses. */
export async function deliver(ctx: EnvironmentContext, destination: Destination): Promise<void> {
  const lease = { id: destination.id, until: destination.dueAt };
  try {
    await deliverForLease(ctx, destination, lease);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof Fenced) {
      await endLease(ctx.db, lease, { dueAt: addMs(ctx.clock.now(), IDLE.firstMs), idleMs: 0 });
      return;
    }
    await fail(ctx, { destination, lease, error });
  }
}

async function deliverForLease(
  ctx: EnvironmentContext,
  destination: Destination,
  lease: Lease,
): Promise<void> {
  const head = await noteChanges(ctx);
  const now = ctx.clock.now();
  if (isUpToDate(destination, head, now)) return await rest(ctx, destination, lease);
  await using sink = await openSink(ctx, { destination, head, lease });
  const startedAt = performance.now();
  for await (const batch of sink.batches(head.position)) {
    await batch.write();
    await ctx.failpoints.hit("destinations.delivered");
    const now = ctx.clock.now();
    const isOurs = await noteProgress(ctx.db, lease, {
      until: addMs(now, HELD_MS),
      epoch: head.epoch,
      position: batch.at.position,
      delivered: batch.delivered,
      cursor: batch.cursor,
      now,
    });
    // It was paused, changed or deleted meanwhile.
    if (!isOurs) return;
    if (performance.now() - startedAt >= LEASE_WORK_MS) {
      await endLease(ctx.db, lease, { dueAt: ctx.clock.now(), idleMs: 0 });
      return;
    }
  }
  await endLease(ctx.db, lease, { dueAt: addMs(ctx.clock.now(), sink.restMs), idleMs: 0 });
}

async function openSink(ctx: EnvironmentContext, input: SinkInput): Promise<Sink> {
  const { destination } = input;
  if (isTable(destination)) return await openTable(ctx, { ...input, destination });
  if (isBucket(destination)) return await openBucketSink(ctx, { ...input, destination });
  throw new Error("This release knows no destination of that type.");
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
  await endLease(ctx.db, lease, { dueAt: addMs(ctx.clock.now(), idleMs), idleMs });
}

async function fail(
  ctx: EnvironmentContext,
  { destination, lease, error }: { destination: Destination; lease: Lease; error: unknown },
): Promise<void> {
  const { id, failures } = destination;
  const shown = toDestinationError(error, await hintsOf(ctx, destination));
  ctx.log.warn("destinations.failed", { destination: id, code: shown.code });
  const now = ctx.clock.now();
  // A little apart, so that not all come at once when a database is back.
  const pauseMs = backoffMs(FAILED, failures + 1) * (0.75 + Math.random() / 2);
  await failLease(ctx.db, lease, { ...shown, now, dueAt: addMs(now, pauseMs) });
}

/** What messages name, and what they must not. */
async function hintsOf(
  ctx: EnvironmentContext,
  destination: Destination,
): Promise<{ host: string; password: string }> {
  const unknown = { host: destination.address, password: "" };
  if (!isTable(destination)) return unknown;
  return await openTarget(ctx, destination).then(readTarget, () => unknown);
}
