import type { ListedRecord, RecordPage } from "./list-records.ts";

const FIRST = Buffer.from('{"records":[');
const COMMA = Buffer.from(",");

/** The body of GET /records: stored JSON with the metadata spliced in under each key, never parsed. */
export function presentRecords(
  { records, nextCursor }: RecordPage,
  metadataKeys: readonly string[] = ["_svc_metadata"],
): Buffer {
  const parts: Uint8Array[] = [FIRST];
  for (const record of records) {
    if (parts.length > 1) parts.push(COMMA);
    const { head, tail } = presentRecord(record, metadataKeys);
    parts.push(head, Buffer.from(tail));
  }
  parts.push(Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor ?? null)}}`));
  return Buffer.concat(parts);
}

/** A stored line is an object with at least an id, so that its closing brace can give way to a comma. */
function presentRecord(
  { row, line, cursor }: ListedRecord,
  metadataKeys: readonly string[],
): { head: Uint8Array; tail: string } {
  const metadata = JSON.stringify({
    first_seen_at: row.firstSeenAt,
    last_modified_at: row.lastModifiedAt,
    last_action: row.action,
    deleted_at: row.deletedAt,
    pruned_at: row.prunedAt,
    cursor,
  });
  const stored = line ?? Buffer.from(JSON.stringify({ id: row.id }));
  return {
    head: stored.subarray(0, stored.byteLength - 1),
    tail: `${metadataKeys.map((key) => `,"${key}":${metadata}`).join("")}}`,
  };
}
