import * as z from "zod";
import { HostFailure } from "./host-failure.ts";

/** One call of a function on its host; `body` as the runtime contract says for the method. */
export interface HostCall {
  readonly method: string;
  readonly params: unknown;
  readonly body: Uint8Array;
}

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly meta?: Record<string, unknown> | undefined;
}

/** What a run would have changed on the server. */
export interface LocalState {
  readonly records: Map<string, ModelState>;
  checkpoint: Record<string, unknown> | null;
  isCheckpointTouched: boolean;
  /** In place of the connection's own metadata; undefined leaves that. */
  metadata: Record<string, unknown> | undefined;
  /** Laid over it. */
  metadataPatch: Record<string, unknown> | undefined;
  readonly locks: Set<string>;
  readonly logs: LogLine[];
  /** What a dry run does not do, reported once each. */
  readonly notes: Set<string>;
}

export interface ModelState {
  readonly saved: Map<string, Record<string, unknown>>;
  readonly updated: Map<string, Record<string, unknown>>;
  readonly deleted: Set<string>;
}

interface Place {
  readonly state: LocalState;
  readonly onLog: ((line: LogLine) => void) | undefined;
}

type LocalMethod = (place: Place, call: HostCall) => unknown;

const jsonObject = z.record(z.string(), z.unknown());
const modelRef = z.looseObject({ model: z.string() });
const batch = z.looseObject({ model: z.string(), ids: z.array(z.string()) });
const logLine = z.looseObject({
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
  meta: jsonObject.optional(),
});
const metadataChange = z.looseObject({ mode: z.enum(["replace", "merge"]), metadata: jsonObject });
const checkpointChange = z.looseObject({ checkpoint: jsonObject });
const lock = z.looseObject({ key: z.string() });

/** Order numbers are the server's; here nothing has one. */
const NO_RANGE = [0, 0];

/** The calls of the runtime contract that need nothing but memory; the others are forwarded. */
export const localMethods: Readonly<Record<string, LocalMethod>> = {
  log: ({ state, onLog }, { params }) => {
    const { level, message, meta } = logLine.parse(params);
    const line = { level, message, ...(meta !== undefined && { meta }) };
    state.logs.push(line);
    onLog?.(line);
  },

  batchSave: ({ state }, call) => {
    const { model, records } = readBatch(call);
    const { saved, deleted } = modelOf(state, model);
    const known = records.filter(([id]) => saved.has(id)).length;
    for (const [id, record] of records) {
      saved.set(id, record);
      deleted.delete(id);
    }
    const range = [0, 0];
    return { added: records.length - known, updated: known, unchanged: 0, range };
  },
  batchUpdate: ({ state }, call) => {
    const { model, records } = readBatch(call);
    const { updated } = modelOf(state, model);
    for (const [id, record] of records) updated.set(id, record);
    return { updated: records.length, unchanged: 0, range: [0, 0], conflicts: [] };
  },
  batchDelete: ({ state }, { params }) => {
    const { model, ids } = batch.parse(params);
    const { saved, deleted } = modelOf(state, model);
    for (const id of ids) {
      saved.delete(id);
      deleted.add(id);
    }
    return { deleted: ids.length, range: [0, 0] };
  },
  quarantineRecords: (_, { params }) => ({ quarantined: batch.parse(params).ids.length }),
  getRecordSequence: () => 0,
  trackDeletesStart: ({ state }) => {
    state.notes.add(
      "deletes are not tracked here: only the server knows what a sync no longer finds",
    );
  },
  trackDeletesEnd: (_, { params }) => {
    modelRef.parse(params);
    return { deleted: 0, range: NO_RANGE };
  },
  listDeletedKeys: () => ({ ids: [] }),

  setMetadata: ({ state }, { params }) => {
    const { mode, metadata } = metadataChange.parse(params);
    if (mode === "replace") state.metadata = metadata;
    state.metadataPatch = mode === "replace" ? {} : { ...state.metadataPatch, ...metadata };
  },

  getCheckpoint: ({ state }) => state.checkpoint,
  saveCheckpoint: ({ state }, { params }) => {
    state.checkpoint = checkpointChange.parse(params).checkpoint;
    state.isCheckpointTouched = true;
  },
  clearCheckpoint: ({ state }) => {
    state.checkpoint = null;
    state.isCheckpointTouched = true;
  },

  tryAcquireLock: ({ state }, { params }) => {
    state.locks.add(lock.parse(params).key);
    return true;
  },
  releaseLock: ({ state }, { params }) => state.locks.delete(lock.parse(params).key),
  releaseAllLocks: ({ state }) => state.locks.clear(),

  reportProgress: () => null,
  elicit: () => {
    throw new HostFailure({
      type: "elicitation_unavailable",
      message: "Nobody can be asked: no agent has called the action.",
    });
  },

  triggerSync: ({ state }) => {
    state.notes.add("triggerSync did nothing: it is not done from here");
  },
  startSync: ({ state }) => {
    state.notes.add("startSync did nothing: it is not done from here");
  },
};

function modelOf(state: LocalState, model: string): ModelState {
  const known = state.records.get(model);
  if (known !== undefined) return known;
  const created: ModelState = { saved: new Map(), updated: new Map(), deleted: new Set() };
  state.records.set(model, created);
  return created;
}

/** The body holds a line of JSON for each id. */
function readBatch({ params, body }: HostCall): {
  model: string;
  records: [string, Record<string, unknown>][];
} {
  const { model, ids } = batch.parse(params);
  const text = new TextDecoder().decode(body);
  const lines = text === "" ? [] : text.split("\n");
  if (lines.length !== ids.length) {
    throw new HostFailure({
      type: "server_error",
      message: `${ids.length} ids came with ${lines.length} records`,
    });
  }
  return {
    model,
    records: ids.map((id, index) => [id, jsonObject.parse(JSON.parse(lines[index] ?? "null"))]),
  };
}
