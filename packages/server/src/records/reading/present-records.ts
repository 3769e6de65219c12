import type { ListedRecord, RecordChunk } from "./list-records.ts";

/** How a listing is written: as one JSON object, or a line per record (NDJSON). */
export interface ListingForm {
  readonly head: string;
  /** Between two records. */
  readonly between: string;
  /** In front of each record, in ASCII; default: nothing. */
  readonly before?: (record: ListedRecord) => string;
  /** After each record. */
  readonly after: string;
  tail(nextCursor: string | undefined, spell: Spell): string;
}

/** All the spellings under which a key is sent. */
type Spell = (name: string) => readonly string[];

const asItIs: Spell = (name) => [name];

export const asPage: ListingForm = {
  head: '{"records":[',
  between: ",",
  after: "",
  tail: (nextCursor) => `],"next_cursor":${JSON.stringify(nextCursor ?? null)}}`,
};

/** The last line tells a complete answer from one that broke off. */
export const asLines: ListingForm = {
  head: "",
  between: "",
  after: "\n",
  tail: (nextCursor, spell) => {
    const end = `{"next_cursor":${JSON.stringify(nextCursor ?? null)}}`;
    return `{${spell("_svc_end")
      .map((key) => `"${key}":${end}`)
      .join(",")}}\n`;
  },
};

/**
 * The answer of GET /records, a part per chunk: stored JSON with the metadata spliced in under each of its keys, never
 * parsed.
 */
export async function* presentRecords(
  chunks: AsyncIterable<RecordChunk>,
  form: ListingForm,
  spell: Spell = asItIs,
): AsyncGenerator<Buffer, undefined, void> {
  const metadataKeys = spell("_svc_metadata");
  let hasRecords = false;
  let head = form.head;
  for await (const { records, nextCursor, isLast } of chunks) {
    if (hasRecords && records.length > 0) head = form.between;
    const tail = isLast ? form.tail(nextCursor, spell) : "";
    yield joinRecords(records, { form, head, tail, metadataKeys });
    hasRecords ||= records.length > 0;
    head = "";
  }
}

/** Records as a page of a list, between a head and a tail. */
export function joinRecords(
  records: readonly ListedRecord[],
  frame: { form: ListingForm; head: string; tail: string; metadataKeys: readonly string[] },
): Buffer {
  const { form, head, tail, metadataKeys } = frame;
  const parts = records.map((record, index) => {
    const between = index < records.length - 1 ? form.between : "";
    const stored = record.line ?? Buffer.from(JSON.stringify({ id: record.row.id }));
    const before = form.before?.(record) ?? "";
    return { before, stored, rest: presentMetadata(record, metadataKeys) + form.after + between };
  });
  const bytes = parts.reduce(
    (sum, { before, stored, rest }) => sum + before.length + stored.byteLength - 1 + rest.length,
    0,
  );
  // Written into one piece: a view of each would be more work for the garbage collector than the bytes are.
  const joined = Buffer.allocUnsafe(head.length + bytes + tail.length);
  let at = joined.write(head, 0, "latin1");
  for (const { before, stored, rest } of parts) {
    if (before !== "") at += joined.write(before, at, "latin1");
    // A stored line is an object with at least an id, so that its closing brace can give way to a comma.
    at += stored.copy(joined, at, 0, stored.byteLength - 1);
    at += joined.write(rest, at, "latin1");
  }
  joined.write(tail, at, "latin1");
  return joined;
}

/** ASCII only, as heads and tails are: cursors, times and keys hold nothing else. */
function presentMetadata(
  { row, cursor, isDamaged }: ListedRecord,
  keys: readonly string[],
): string {
  const action =
    row.deleted !== null ? "DELETED" : row.firstSeen === row.lastModified ? "ADDED" : "UPDATED";
  const metadata =
    `{"first_seen_at":${quoteTime(row.firstSeen)},"last_modified_at":${quoteTime(row.lastModified)},` +
    `"last_action":"${action}","deleted_at":${quoteTime(row.deleted)},` +
    `"pruned_at":${quoteTime(row.pruned)},"cursor":"${cursor}"${isDamaged ? ',"damaged":true' : ""}}`;
  return `${keys.map((key) => `,"${key}":${metadata}`).join("")}}`;
}

const EPOCH_2000_MS = Date.UTC(2000, 0, 1);

/** Records saved together share their times. */
// Process-wide: a text is made of its number alone.
const lastTimes = { micros: Number.NaN, text: "" };

/** ISO 8601 with microseconds and `+00:00`, in quotes. */
function quoteTime(micros: number | null): string {
  if (micros === null) return "null";
  if (micros === lastTimes.micros) return lastTimes.text;
  const ms = Math.floor(micros / 1000);
  const below = String(micros - ms * 1000).padStart(3, "0");
  const text = `"${new Date(EPOCH_2000_MS + ms).toISOString().slice(0, -1)}${below}+00:00"`;
  lastTimes.micros = micros;
  lastTimes.text = text;
  return text;
}
