import { functionLimits } from "@jackfield/contract/function-limits";
import canonicalize from "canonicalize";

const MAX_ID_LENGTH = functionLimits.recordId.value;
const RECORDS_PER_CHUNK = functionLimits.recordsPerCall.value;
/** Keeps a chunk well below the channel's limit; a single larger record still travels alone. */
const BYTES_PER_CHUNK = 16 * 1024 * 1024;
const MAX_RECORD_BYTES = 100 * 1024 * 1024;

/** A record as it is stored: with a text id and without the server's own metadata. */
export interface StoredRecord {
  readonly id: string;
  readonly fields: object;
}

export interface RecordChunk {
  readonly ids: string[];
  /** Canonical JSON (RFC 8785), a line per record. */
  readonly body: Uint8Array;
}

/** Copies only what needs a change; the author's record stays as it is. */
export function toStoredRecord(record: unknown, position: number): StoredRecord {
  const source = requireObject(record, position);
  const id = readRecordId(source, position);
  if ("id" in source && source.id === id && !("_svc_metadata" in source)) {
    return { id, fields: source };
  }
  const { _svc_metadata: _, ...fields } = { _svc_metadata: undefined, ...source };
  return { id, fields: { ...fields, id } };
}

/** Ids are text of 1 to 255 characters or safe integers; NUL characters are dropped. */
export function readRecordId(record: unknown, position: number): string {
  const source = requireObject(record, position);
  const id: unknown = "id" in source ? source.id : undefined;
  if (typeof id === "number" && id !== 0) return checkNumericId(id, position);
  const text = typeof id === "string" ? cleanText(id) : "";
  if (text !== "" && text.length <= MAX_ID_LENGTH) return text;
  throw new TypeError(
    `Record ${position + 1} has no usable id: it must be text of 1 to ${MAX_ID_LENGTH} characters, or a number other than 0.`,
  );
}

/** When the provider deleted a record, as ISO 8601 text in UTC; null when it does not tell. */
export function readDeletedAt(record: unknown, position: number): string | null {
  const source = requireObject(record, position);
  const given: unknown = "deletedAt" in source ? source.deletedAt : undefined;
  if (given === undefined || given === null) return null;
  const time = given instanceof Date || typeof given === "string" ? new Date(given) : undefined;
  if (time !== undefined && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new TypeError(
    `Record ${position + 1} has no usable deletedAt: it must be a Date or a time in ISO 8601.`,
  );
}

function requireObject(record: unknown, position: number): object {
  if (typeof record === "object" && record !== null && !Array.isArray(record)) return record;
  throw new TypeError(`Record ${position + 1} is not an object.`);
}

function checkNumericId(id: number, position: number): string {
  if (Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id))) return String(id);
  throw new TypeError(
    `Record ${position + 1} has the id ${id}, a number that JavaScript cannot hold exactly; give ids as strings.`,
  );
}

/** Serializes chunk by chunk, so that a long list is never held twice. */
export function* cutChunks(records: Iterable<StoredRecord>): Generator<RecordChunk> {
  let ids: string[] = [];
  let lines: string[] = [];
  let bytes = 0;
  for (const record of records) {
    const line = toLine(record);
    const lineBytes = Buffer.byteLength(line) + 1;
    checkSize(record.id, lineBytes);
    if (ids.length === RECORDS_PER_CHUNK || (bytes > 0 && bytes + lineBytes > BYTES_PER_CHUNK)) {
      yield { ids, body: Buffer.from(lines.join("\n")) };
      ids = [];
      lines = [];
      bytes = 0;
    }
    ids.push(record.id);
    lines.push(line);
    bytes += lineBytes;
  }
  if (ids.length > 0) yield { ids, body: Buffer.from(lines.join("\n")) };
}

function checkSize(id: string, bytes: number): void {
  if (bytes <= MAX_RECORD_BYTES) return;
  throw new RangeError(`Record "${id}" is ${bytes} bytes; at most ${MAX_RECORD_BYTES} fit.`);
}

/** The usual record takes one pass; what canonical JSON or the database refuses is cleaned first. */
export function toLine({ id, fields }: StoredRecord): string {
  const line = tryCanonicalize(fields);
  if (line !== undefined && !line.includes("\\u0000")) return line;
  try {
    return canonicalize(cleanCopy(fields)) ?? "{}";
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Record "${id}" cannot be written as JSON: ${reason}`, { cause });
  }
}

function tryCanonicalize(fields: object): string | undefined {
  try {
    return canonicalize(fields);
  } catch {
    return undefined;
  }
}

/** A JSON copy without NUL characters and half surrogate pairs, which the database cannot hold; NaN is null. */
function cleanCopy(fields: object): unknown {
  return JSON.parse(JSON.stringify(fields), (_key, value: unknown) => {
    if (typeof value === "string") return cleanText(value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [cleanText(name), item]));
  });
}

function cleanText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
