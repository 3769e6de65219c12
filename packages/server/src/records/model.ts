import type { ConnectionUuid } from "#foundation";

/** How many records one write added, changed, left as they were, and deleted. */
export interface RecordChanges {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Absent for none. */
  readonly quarantined?: number;
}

/** Name under which the records of a variant are kept. */
export function storedModel(model: string, variant: string): string {
  return variant === "base" ? model : `${model}::${variant}`;
}

/** Whether `stored` holds the model's records, of any variant. */
export function isStoredAs(model: string, stored: string): boolean {
  return stored === model || stored.startsWith(`${model}::`);
}

/** A payload opens only as the record that it was saved as: its place ends in the record's id. */
export function payloadAad(connection: ConnectionUuid, model: string, id = "") {
  return { table: "records", column: "payload", row: `${connection}/${model}/${id}` };
}

/** A sample of the quarantine opens only as the record that it was taken of. */
export function sampleAad(connection: ConnectionUuid, model: string) {
  return { table: "record_quarantine_samples", column: "payload", row: `${connection}/${model}/` };
}
