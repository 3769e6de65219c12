import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type ChangeRow, MICROSECONDS_TO_2000 } from "./change-row.ts";

const compress = promisify(gzip);

/** One JSON object in each line, gzipped. */
export async function writeNdjson(rows: readonly ChangeRow[]): Promise<Uint8Array> {
  return await compress(rows.map((row) => `${toLine(row)}\n`).join(""));
}

function toLine(row: ChangeRow): string {
  const { type, position, source, integration, connectionId, model, variant } = row;
  const common = { type, position, source };
  const named = { integration, connection_id: connectionId, model, variant };
  if (row.type === "removed") return JSON.stringify({ ...common, ...named });
  const fields = JSON.stringify({
    ...{ ...common, id: row.id, sequence: row.sequence, ...named },
    first_seen_at: timeOf(row.firstSeen),
    changed_at: timeOf(row.changed),
    deleted_at: row.deleted === null ? null : timeOf(row.deleted),
    pruned_at: row.pruned === null ? null : timeOf(row.pruned),
  });
  // JSON has line breaks between its values only, where a space says the same.
  return `${fields.slice(0, -1)},"data":${row.data?.replaceAll(/[\r\n]/g, " ") ?? "null"}}`;
}

/** ISO 8601 with microseconds. */
function timeOf(micros: number): string {
  const all = micros + MICROSECONDS_TO_2000;
  const rest = ((all % 1000) + 1000) % 1000;
  const iso = new Date((all - rest) / 1000).toISOString();
  return `${iso.slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}
