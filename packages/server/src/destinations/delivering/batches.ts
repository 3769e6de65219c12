import type { EnvironmentContext } from "#foundation";
import { type FeedReader, type FeedStep, nameSources } from "#records";
import type { TargetRow } from "../target/store.ts";
import type { FeedPosition } from "./feed-position.ts";

/** What one transaction writes, and what a slow database makes us hold in memory. */
const MOST_ROWS = 1000;
const MOST_BYTES = 1024 * 1024;

/** What is done in one transaction; afterwards the feed continues at `at`. */
export type Batch =
  | { readonly kind: "rows"; readonly rows: readonly TargetRow[]; readonly at: FeedPosition }
  | { readonly kind: "removed"; readonly source: string; readonly at: FeedPosition };

/** The changes up to a position, in their order, in batches. Of a record that comes twice in one, the last counts. */
export async function* readBatches(
  ctx: EnvironmentContext,
  reader: FeedReader,
  until: number,
): AsyncGenerator<Batch, undefined, void> {
  const sourceOf = await nameSources(ctx);
  let rows = new Map<string, TargetRow>();
  let bytes = 0;
  const take = (at: FeedPosition): Batch => {
    const batch: Batch = { kind: "rows", rows: [...rows.values()], at };
    rows = new Map();
    bytes = 0;
    return batch;
  };
  let at = reader.at;
  for await (const step of reader.steps(until)) {
    const source = sourceOf(step.entry.id);
    if (step.kind === "removed") {
      if (rows.size > 0) yield take(at);
      yield { kind: "removed", source, at: step.at };
    } else {
      for (const row of toRows(step, source)) {
        rows.set(`${source}/${row.id}`, row);
        bytes += row.data?.length ?? 0;
      }
      if (rows.size >= MOST_ROWS || bytes >= MOST_BYTES) yield take(step.at);
    }
    at = step.at;
  }
  // Entries that are not wanted are passed, too.
  yield take(reader.at);
}

export function toRows(step: FeedStep & { kind: "records" }, source: string): TargetRow[] {
  const { integrationKey, connectionId, model: stored } = step.entry;
  const [model = stored, variant = "base"] = stored.split("::");
  return step.records.map(({ row, line }) => ({
    source,
    id: row.id,
    integration: integrationKey,
    connectionId,
    model,
    variant,
    data: line?.toString("utf8") ?? null,
    firstSeen: row.firstSeen,
    changed: row.lastModified,
    deleted: row.deleted,
    pruned: row.pruned,
    sequence: row.sequence,
  }));
}
