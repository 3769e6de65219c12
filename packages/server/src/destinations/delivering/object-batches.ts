import type { EnvironmentContext } from "#foundation";
import { FeedReader, type FeedStep, nameSources } from "#records";
import type { ChangeRow } from "../bucket/change-row.ts";
import type { Destination } from "../destination.ts";
import { toRows } from "./batches.ts";
import { type FeedPosition, isBehind } from "./feed-position.ts";
import { filterOf } from "./sink.ts";

/** What is held in memory for one batch, and how many objects it makes. Its Parquet is written in some 30 ms. */
const MOST_ROWS = 5000;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_MODELS = 20;

/** Changes from one position to another, in the order of the feed. */
export interface ObjectBatch {
  readonly from: FeedPosition;
  readonly at: FeedPosition;
  readonly rows: readonly ChangeRow[];
}

/**
 * The changes up to a position, in batches. With `planned`, the first batch ends exactly there: it was begun before, and
 * its objects have that name.
 */
export async function* readObjectBatches(
  ctx: EnvironmentContext,
  given: {
    readonly destination: Destination;
    readonly from: FeedPosition;
    readonly planned: FeedPosition | undefined;
    readonly until: number;
  },
): AsyncGenerator<ObjectBatch, undefined, void> {
  const { destination, planned, until } = given;
  const filter = filterOf(destination);
  let { from } = given;
  if (planned !== undefined) {
    const reader = new FeedReader(ctx, { at: from, filter });
    const rows = await readPlanned(ctx, reader, planned);
    if (rows !== undefined) {
      yield { from, at: planned, rows };
      from = planned;
    }
  }
  const reader = new FeedReader(ctx, { at: from, filter });
  const sourceOf = await nameSources(ctx);
  let rows: ChangeRow[] = [];
  let bytes = 0;
  const models = new Set<string>();
  for await (const step of reader.steps(until)) {
    const added = toChanges(step, sourceOf(step.entry.id));
    rows.push(...added);
    bytes += sizeOf(added);
    models.add(step.entry.model);
    if (rows.length < MOST_ROWS && bytes < MOST_BYTES && models.size < MOST_MODELS) continue;
    yield { from, at: step.at, rows };
    from = step.at;
    rows = [];
    bytes = 0;
    models.clear();
  }
  // Entries that are not wanted are passed, too.
  yield { from, at: reader.at, rows };
}

/**
 * What is left of the changes up to a position: records that have changed since come later. Undefined when it is more than
 * one batch, which it becomes once entries of the feed were joined, a week later: then it is delivered in others.
 */
async function readPlanned(
  ctx: EnvironmentContext,
  reader: FeedReader,
  planned: FeedPosition,
): Promise<ChangeRow[] | undefined> {
  const sourceOf = await nameSources(ctx);
  const rows: ChangeRow[] = [];
  let bytes = 0;
  const last = planned.sequence > 0 ? planned.position + 1 : planned.position;
  for await (const step of reader.steps(last)) {
    for (const row of toChanges(step, sourceOf(step.entry.id))) {
      const at =
        row.type === "removed"
          ? { position: row.position, sequence: 0 }
          : { position: row.position - 1, sequence: row.sequence };
      if (isBehind(at, planned)) return rows;
      rows.push(row);
      bytes += sizeOf([row]);
    }
    if (rows.length > 2 * MOST_ROWS || bytes > 2 * MOST_BYTES) return undefined;
  }
  return rows;
}

function toChanges(step: FeedStep, source: string): ChangeRow[] {
  const { position, integrationKey: integration, connectionId, model: stored } = step.entry;
  if (step.kind === "records") {
    return toRows(step, source).map((row) => ({ ...row, type: "record", position }));
  }
  const [model = stored, variant = "base"] = stored.split("::");
  return [{ type: "removed", position, source, integration, connectionId, model, variant }];
}

function sizeOf(rows: readonly ChangeRow[]): number {
  return rows.reduce((sum, row) => sum + (row.type === "record" ? (row.data?.length ?? 0) : 0), 0);
}
