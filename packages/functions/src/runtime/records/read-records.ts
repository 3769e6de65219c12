import { type Run, requireRunning } from "../run.ts";
import { readRecordId } from "./record-lines.ts";
import { requireModel } from "./require-model.ts";

const IDS_PER_CALL = 100;

/** A record as the server holds it, with `_svc_metadata`. */
export interface KnownRecord {
  readonly id: string;
  readonly [field: string]: unknown;
}

export interface ReadRecord {
  readonly record: KnownRecord;
  /** Place in the order of changes, by which a later write tells whether the record is still the same. */
  readonly sequence: number;
}

/** Records by the ids as the author wrote them, number or string; ids that are not stored are absent. */
export async function getRecordsByIds(
  run: Run,
  ids: unknown,
  model: string,
): Promise<Map<string | number, KnownRecord>> {
  requireRunning(run);
  requireModel(run, model);
  if (!Array.isArray(ids)) {
    throw new TypeError("getRecordsByIds: pass an array of ids first, then the model's name.");
  }
  const given = new Map<string, string | number>(
    ids.map((id: string | number, position) => [readRecordId({ id }, position), id]),
  );
  const found = new Map<string, KnownRecord>();
  for await (const { record } of readRecords(run, [...given.keys()], model)) {
    found.set(record.id, record);
  }
  const result = new Map<string | number, KnownRecord>();
  for (const [id, original] of given) {
    const record = found.get(id);
    if (record !== undefined) result.set(original, record);
  }
  return result;
}

/** What is stored under the ids, a page at a time: large records come in several. */
export async function* readRecords(
  run: Run,
  ids: readonly string[],
  model: string,
): AsyncGenerator<ReadRecord, undefined, void> {
  for (let start = 0; start < ids.length; start += IDS_PER_CALL) {
    const wanted = new Set(ids.slice(start, start + IDS_PER_CALL));
    for (;;) {
      requireRunning(run);
      const { value, body } = await run.channel.call("getRecords", { model, ids: [...wanted] });
      const records = parseLines(body);
      for (const [index, record] of records.entries()) {
        wanted.delete(record.id);
        yield { record, sequence: value.sequences[index] ?? 0 };
      }
      if (!value.hasMore || records.length === 0) break;
    }
  }
}

/** Every record of the model in the order of changes, deleted ones included. */
export async function* listRecords(
  run: Run,
  model: string,
  options?: { cursor?: string | undefined },
): AsyncGenerator<KnownRecord, undefined, void> {
  requireModel(run, model);
  let cursor = options?.cursor;
  for (;;) {
    requireRunning(run);
    const params = cursor === undefined ? { model } : { model, cursor };
    const { value, body } = await run.channel.call("listRecords", params);
    yield* parseLines(body);
    cursor = value.nextCursor;
    if (cursor === undefined) return;
  }
}

function parseLines(body: Uint8Array): KnownRecord[] {
  const text = new TextDecoder().decode(body).trimEnd();
  return text === "" ? [] : text.split("\n").map((line) => toKnownRecord(JSON.parse(line)));
}

// The host writes each line from an object with an id.
function toKnownRecord(value: unknown): KnownRecord {
  return value as KnownRecord;
}
