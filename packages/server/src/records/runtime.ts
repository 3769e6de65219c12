import type { EnvironmentContext } from "#foundation";
import { CallError } from "#foundation/sandbox";
import type { RunIdentity, RuntimeCall } from "#slice";
import { noteFields } from "./drift/note-fields.ts";
import type { RecordWriter } from "./hooks.ts";
import { storedModel } from "./model.ts";
import { findModel } from "./models/known-model.ts";
import { quarantineRecords } from "./quarantine/quarantine-records.ts";
import { listRecords, type RecordListing } from "./reading/list-records.ts";
import { asLines, joinRecords } from "./reading/present-records.ts";
import { readGuardShare } from "./tracking/delete-guard.ts";
import { endTracking, listDeletedKeys } from "./tracking/track-deletes.ts";
import { checkLines } from "./writing/check-lines.ts";
import { deleteRecords } from "./writing/delete-records.ts";
import { saveRecords, updateRecords } from "./writing/save-records.ts";

const LIST_PAGE = 100;
const LIST_BYTES = 2 * 1024 * 1024;
const KEYS_PAGE = 10_000;

/** Calls of running functions that this slice answers. */
export const recordRuntime = {
  batchSave: async (ctx: EnvironmentContext, { run, params, body }: RuntimeCall<"batchSave">) => {
    const batch = {
      ...params,
      ...writeTarget(run, params.model),
      lines: await toLines(params, body),
    };
    const { added, updated, unchanged, range } = await saveRecords(ctx, batch);
    noteFields(ctx, { ...readTarget(run, params.model), fields: params.fields });
    return { value: { added, updated, unchanged, range } };
  },
  batchUpdate: async (
    ctx: EnvironmentContext,
    { run, params, body }: RuntimeCall<"batchUpdate">,
  ) => {
    const batch = {
      ...params,
      ...writeTarget(run, params.model),
      lines: await toLines(params, body),
    };
    const { updated, unchanged, range, conflicts } = await updateRecords(ctx, batch);
    return { value: { updated, unchanged, range, conflicts } };
  },
  quarantineRecords: async (
    ctx: EnvironmentContext,
    { run, params, body }: RuntimeCall<"quarantineRecords">,
  ) => {
    requireReasons(params);
    const batch = {
      ...params,
      ...writeTarget(run, params.model),
      lines: await toLines({ ids: params.samples }, body),
    };
    await quarantineRecords(ctx, batch);
    return { value: { quarantined: params.ids.length } };
  },
  batchDelete: async (ctx: EnvironmentContext, { run, params }: RuntimeCall<"batchDelete">) => {
    const batch = { ...params, ...writeTarget(run, params.model) };
    const { deleted, range } = await deleteRecords(ctx, batch);
    return { value: { deleted, range } };
  },
  getRecords: async (ctx: EnvironmentContext, { run, params }: RuntimeCall<"getRecords">) => {
    const target = readTarget(run, params.model);
    const { records, nextCursor } = await readPage(ctx, { ...target, ids: params.ids });
    const sequences = records.map(({ row }) => row.sequence);
    return { value: { sequences, hasMore: nextCursor !== undefined }, body: toBody(records) };
  },
  listRecords: async (ctx: EnvironmentContext, { run, params }: RuntimeCall<"listRecords">) => {
    const target = readTarget(run, params.model);
    const { records, nextCursor } = await readPage(ctx, { ...target, cursor: params.cursor });
    return { value: nextCursor === undefined ? {} : { nextCursor }, body: toBody(records) };
  },
  getRecordSequence: async (
    ctx: EnvironmentContext,
    { run, params }: RuntimeCall<"getRecordSequence">,
  ) => {
    const known = await findModel(ctx, readTarget(run, params.model));
    return { value: known?.sequence ?? 0 };
  },
  trackDeletesEnd: async (
    ctx: EnvironmentContext,
    { run, params }: RuntimeCall<"trackDeletesEnd">,
  ) => {
    const guardShare = await readGuardShare(ctx, run);
    const ended = await endTracking(ctx, {
      ...writeTarget(run, params.model),
      by: run,
      guardShare,
    });
    if (ended.kind === "done") return { value: { deleted: ended.deleted, range: ended.range } };
    throw ended.kind === "not-started" ? notStarted(params.model) : refusal(params.model, ended);
  },
  listDeletedKeys: async (
    ctx: EnvironmentContext,
    { run, params }: RuntimeCall<"listDeletedKeys">,
  ) => {
    const [after, until] = params.range;
    const page = { ...readTarget(run, params.model), after, until, limit: KEYS_PAGE };
    const { ids, after: next } = await listDeletedKeys(ctx, page);
    return { value: next === undefined ? { ids } : { ids, after: next } };
  },
};

/** Where a run may read: the models that it declares, of its own connection and variant. */
export function readTarget(run: RunIdentity, model: string) {
  if (!run.models.includes(model)) {
    throw refuse(
      `Model "${model}" is not declared by this sync; its models: ${run.models.join(", ")}.`,
    );
  }
  return { connection: run.connection, model: storedModel(model, run.variant) };
}

function writeTarget(run: RunIdentity, model: string) {
  if (run.fence === undefined) throw refuse(`A run of kind ${run.kind} saves no records.`);
  const writer: RecordWriter = { runId: run.runId, fence: run.fence };
  return { ...readTarget(run, model), writer };
}

async function readPage(
  ctx: EnvironmentContext,
  target: Pick<RecordListing, "connection" | "model"> & Partial<RecordListing>,
) {
  const all = { cursor: undefined, modifiedAfter: undefined, filter: undefined, ids: undefined };
  const listing = { ...all, limit: LIST_PAGE, maxBytes: LIST_BYTES, ...target };
  for await (const chunk of listRecords(ctx, listing)) return chunk;
  throw new Error("a listing without a chunk");
}

function toBody(records: Parameters<typeof joinRecords>[0]): Uint8Array {
  const frame = { form: asLines, head: "", tail: "", metadataKeys: ["_svc_metadata"] };
  return joinRecords(records, frame);
}

async function toLines(
  { ids }: { ids: readonly string[] },
  body: Uint8Array,
): Promise<readonly Uint8Array[]> {
  const checked = await checkLines(ids, body);
  if ("lines" in checked) return checked.lines;
  throw refuse(
    `The batch ${checked.fault}; it needs one JSON object for each of its ids, each id once.`,
  );
}

/** The process may have been taken over by its function. */
function requireReasons({
  ids,
  reasons,
  reasonOf,
  samples,
}: RuntimeCall<"quarantineRecords">["params"]): void {
  const known = new Set(ids);
  const isWhole =
    known.size === ids.length &&
    reasonOf.length === ids.length &&
    reasonOf.every((at) => at < reasons.length) &&
    samples.every((id) => known.has(id));
  if (!isWhole) throw refuse("Quarantined records need one reason each, each id once.");
}

function refuse(message: string): CallError {
  return new CallError({ type: "invalid_sync_record", message });
}

function notStarted(model: string): CallError {
  const message = `Delete tracking of model "${model}" was not started: call trackDeletesStart before the first batch.`;
  return new CallError({ type: "invalid_sync_record", message });
}

function refusal(model: string, { unseen, live }: { unseen: number; live: number }): CallError {
  return new CallError({
    type: "delete_guard",
    message: `The run would delete ${unseen} of ${live} records of model "${model}", more than the environment's delete_guard lets pass; nothing was deleted. If that is right, allow it by POST /sync/confirm-deletes and run the sync again.`,
    payload: { model, deletes: unseen, records: live },
  });
}
