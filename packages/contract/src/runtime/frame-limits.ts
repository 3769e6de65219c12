import { functionLimits } from "../functions/function-limits.ts";
import { FRAME_LIMITS } from "./frames.ts";
import type { FromChild, RuntimeMethod } from "./runtime.ts";
import type { ScriptMethod } from "./script.ts";
import { scriptLimits } from "./script-limits.ts";
import { tapeMomentLimits } from "./tape-moments.ts";

/** What one message of a function's process may hold. */
interface MessageLimits {
  readonly headBytes: number;
  /** Objects, arrays, members and items of the head, its own included. */
  readonly values: number;
  readonly bodyBytes: number;
}

/** Ids, names and punctuation around what a call sends. */
const ENVELOPE_BYTES = 4 * 1024;
const ENVELOPE_VALUES = 40;
const NUMBER_BYTES = 25;
const MAX_RANGES = 1000;
/** Fields of a question, as JSON Schema. */
const QUESTION_BYTES = 32 * 1024;

/** The longest JSON form of so many characters: each of them escaped. */
function textBytes(characters: number): number {
  return 6 * characters + 3;
}

const small: MessageLimits = {
  headBytes: ENVELOPE_BYTES + 4 * textBytes(255),
  values: ENVELOPE_VALUES,
  bodyBytes: 0,
};

const recordIds = functionLimits.recordsPerCall.value;

/** Ids, two values for each of them, and the ranges of the run's own changes. */
const records: MessageLimits = {
  headBytes:
    ENVELOPE_BYTES +
    recordIds * (textBytes(functionLimits.recordId.value) + 2 * NUMBER_BYTES) +
    MAX_RANGES * 2 * (NUMBER_BYTES + 2),
  values: ENVELOPE_VALUES + 3 * recordIds + 3 * MAX_RANGES,
  bodyBytes: FRAME_LIMITS.bodyBytes,
};

const { driftFields, driftPointer, quarantineReasons, quarantineSamples, quarantinePointer } =
  functionLimits;
const driftRows = 2 * driftFields.value;

/** With which fields some of the records have. */
const saved: MessageLimits = {
  headBytes:
    records.headBytes +
    driftRows * (textBytes(driftPointer.value) + textBytes(20) + NUMBER_BYTES + 30),
  values: records.values + 5 * driftRows,
  bodyBytes: records.bodyBytes,
};

/** Ids, each with its reason, the reasons, and the ids of samples. */
const quarantined: MessageLimits = {
  headBytes:
    ENVELOPE_BYTES +
    (recordIds + quarantineSamples.value) * textBytes(functionLimits.recordId.value) +
    recordIds * NUMBER_BYTES +
    quarantineReasons.value * (textBytes(quarantinePointer.value) + textBytes(200)),
  values: ENVELOPE_VALUES + 2 * recordIds + quarantineSamples.value + 5 * quarantineReasons.value,
  bodyBytes: quarantineSamples.value * (functionLimits.quarantineSampleBytes.value + 1),
};

const question: MessageLimits = {
  headBytes: ENVELOPE_BYTES + textBytes(functionLimits.questionMessage.value) + QUESTION_BYTES,
  values: ENVELOPE_VALUES + QUESTION_BYTES / 2,
  bodyBytes: 0,
};

const request: MessageLimits = {
  headBytes: ENVELOPE_BYTES + functionLimits.requestHeadBytes.value,
  values:
    ENVELOPE_VALUES +
    3 * functionLimits.requestQuery.value +
    3 * functionLimits.requestHeaders.value +
    functionLimits.requestStatuses.value,
  bodyBytes: FRAME_LIMITS.bodyBytes,
};

/** JSON of so many bytes that the author chose. */
function freeForm(bytes: number): MessageLimits {
  // `[[],[]]`: a value takes three bytes at least, or two where it is a digit.
  return {
    headBytes: ENVELOPE_BYTES + bytes,
    values: ENVELOPE_VALUES + bytes / 2,
    bodyBytes: 0,
  };
}

const readsAtOnce = tapeMomentLimits.atOnce * tapeMomentLimits.readsOfMoment;

const moments: MessageLimits = {
  headBytes:
    ENVELOPE_BYTES +
    tapeMomentLimits.atOnce * (textBytes(110) + NUMBER_BYTES) +
    readsAtOnce * NUMBER_BYTES,
  values: ENVELOPE_VALUES + 4 * tapeMomentLimits.atOnce + readsAtOnce,
  bodyBytes: 0,
};

const logLine = freeForm(
  functionLimits.logMetaBytes.value + textBytes(functionLimits.logMessage.value),
);

const methodLimits: Readonly<Record<RuntimeMethod | ScriptMethod, MessageLimits>> = {
  callTool: { ...small, bodyBytes: scriptLimits.inputBytes },
  log: { ...logLine, values: ENVELOPE_VALUES + functionLimits.logMetaBytes.value / 2 },
  proxy: request,
  fetch: request,
  getIntegration: small,
  getPagination: small,
  triggerAction: { ...small, bodyBytes: FRAME_LIMITS.bodyBytes },
  reportProgress: {
    ...small,
    headBytes: ENVELOPE_BYTES + textBytes(functionLimits.progressMessage.value),
  },
  elicit: question,
  triggerSync: small,
  startSync: {
    headBytes: ENVELOPE_BYTES + 256 * (2 * textBytes(255) + 30),
    values: ENVELOPE_VALUES + 3 * 256,
    bodyBytes: 0,
  },
  tryAcquireLock: small,
  releaseLock: small,
  releaseAllLocks: small,
  getConnection: small,
  setMetadata: freeForm(functionLimits.metadataBytes.value),
  getEnvironmentVariables: small,
  batchSave: saved,
  quarantineRecords: quarantined,
  batchDelete: { ...records, bodyBytes: 0 },
  batchUpdate: records,
  getRecords: {
    headBytes: ENVELOPE_BYTES + 101 * textBytes(functionLimits.recordId.value),
    values: ENVELOPE_VALUES + 100,
    bodyBytes: 0,
  },
  listRecords: { ...small, headBytes: ENVELOPE_BYTES + textBytes(1255) },
  getRecordSequence: small,
  trackDeletesStart: small,
  trackDeletesEnd: small,
  listDeletedKeys: small,
  getCheckpoint: small,
  saveCheckpoint: {
    headBytes:
      ENVELOPE_BYTES +
      functionLimits.checkpointFields.value *
        (textBytes(functionLimits.checkpointName.value) +
          textBytes(functionLimits.checkpointText.value)),
    values: ENVELOPE_VALUES + 2 * functionLimits.checkpointFields.value,
    bodyBytes: 0,
  },
  clearCheckpoint: small,
  noteMoments: moments,
};

/** Message, stack and code of a failure, and its payload twice: for callers, and as the provider's body. */
const failure: MessageLimits = {
  headBytes:
    ENVELOPE_BYTES + 2 * functionLimits.errorPayloadBytes.value + 3 * textBytes(10_000 + 1000),
  values: ENVELOPE_VALUES + functionLimits.errorPayloadBytes.value,
  bodyBytes: 0,
};

const operationLimits: Readonly<Record<Exclude<FromChild["op"], "call">, MessageLimits>> = {
  ready: small,
  loaded: small,
  "load-failed": failure,
  done: { ...small, bodyBytes: FRAME_LIMITS.bodyBytes },
  failed: failure,
  cleaned: small,
  unclean: small,
  pong: small,
};

/** The largest of all: what the first look at a message may let pass, before its kind is known. */
export const LARGEST_MESSAGE: MessageLimits = [
  ...Object.values(methodLimits),
  ...Object.values(operationLimits),
].reduce((a, b) => ({
  headBytes: Math.max(a.headBytes, b.headBytes),
  values: Math.max(a.values, b.values),
  bodyBytes: Math.max(a.bodyBytes, b.bodyBytes),
}));

/** Without a prototype and not a Map: in a function's process its methods may have been replaced. */
const byName: Readonly<Record<string, MessageLimits>> = Object.assign(
  Object.create(null),
  operationLimits,
  Object.fromEntries(
    Object.entries(methodLimits).map(([method, limits]) => [`call ${method}`, limits]),
  ),
);

/** Of a message by its `op`, and a call's `method`; those of a small one where it is unknown. */
export function limitsOfMessage(op: unknown, method?: unknown): MessageLimits {
  if (typeof op !== "string") return small;
  return byName[op === "call" && typeof method === "string" ? `call ${method}` : op] ?? small;
}
