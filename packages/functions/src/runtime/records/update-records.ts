import { type Run, requireRunning } from "../run.ts";
import { sendLog } from "../write-log.ts";
import { checkRecords } from "./check-records.ts";
import { mergeDeep, mergingOf, noteOwnChanges } from "./merge-records.ts";
import { readRecords } from "./read-records.ts";
import { cutChunks, type StoredRecord, toStoredRecord } from "./record-lines.ts";
import { requireModel } from "./require-model.ts";
import { keepLast, toRecordList } from "./save-records.ts";

const IDS_PER_ROUND = 100;
const MAX_ROUNDS = 20;

interface MergedRecord extends StoredRecord {
  readonly sequence: number;
}

/**
 * Merges the given fields into stored records, objects at every depth, arrays replaced. Ids that are
 * not stored or are deleted are passed over. A record that changes meanwhile is read and merged again.
 */
export async function batchUpdate(run: Run, records: unknown, model: string): Promise<true> {
  requireRunning(run);
  const list = toRecordList(records, "batchUpdate");
  const schema = requireModel(run, model);
  const changes = await keepLast(run, { model, method: "batchUpdate" }, list.map(toStoredRecord));
  for (let start = 0; start < changes.length; start += IDS_PER_ROUND) {
    let pending = changes.slice(start, start + IDS_PER_ROUND);
    for (let round = 0; pending.length > 0; round += 1) {
      if (round === MAX_ROUNDS) throw tooManyConflicts(model, pending);
      const merged = await mergeStored(run, pending, model);
      const fitting = await checkRecords(run, { model, schema, records: merged });
      const conflicts = await saveMerged(run, fitting, model);
      pending = pending.filter(({ id }) => conflicts.has(id));
    }
  }
  return true;
}

async function mergeStored(
  run: Run,
  changes: readonly StoredRecord[],
  model: string,
): Promise<MergedRecord[]> {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const merged: MergedRecord[] = [];
  const unreadable: string[] = [];
  for await (const { record, sequence } of readRecords(run, [...byId.keys()], model)) {
    const { _svc_metadata: metadata, ...fields } = record;
    const isUnreadable = isSet(metadata, "pruned_at") || isSet(metadata, "damaged");
    if (isUnreadable) unreadable.push(record.id);
    const isLive = !isSet(metadata, "deleted_at") && !isUnreadable;
    const all = mergeDeep(fields, byId.get(record.id)?.fields);
    if (isLive && typeof all === "object" && all !== null) {
      merged.push({ id: record.id, fields: all, sequence });
    }
  }
  if (unreadable.length > 0) {
    const message = `batchUpdate passed over ${unreadable.length} records of model ${model}: their content was pruned or is damaged, save them whole.`;
    await sendLog(run, { level: "warn", message, meta: { model, ids: unreadable.slice(0, 10) } });
  }
  return merged;
}

function isSet(metadata: unknown, name: "pruned_at" | "deleted_at" | "damaged"): boolean {
  if (typeof metadata !== "object" || metadata === null || !(name in metadata)) return false;
  return Object.entries(metadata).some(([key, value]) => key === name && value !== null);
}

/** Answers the ids of those that someone else has changed since they were read. */
async function saveMerged(
  run: Run,
  merged: readonly MergedRecord[],
  model: string,
): Promise<Set<string>> {
  const sequenceOf = new Map(merged.map(({ id, sequence }) => [id, sequence]));
  const conflicts = new Set<string>();
  for (const { ids, body } of cutChunks(merged)) {
    requireRunning(run);
    const sequences = ids.map((id) => sequenceOf.get(id) ?? 0);
    const params = { model, ids, sequences, ...mergingOf(run, model) };
    const { value } = await run.channel.call("batchUpdate", params, body);
    noteOwnChanges(run, model, value.range);
    for (const id of value.conflicts) conflicts.add(id);
  }
  return conflicts;
}

function tooManyConflicts(model: string, pending: readonly StoredRecord[]): Error {
  return new Error(
    `batchUpdate: ${pending.length} records of model ${model}, such as "${pending[0]?.id}", were changed by others each time they were to be saved.`,
  );
}
