import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { RunIdentity } from "#slice";
import { noteWrites } from "../feed/note-writes.ts";
import { type RecordWriter, recordsChanged } from "../hooks.ts";
import { tallyChanges } from "../metrics/record-tallies.ts";
import type { RecordChanges } from "../model.ts";
import { findKnownId, findModel, lockModel } from "../models/known-model.ts";
import { releaseUnseen } from "../quarantine/release-records.ts";
import { type LockedModel, lockModelById, type ModelId } from "../store.ts";
import {
  beginTracking,
  deleteSwept,
  deleteUnseen,
  findTracking,
  listDeletedIds,
  listSweptModels,
  markSwept,
  noteRefusedDeletes,
  resumeTracking,
  type Sweep,
} from "./store.ts";

export interface TrackedModel {
  readonly connection: ConnectionUuid;
  /** Name under which the model is stored. */
  readonly model: string;
}

/** Trackers of one model know nothing of each other. */
type Tracker = Pick<RunIdentity, "kind" | "functionId">;

/**
 * From now on the ids that are saved are noted. A run that continues from a checkpoint continues with what was
 * noted before; every other starts over.
 */
export async function startTracking(
  ctx: EnvironmentContext,
  { connection, model, by, goesOn }: TrackedModel & { by: Tracker; goesOn: boolean },
): Promise<void> {
  const tracker = nameOf(by);
  await withTransaction(ctx, async (ctx) => {
    const { db, clock } = ctx;
    const now = clock.now();
    const { id } = await lockModel(ctx, { connection, model }, now);
    if (goesOn && (await resumeTracking(db, id, tracker))) return;
    await beginTracking(db, id, { tracker, now });
  });
}

export type TrackingEnd =
  | { readonly kind: "not-started" }
  /** More than the guard lets pass: nothing was deleted, and a person has to allow it. */
  | { readonly kind: "refused"; readonly unseen: number; readonly live: number }
  /** Order numbers of the deletions: above the first, up to the second. */
  | { readonly kind: "done"; readonly deleted: number; readonly range: [number, number] };

/**
 * Deletes, all or none, the live records that were not saved since tracking began. What was seen is known until
 * `settleTracking`: a run that dies now and continues from its checkpoint saves nothing again, and deletes nothing.
 */
export async function endTracking(
  ctx: EnvironmentContext,
  wanted: TrackedModel & { by: Tracker; writer: RecordWriter; guardShare: number | undefined },
): Promise<TrackingEnd> {
  const { connection, model, by, writer, guardShare } = wanted;
  const tracker = nameOf(by);
  const now = ctx.clock.now();
  const end = await withTransaction(ctx, async (ctx): Promise<TrackingEnd> => {
    const locked = await lockModel(ctx, { connection, model }, now);
    const tracking = await findTracking(ctx.db, locked.id, tracker);
    if (tracking === undefined) return { kind: "not-started" };
    const { afterBatch } = tracking;
    const limits = { now, most: mostOf(locked, guardShare) };
    const sweep: Sweep =
      afterBatch === null
        ? { unseen: 0, base: null, sample: null }
        : await deleteUnseen(ctx.db, locked.id, { ...limits, afterBatch });
    const isRefused = sweep.unseen > 0 && sweep.base === null;
    const refused = { deletes: sweep.unseen, sample: sweep.sample ?? [], now };
    await noteRefusedDeletes(ctx.db, locked.id, isRefused ? refused : undefined);
    if (isRefused) return { kind: "refused", unseen: sweep.unseen, live: locked.liveCount };
    if (afterBatch !== null) await releaseUnseen(ctx.db, locked, { afterBatch, now });
    await markSwept(ctx.db, locked.id, tracker);
    if (sweep.unseen > 0) await noteWrites(ctx, ctx.environment.id, [locked.id]);
    const changes = { ...none, deleted: sweep.unseen };
    await ctx.hooks.tell(recordsChanged, ctx, { writer, connection, model, changes });
    return { kind: "done", deleted: sweep.unseen, range: rangeOf(sweep, locked) };
  });
  if (end.kind === "done") tallyChanges(ctx, { ...none, deleted: end.deleted });
  return end;
}

const none: RecordChanges = { added: 0, updated: 0, unchanged: 0, deleted: 0 };

/** A run has succeeded: the next one starts over, on a checkpoint, too. */
export async function settleTracking(
  ctx: EnvironmentContext,
  wanted: { connection: ConnectionUuid; models: readonly string[]; by: Tracker },
): Promise<void> {
  const { connection, by } = wanted;
  const tracker = nameOf(by);
  const models: ModelId[] = [];
  for (const model of wanted.models) {
    const id = await findKnownId(ctx, { connection, model });
    if (id !== undefined) models.push(id);
  }
  if (models.length === 0) return;
  const swept = await listSweptModels(ctx.db, models, tracker);
  for (const model of swept) {
    await withTransaction(ctx, async ({ db }) => {
      if (await lockModelById(db, model)) await deleteSwept(db, model, tracker);
    });
  }
}

function nameOf({ kind, functionId }: Tracker): string {
  return `${kind}:${functionId}`;
}

function mostOf(locked: LockedModel, guardShare: number | undefined): number | undefined {
  if (guardShare === undefined) return undefined;
  return Math.max(Math.floor(guardShare * locked.liveCount), locked.allowedDeletes);
}

function rangeOf({ base, unseen }: Sweep, { sequence }: LockedModel): [number, number] {
  const after = base ?? sequence;
  return [after, after + unseen];
}

/** Ids that `endTracking` deleted, a page at a time; `after` of the next page is undefined at the end. */
export async function listDeletedKeys(
  ctx: EnvironmentContext,
  page: TrackedModel & { after: number; until: number; limit: number },
): Promise<{ ids: string[]; after: number | undefined }> {
  const known = await findModel(ctx, page);
  if (known === undefined) return { ids: [], after: undefined };
  const rows = await listDeletedIds(ctx.db, known.id, page);
  const isFull = rows.length === page.limit;
  return { ids: rows.map(({ id }) => id), after: isFull ? rows.at(-1)?.sequence : undefined };
}
