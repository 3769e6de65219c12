import { createHmac } from "node:crypto";
import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { createSealer, deriveKey } from "#vault";
import { type RecordWriter, recordsChanged } from "../hooks.ts";
import { payloadPlace, type RecordChanges } from "../model.ts";
import { type LockedModel, lockModel, noteSightings } from "../store.ts";
import {
  type Difference,
  findDifferences,
  HASH_BYTES,
  type Merging,
  type RecordWrite,
  restoreRecordRows,
  writeRecordRows,
} from "./store.ts";

export interface RecordBatch {
  readonly connection: ConnectionUuid;
  /** Name under which the model is stored. */
  readonly model: string;
  readonly writer: RecordWriter;
  /** Each once, at most 1000. */
  readonly ids: readonly string[];
  /** A JSON object per id, in canonical form, so that equal records have equal bytes. */
  readonly lines: readonly Uint8Array[];
  readonly merging?: Merging | undefined;
}

export interface SavedBatch extends RecordChanges {
  /** Order numbers that the changes got: above the first, up to the second; the same when nothing changed. */
  readonly range: [after: number, until: number];
}

/** Stores the records that are new or differ from what is stored; the others cost no write. */
export async function saveRecords(
  ctx: EnvironmentContext,
  batch: RecordBatch,
): Promise<SavedBatch> {
  return await writeBatch(ctx, batch, (found) => found);
}

/**
 * Stores records that the caller has merged from what was stored under `sequences`; those that have changed or
 * gone since are left alone and answered as `conflicts`.
 */
export async function updateRecords(
  ctx: EnvironmentContext,
  batch: RecordBatch & { readonly sequences: readonly number[] },
): Promise<SavedBatch & { readonly conflicts: string[] }> {
  const conflicts: string[] = [];
  const saved = await writeBatch(ctx, batch, (found) =>
    found.filter(({ kind, position, sequence }) => {
      if (kind !== "added" && sequence === batch.sequences[position]) return true;
      conflicts.push(batch.ids[position] ?? "");
      return false;
    }),
  );
  return { ...saved, unchanged: saved.unchanged - conflicts.length, conflicts };
}

async function writeBatch(
  ctx: EnvironmentContext,
  batch: RecordBatch,
  choose: (found: Difference[]) => Difference[],
): Promise<SavedBatch> {
  const { connection, model, writer, ids, lines, merging } = batch;
  const environmentId = ctx.environment.id;
  const hashes = await hashLines(ctx, lines);
  const toRow = await createRowMaker(ctx, { ...batch, hashes });
  const now = ctx.clock.now();
  return await withTransaction(ctx, async (ctx) => {
    const locked = await lockModel(ctx.db, environmentId, { connection, model }, now);
    const found = await findDifferences(ctx.db, locked.id, {
      ids,
      hashes: Buffer.concat(hashes),
      merging,
    });
    const counts = await writeDifferences(ctx, { locked, now, toRow, chosen: choose(found) });
    if (locked.isTracking) await noteSightings(ctx.db, locked.id, ids);
    const written = counts.added + counts.updated;
    const changes = { ...counts, unchanged: ids.length - written, deleted: 0 };
    await ctx.hooks.tell(recordsChanged, ctx, { writer, connection, model, changes });
    return { ...changes, range: [locked.sequence, locked.sequence + written] };
  });
}

/** A keyed hash: equal records of different environments cannot be told from their rows. */
async function hashLines(
  ctx: EnvironmentContext,
  lines: readonly Uint8Array[],
): Promise<readonly Buffer[]> {
  const key = await deriveKey(ctx, { environmentId: ctx.environment.id, purpose: "record-hash" });
  return lines.map((line) =>
    createHmac("sha256", key).update(line).digest().subarray(0, HASH_BYTES),
  );
}

type RowMaker = (position: number) => RecordWrite;

async function createRowMaker(
  ctx: EnvironmentContext,
  batch: RecordBatch & { readonly hashes: readonly Buffer[] },
): Promise<RowMaker> {
  const { connection, model } = batch;
  const seal =
    ctx.settings.recordStorage === "sealed"
      ? await createSealer(ctx, ctx.environment.id)
      : (_place: object, line: Uint8Array) => Buffer.from(line);
  return (position) => {
    const { id, hash, line } = recordAt(position, batch);
    return { id, hash, payload: seal(payloadPlace(connection, model, id), line) };
  };
}

async function writeDifferences(
  { db, settings }: EnvironmentContext,
  change: { locked: LockedModel; now: Date; toRow: RowMaker; chosen: readonly Difference[] },
): Promise<{ added: number; updated: number }> {
  const { locked, now, toRow, chosen } = change;
  const storage = settings.recordStorage;
  const toRows = (some: readonly Difference[]) => some.map(({ position }) => toRow(position));
  const restored = toRows(chosen.filter(({ kind }) => kind === "restored"));
  if (restored.length > 0) await restoreRecordRows(db, locked.id, { rows: restored, storage });
  const changed = chosen.filter(({ kind }) => kind !== "restored");
  const added = changed.filter(({ kind }) => kind === "added").length;
  if (changed.length > 0) {
    await writeRecordRows(db, locked.id, { rows: toRows(changed), storage, added, now });
  }
  return { added, updated: changed.length - added };
}

function recordAt(
  position: number,
  batch: RecordBatch & { readonly hashes: readonly Buffer[] },
): { id: string; hash: Buffer; line: Uint8Array } {
  const { ids, hashes, lines } = batch;
  const [id, hash, line] = [ids[position], hashes[position], lines[position]];
  if (id === undefined || hash === undefined || line === undefined) {
    throw new Error(`a batch of ${ids.length} records has no record ${position}`);
  }
  return { id, hash, line };
}
