import { type ConnectionUuid, defineHook, type RunId } from "#foundation";
import type { RecordChanges } from "./model.ts";

/** The run that writes; `fence` is the number of its attempt. */
export interface RecordWriter {
  readonly runId: RunId;
  readonly fence: number;
}

export interface RecordsChanged {
  readonly writer: RecordWriter;
  readonly connection: ConnectionUuid;
  readonly model: string;
  readonly changes: RecordChanges;
}

/** Runs in the transaction that writes; a handler that throws undoes the write (a run that lost its lease). */
export const recordsChanged = defineHook<RecordsChanged>("records.recordsChanged");
