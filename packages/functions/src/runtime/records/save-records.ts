import { functionLimits } from "@jackfield/contract/function-limits";
import { type Run, requireRunning } from "../run.ts";
import { sendLog } from "../write-log.ts";
import { checkRecords } from "./check-records.ts";
import { mergingOf, noteOwnChanges } from "./merge-records.ts";
import {
  cutChunks,
  readDeletedAt,
  readRecordId,
  type StoredRecord,
  toStoredRecord,
} from "./record-lines.ts";
import { requireModel } from "./require-model.ts";
import { sampleFields } from "./sample-fields.ts";

const IDS_PER_CALL = functionLimits.recordsPerCall.value;
const SHOWN_IDS = 10;

/** Upserts in chunks of 1000, in order; a failing chunk throws and earlier ones stay. */
export async function batchSave(run: Run, records: unknown, model: string): Promise<true> {
  requireRunning(run);
  const list = toRecordList(records, "batchSave");
  const schema = requireModel(run, model);
  const stored = await keepLast(run, { model, method: "batchSave" }, list.map(toStoredRecord));
  const fitting = await checkRecords(run, { model, schema, records: stored });
  let fields = sampleFields(run, model, fitting);
  for (const { ids, body } of cutChunks(fitting)) {
    requireRunning(run);
    const params = { model, ids, ...mergingOf(run, model), ...(fields && { fields }) };
    fields = undefined;
    const { value } = await run.channel.call("batchSave", params, body);
    noteOwnChanges(run, model, value.range);
  }
  return true;
}

/**
 * Marks records as deleted by id, at their own `deletedAt` if they have one; what else a record
 * holds is ignored, so its last payload stays.
 */
export async function batchDelete(run: Run, records: unknown, model: string): Promise<true> {
  requireRunning(run);
  const list = toRecordList(records, "batchDelete");
  requireModel(run, model);
  const timeById = new Map(
    list.map((record, position) => [
      readRecordId(record, position),
      readDeletedAt(record, position),
    ]),
  );
  const all = [...timeById];
  for (let start = 0; start < all.length; start += IDS_PER_CALL) {
    requireRunning(run);
    const chunk = all.slice(start, start + IDS_PER_CALL);
    const times = chunk.map(([, time]) => time);
    const params = {
      model,
      ids: chunk.map(([id]) => id),
      ...(times.some((time) => time !== null) && { deletedAt: times }),
      ...mergingOf(run, model),
    };
    const { value } = await run.channel.call("batchDelete", params);
    noteOwnChanges(run, model, value.range);
  }
  return true;
}

/** An empty list for none; the author's list otherwise. */
export function toRecordList(records: unknown, method: string): unknown[] {
  if (records === undefined || records === null) return [];
  if (Array.isArray(records)) return records;
  throw new TypeError(`${method}: pass an array of records first, then the model's name.`);
}

/** Of records with the same id in one call the last is kept, with a warning. */
export async function keepLast(
  run: Run,
  { model, method }: { model: string; method: string },
  records: StoredRecord[],
): Promise<StoredRecord[]> {
  const byId = new Map<string, StoredRecord>();
  const duplicates = new Set<string>();
  for (const record of records) {
    if (byId.has(record.id)) duplicates.add(record.id);
    byId.set(record.id, record);
  }
  if (duplicates.size === 0) return records;
  await sendLog(run, {
    level: "warn",
    message: `${method} got ${duplicates.size} ids of model ${model} more than once; the last record of each was saved.`,
    meta: { model, ids: [...duplicates].slice(0, SHOWN_IDS) },
  });
  return [...byId.values()];
}
