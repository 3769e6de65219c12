import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { createBatchSealer, deriveKey, type SealedBatch } from "#vault";
import { noteWrites } from "../feed/note-writes.ts";
import { type RecordWriter, recordsChanged } from "../hooks.ts";
import { tallyChanges } from "../metrics/record-tallies.ts";
import { payloadAad, type RecordChanges } from "../model.ts";
import { lockModel } from "../models/known-model.ts";
import { releaseRecords } from "../quarantine/release-records.ts";
import { type LockedModel, noteSightings } from "../store.ts";
import { HASH_BYTES, hashLines } from "./hash-lines.ts";
import {
  type Difference,
  findDifferences,
  type Merging,
  type RecordWrites,
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

/** Stores the records that are new or differ from the stored ones; the others cost no write. */
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
  return { ...saved, conflicts };
}

async function writeBatch(
  ctx: EnvironmentContext,
  batch: RecordBatch,
  choose: (found: Difference[]) => Difference[],
): Promise<SavedBatch> {
  const { connection, model, writer, ids, lines, merging } = batch;
  const environmentId = ctx.environment.id;
  // A keyed hash: rows do not show which records of different environments are equal.
  const hashes = hashLines(await deriveKey(ctx, { environmentId, purpose: "record-hash" }), lines);
  const toWrites = await createWriteMaker(ctx, batch, hashes);
  const now = ctx.clock.now();
  const done = await withTransaction(ctx, async (ctx): Promise<SavedBatch> => {
    const locked = await lockModel(ctx, { connection, model }, now);
    const found = await findDifferences(ctx.db, locked.id, {
      ids,
      hashes,
      merging,
    });
    const chosen = choose(found);
    const counts = await writeDifferences(ctx, { locked, now, toWrites, chosen });
    await releaseRecords(ctx.db, locked, { ids, now });
    if (locked.isTracking) await noteSightings(ctx.db, locked.id, ids);
    const written = counts.added + counts.updated;
    const leftAlone = found.length - chosen.length;
    const unchanged = ids.length - written - leftAlone;
    const changes = { ...counts, unchanged, deleted: 0 };
    await ctx.hooks.tell(recordsChanged, ctx, { writer, connection, model, changes });
    return { ...changes, range: [locked.sequence, locked.sequence + written] };
  });
  tallyChanges(ctx, done);
  return done;
}

type WriteMaker = (chosen: readonly Difference[]) => RecordWrites;

async function createWriteMaker(
  ctx: EnvironmentContext,
  batch: RecordBatch,
  hashes: Buffer,
): Promise<WriteMaker> {
  const seal = await createStorageSealer(ctx, batch);
  return (chosen) => {
    const ids: string[] = [];
    const texts: { rest: string; plaintext: Uint8Array }[] = [];
    const chosenHashes: Buffer[] = [];
    for (const { position } of chosen) {
      const { id, line } = recordAt(position, batch);
      ids.push(id);
      texts.push({ rest: id, plaintext: line });
      chosenHashes.push(hashes.subarray(position * HASH_BYTES, (position + 1) * HASH_BYTES));
    }
    const { bytes, sizes } = seal(texts);
    return { ids, hashes: Buffer.concat(chosenHashes), payloads: bytes, sizes };
  };
}

/** Payloads as the installation stores them: sealed, or as they are. */
async function createStorageSealer(
  ctx: EnvironmentContext,
  { connection, model }: RecordBatch,
): Promise<(texts: readonly { rest: string; plaintext: Uint8Array }[]) => SealedBatch> {
  const environmentId = ctx.environment.id;
  if (ctx.settings.recordStorage === "sealed") {
    return await createBatchSealer(ctx, { environmentId, ...payloadAad(connection, model) });
  }
  return (texts) => ({
    bytes: Buffer.concat(texts.map(({ plaintext }) => plaintext)),
    sizes: texts.map(({ plaintext }) => plaintext.byteLength),
  });
}

async function writeDifferences(
  ctx: EnvironmentContext,
  change: {
    locked: LockedModel;
    now: Date;
    toWrites: WriteMaker;
    chosen: readonly Difference[];
  },
): Promise<{ added: number; updated: number }> {
  const { locked, now, toWrites, chosen } = change;
  const { db } = ctx;
  const storage = ctx.settings.recordStorage;
  const restored = chosen.filter(({ kind }) => kind === "restored");
  if (restored.length > 0) {
    await restoreRecordRows(db, locked.id, { writes: toWrites(restored), storage });
  }
  const changed = chosen.filter(({ kind }) => kind !== "restored");
  const added = changed.filter(({ kind }) => kind === "added").length;
  if (changed.length > 0) {
    await noteWrites(ctx, ctx.environment.id, [locked.id]);
    const replacedBytes = changed.reduce((sum, { bytes }) => sum + bytes, 0);
    const rows = { writes: toWrites(changed), storage, added, replacedBytes, now };
    await writeRecordRows(db, locked.id, rows);
  }
  return { added, updated: changed.length - added };
}

function recordAt(position: number, { ids, lines }: RecordBatch): { id: string; line: Uint8Array } {
  const [id, line] = [ids[position], lines[position]];
  if (id === undefined || line === undefined) {
    throw new Error(`a batch of ${ids.length} records has no record ${position}`);
  }
  return { id, line };
}
