import { addMs, type EnvironmentContext, SECOND } from "#foundation";
import { type FeedHead, findFeedPosition, storedModel, writeFeedCursor } from "#records";
import { folderOf } from "../bucket/bucket-address.ts";
import type { ChangeRow } from "../bucket/change-row.ts";
import { objectNameOf } from "../bucket/object-names.ts";
import { type BucketTarget, putObject } from "../bucket/put-object.ts";
import { writeNdjson } from "../bucket/write-ndjson.ts";
import { writeParquet } from "../bucket/write-parquet.ts";
import type { BucketDestination } from "../destination.ts";
import { notePlan, restartRow } from "../store.ts";
import { openBucket } from "../target/sealed-target.ts";
import type { FeedPosition } from "./feed-position.ts";
import { type ObjectBatch, readObjectBatches } from "./object-batches.ts";
import { Fenced, HELD_MS, type Sink, type SinkBatch, type SinkInput } from "./sink.ts";

type BucketInput = SinkInput<BucketDestination>;

/**
 * A customer's bucket. Where a batch ends is stored here before its objects are written: a process that takes over
 * writes objects of the same names, and one that comes late overwrites them with what they had.
 */
export async function openBucketSink(ctx: EnvironmentContext, input: BucketInput): Promise<Sink> {
  const { destination } = input;
  const target = { place: destination.place, secrets: await openBucket(ctx, destination) };
  const begun = await begin(ctx, input, target);
  return {
    restMs:
      begun.from.position === input.head.position
        ? SECOND
        : destination.place.intervalSeconds * SECOND,
    batches: (until) => write(ctx, { ...input, ...begun, target, until }),
    async [Symbol.asyncDispose]() {},
  };
}

async function* write(
  ctx: EnvironmentContext,
  given: BucketInput & Begun & { target: BucketTarget; until: number },
): AsyncGenerator<SinkBatch, undefined, void> {
  for await (const batch of readObjectBatches(ctx, given)) {
    yield toSinkBatch(ctx, { ...given, batch });
  }
}

interface Begun {
  readonly from: FeedPosition;
  readonly planned: FeedPosition | undefined;
}

async function begin(
  ctx: EnvironmentContext,
  { destination, head }: BucketInput,
  target: BucketTarget,
): Promise<Begun> {
  const begun = readBegun(destination, head);
  if (begun === undefined) {
    // All is delivered again, to another folder.
    await restartRow(ctx.db, ctx.environment.id, { id: destination.id, now: ctx.clock.now() });
    throw new Fenced();
  }
  const isNew = destination.reachedCursor === null && begun.planned === undefined;
  if (isNew) await putNote(ctx, destination, target);
  return begun;
}

/** Undefined when the feed does not know the position any more. */
function readBegun(
  { reachedCursor: reached, plannedCursor: planned }: BucketDestination,
  head: FeedHead,
): Begun | undefined {
  const from = reached === null ? { position: 0, sequence: 0 } : findFeedPosition(head, reached);
  const next = planned === null ? undefined : findFeedPosition(head, planned);
  if (from === undefined || (planned !== null && next === undefined)) return undefined;
  return { from, planned: next };
}

/** Says what the folder is, and shows before the first change whether the bucket takes objects. */
async function putNote(
  ctx: EnvironmentContext,
  { id, name, place, generation, models, integrations }: BucketDestination,
  target: BucketTarget,
): Promise<void> {
  const note = { destination: id, name, generation, format: place.format, models, integrations };
  await putObject(ctx, target, {
    name: `${folderOf(place, generation)}/_jackfield.json`,
    body: Buffer.from(`${JSON.stringify(note, null, 2)}\n`),
    contentType: "application/json",
  });
}

function toSinkBatch(
  ctx: EnvironmentContext,
  given: BucketInput & { target: BucketTarget; batch: ObjectBatch },
): SinkBatch {
  const { head, lease, batch } = given;
  const cursor = writeFeedCursor(head, batch.at);
  return {
    at: batch.at,
    delivered: batch.rows.length,
    cursor,
    async write() {
      if (batch.rows.length === 0) return;
      for (const [model, rows] of byModel(batch.rows)) {
        // Before each object, for a slow bucket takes long for many.
        const until = addMs(ctx.clock.now(), HELD_MS);
        if (!(await notePlan(ctx.db, lease, { until, cursor }))) throw new Fenced();
        await ctx.failpoints.hit("destinations.object_planned");
        await putRows(ctx, { ...given, model, rows });
        await ctx.failpoints.hit("destinations.object_put");
      }
    },
  };
}

async function putRows(
  ctx: EnvironmentContext,
  given: BucketInput & {
    target: BucketTarget;
    batch: ObjectBatch;
    model: string;
    rows: readonly ChangeRow[];
  },
): Promise<void> {
  const { destination, target, batch, model, rows } = given;
  const { format } = destination.place;
  const range = { model, from: batch.from, until: batch.at };
  await putObject(ctx, target, {
    name: `${folderOf(destination.place, destination.generation)}/${objectNameOf(range, format)}`,
    body: format === "parquet" ? writeParquet(rows) : await writeNdjson(rows),
    contentType:
      format === "parquet" ? "application/vnd.apache.parquet" : "application/x-ndjson+gzip",
  });
}

function byModel(rows: readonly ChangeRow[]): Map<string, ChangeRow[]> {
  return Map.groupBy(rows, ({ model, variant }) => storedModel(model, variant));
}
