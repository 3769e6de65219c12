/**
 * Every limit of functions, in one table: what holds unless the operator sets it, and by which setting. The page
 * docs/functions.md shows this table, and a check keeps it in step.
 */
export interface FunctionLimit {
  readonly value: number;
  readonly unit: "bytes" | "ms" | "characters" | "items";
  readonly what: string;
  /** Absent where the limit is part of the contract and stays as it is. */
  readonly setting?: string;
}

const MEBIBYTE = 1024 * 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const functionLimits = {
  actionOutputBytes: {
    value: 10 * MEBIBYTE,
    unit: "bytes",
    what: "Output of an action, as UTF-8 JSON",
    setting: "SVC_ACTION_VALUE_LIMIT",
  },
  actionInputBytes: {
    value: 10 * MEBIBYTE,
    unit: "bytes",
    what: "Input of an action, as UTF-8 JSON",
    setting: "SVC_ACTION_VALUE_LIMIT",
  },
  actionTimeoutMs: {
    value: 15 * MINUTE,
    unit: "ms",
    what: "Run of an action",
    setting: "SVC_ACTION_TIMEOUT",
  },
  syncTimeoutMs: {
    value: 24 * HOUR,
    unit: "ms",
    what: "Run of a sync",
    setting: "SVC_SYNC_TIMEOUT",
  },
  webhookTimeoutMs: {
    value: HOUR,
    unit: "ms",
    what: "Run of a webhook handler",
    setting: "SVC_WEBHOOK_TIMEOUT",
  },
  onEventTimeoutMs: {
    value: 5 * MINUTE,
    unit: "ms",
    what: "Run of an on-event function",
    setting: "SVC_ON_EVENT_TIMEOUT",
  },
  actionStartMs: {
    value: 30 * SECOND,
    unit: "ms",
    what: "Wait of a synchronous action for a process",
  },
  asyncActionWaitMs: {
    value: 24 * HOUR,
    unit: "ms",
    what: "Wait of an asynchronous action for a slot",
  },
  onEventStartMs: {
    value: 30 * SECOND,
    unit: "ms",
    what: "Wait of an on-event function for a process",
  },
  heapBytes: {
    value: 256 * MEBIBYTE,
    unit: "bytes",
    what: "JavaScript heap of a function's process",
    setting: "SVC_FUNCTION_HEAP",
  },
  nestedDepth: { value: 4, unit: "items", what: "Actions that call each other, in a chain" },
  nestedCalls: { value: 32, unit: "items", what: "Actions that one run may wait for at once" },
  requestRetries: { value: 100, unit: "items", what: "`retries` of a call to the provider" },
  requestHeadBytes: {
    value: 256 * 1024,
    unit: "bytes",
    what: "Address, query and headers of a call to the provider or of `fetch`, together",
  },
  requestAddress: {
    value: 64 * 1024,
    unit: "characters",
    what: "`endpoint` of a call to the provider; a value of its query",
  },
  requestQuery: { value: 1000, unit: "items", what: "Query parameters of a call to the provider" },
  requestHeaders: { value: 200, unit: "items", what: "Headers of a call" },
  requestHeader: { value: 16 * 1024, unit: "characters", what: "Value of a header of a call" },
  requestStatuses: { value: 100, unit: "items", what: "`retryOn` of a call to the provider" },
  redirects: { value: 5, unit: "items", what: "Redirects that are followed" },
  egressHosts: { value: 50, unit: "items", what: "Hosts in a function's `egress`" },
  recordsPerCall: {
    value: 1000,
    unit: "items",
    what: "Records of one write to the store; longer lists are cut into such writes",
  },
  deletedKeys: {
    value: 100_000,
    unit: "items",
    what: "`deletedKeys` that delete tracking hands back; deleted are all",
  },
  errorMessage: { value: 10_000, unit: "characters", what: "Message of an error; the rest is cut" },
  errorStack: { value: 20_000, unit: "characters", what: "Stack of an error; the rest is cut" },
  recordDepth: {
    value: 1000,
    unit: "items",
    what: "Objects and arrays inside each other, in a record or an action's input and output",
  },
  recordId: { value: 255, unit: "characters", what: "Id of a record" },
  driftFields: {
    value: 200,
    unit: "items",
    what: "Fields of a model that its drift report follows",
  },
  driftDepth: {
    value: 5,
    unit: "items",
    what: "Objects and lists inside each other that the drift report looks into",
  },
  driftPointer: {
    value: 128,
    unit: "characters",
    what: "Place of a field in a record that the drift report follows",
  },
  driftSamples: {
    value: 200,
    unit: "items",
    what: "Records of one `batchSave` that the drift report looks at: one of fifty, and at least 20",
  },
  quarantinePointer: {
    value: 255,
    unit: "characters",
    what: "Place in a record that does not match its schema, as the quarantine shows it",
  },
  quarantineReasons: {
    value: 50,
    unit: "items",
    what: "Reasons why records of a model are quarantined; all others are counted as one",
  },
  quarantineSamples: {
    value: 100,
    unit: "items",
    what: "Samples that one write to the quarantine brings",
  },
  quarantineSampleBytes: {
    value: 16 * 1024,
    unit: "bytes",
    what: "A quarantined record that is stored as a sample; larger ones are only counted",
  },
  progressMessage: { value: 500, unit: "characters", what: "Message of `reportProgress`" },
  questionMessage: { value: 2000, unit: "characters", what: "Message of `elicit`" },
  questionFields: { value: 20, unit: "items", what: "Fields of an answer to `elicit`" },
  questionsPerRun: { value: 10, unit: "items", what: "Questions of one call by `elicit`" },
  checkpointFields: { value: 16, unit: "items", what: "Fields of a checkpoint" },
  checkpointName: { value: 255, unit: "characters", what: "Name of a checkpoint's field" },
  checkpointText: { value: 4000, unit: "characters", what: "Text in a checkpoint" },
  lockKey: { value: 255, unit: "characters", what: "Key of a lock" },
  lockTtlMs: { value: 24 * HOUR, unit: "ms", what: "`ttlMs` of a lock" },
  logMessage: { value: 10_000, unit: "characters", what: "Message of a log line; the rest is cut" },
  logMetaBytes: { value: 99_000, unit: "bytes", what: "Meta of a log line; the rest is cut" },
  errorPayloadBytes: {
    value: 99_000,
    unit: "bytes",
    what: "Payload of an ActionError; the rest is cut",
  },
  metadataBytes: {
    value: 64 * 1024,
    unit: "bytes",
    what: "Metadata of one `setMetadata` or `updateMetadata`, as JSON",
  },
  connectionCacheMs: { value: MINUTE, unit: "ms", what: "How long `getConnection` remembers" },
  integrationCacheMs: {
    value: 10 * MINUTE,
    unit: "ms",
    what: "How long `getIntegration` remembers",
  },
} as const satisfies Readonly<Record<string, FunctionLimit>>;
