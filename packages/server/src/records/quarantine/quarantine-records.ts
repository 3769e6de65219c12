import { functionLimits } from "@jackfield/contract/function-limits";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import { createBatchSealer, type SealedBatch, type TextToSeal } from "#vault";
import { type RecordWriter, recordsChanged } from "../hooks.ts";
import { sampleAad } from "../model.ts";
import { lockModel } from "../models/known-model.ts";
import { type ModelId, noteSightings } from "../store.ts";
import {
  changeReasons,
  countQuarantined,
  countSamples,
  findQuarantined,
  forgetEmpty,
  listReasons,
  putQuarantined,
  putSamples,
  type QuarantineReason,
} from "./store.ts";

/** The number of a reason that stands for all beyond the first. */
const OTHER = 0;
const LISTED_REASONS = functionLimits.quarantineReasons.value - 1;
const SAMPLES_PER_REASON = 5;

export interface QuarantineBatch {
  readonly connection: ConnectionUuid;
  /** Name under which the model is stored. */
  readonly model: string;
  readonly writer: RecordWriter;
  /** Each once, at most 1000. */
  readonly ids: readonly string[];
  readonly reasons: readonly QuarantineReason[];
  /** For each of the ids its place in `reasons`. */
  readonly reasonOf: readonly number[];
  /** Some of the ids, each with its record as JSON in `lines`. */
  readonly samples: readonly string[];
  readonly lines: readonly Uint8Array[];
}

/**
 * Notes records that do not match their schema instead of saving them; what was saved of them before stays, and does
 * not count as gone at the provider.
 */
export async function quarantineRecords(
  ctx: EnvironmentContext,
  batch: QuarantineBatch,
): Promise<void> {
  const { connection, model, writer, ids } = batch;
  const environmentId = ctx.environment.id;
  const seal = await createBatchSealer(ctx, { environmentId, ...sampleAad(connection, model) });
  const now = ctx.clock.now();
  await withTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    const locked = await lockModel(ctx, { connection, model }, now);
    await noteRecords(db, locked.id, { batch, seal, now });
    if (locked.isTracking) await noteSightings(db, locked.id, ids);
    const changes = { ...NO_CHANGES, quarantined: ids.length };
    await ctx.hooks.tell(recordsChanged, ctx, { writer, connection, model, changes });
  });
}

const NO_CHANGES = { added: 0, updated: 0, unchanged: 0, deleted: 0 };

async function noteRecords(
  db: Db,
  model: ModelId,
  {
    batch,
    seal,
    now,
  }: {
    batch: QuarantineBatch;
    seal: (texts: readonly TextToSeal[]) => SealedBatch;
    now: Date;
  },
): Promise<void> {
  const { ids, reasons, reasonOf } = batch;
  const numbers = await numberReasons(db, model, reasons);
  const before = await findQuarantined(db, model, ids);
  const changed = new Map<string, number>();
  const changes = new Map<number, number>();
  const change = (reason: number, by: number) =>
    changes.set(reason, (changes.get(reason) ?? 0) + by);
  for (const [index, id] of ids.entries()) {
    const reason = numbers[reasonOf[index] ?? -1]?.reason ?? OTHER;
    const old = before.get(id);
    change(reason, old === reason ? 0 : 1);
    if (old === reason) continue;
    if (old !== undefined) change(old, -1);
    changed.set(id, reason);
  }
  const words = new Map(numbers.map((numbered) => [numbered.reason, numbered]));
  await changeReasons(
    db,
    model,
    [...changes].map(([reason, by]) => ({
      ...OTHER_WORDS,
      ...words.get(reason),
      reason,
      change: by,
    })),
    now,
  );
  if (changed.size > 0) await putQuarantined(db, model, changed);
  // Some have another reason now.
  if (before.size > 0) await forgetEmpty(db, model);
  await noteSamples(db, model, { batch, reasonOf: changedOrSame(before, changed), seal, now });
  await countQuarantined(db, model, { change: ids.length - before.size, now });
}

const OTHER_WORDS: QuarantineReason = { pointer: "", code: "other", expected: "", received: "" };

interface NumberedReason extends QuarantineReason {
  readonly reason: number;
}

/** The numbers under which the model knows the reasons, in their order. */
async function numberReasons(
  db: Db,
  model: ModelId,
  reasons: readonly QuarantineReason[],
): Promise<NumberedReason[]> {
  const known = await listReasons(db, [model]);
  const byWords = new Map(known.map((row) => [wordsOf(row), row.reason]));
  const taken = new Set(byWords.values());
  let next = 1;
  return reasons.map((reason) => {
    const words = wordsOf(reason);
    const isOther = words === wordsOf(OTHER_WORDS);
    let number = isOther ? OTHER : byWords.get(words);
    if (number === undefined) {
      while (taken.has(next)) next += 1;
      number = next <= LISTED_REASONS ? next : OTHER;
      taken.add(number);
      byWords.set(words, number);
    }
    return { ...(number === OTHER ? OTHER_WORDS : reason), reason: number };
  });
}

function wordsOf({ pointer, code, expected, received }: QuarantineReason): string {
  return JSON.stringify([pointer, code, expected, received]);
}

function changedOrSame(
  before: ReadonlyMap<string, number>,
  changed: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  return new Map([...before, ...changed]);
}

/** Up to five for each reason stay. */
async function noteSamples(
  db: Db,
  model: ModelId,
  {
    batch,
    reasonOf,
    seal,
    now,
  }: {
    batch: QuarantineBatch;
    reasonOf: ReadonlyMap<string, number>;
    seal: (texts: readonly TextToSeal[]) => SealedBatch;
    now: Date;
  },
): Promise<void> {
  if (batch.samples.length === 0) return;
  const counts = new Map(await countSamples(db, model));
  const chosen: { id: string; reason: number; plaintext: Uint8Array }[] = [];
  for (const [index, id] of batch.samples.entries()) {
    const [reason, plaintext] = [reasonOf.get(id), batch.lines[index]];
    if (reason === undefined || plaintext === undefined) continue;
    const count = counts.get(reason) ?? 0;
    if (count >= SAMPLES_PER_REASON) continue;
    counts.set(reason, count + 1);
    chosen.push({ id, reason, plaintext });
  }
  if (chosen.length === 0) return;
  const { bytes, sizes } = seal(chosen.map(({ id, plaintext }) => ({ rest: id, plaintext })));
  let at = 0;
  const rows = chosen.map(({ id, reason }, index) => {
    const start = at;
    at += sizes[index] ?? 0;
    return { id, reason, payload: bytes.subarray(start, at) };
  });
  await putSamples(db, model, rows, now);
}
