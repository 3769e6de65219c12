import * as z from "zod";

/**
 * The calls that a running function may make to the server, and the messages around them.
 * Every message travels in one frame (see frames.ts): the head is described here, `body` notes what the bytes are.
 */

export const functionKinds = ["sync", "webhook", "action", "on-event"] as const;
export type FunctionKind = (typeof functionKinds)[number];

const validationMode = z.enum(["off", "warn", "fail"]);

/** What a run is told about itself; nothing in it is secret. */
export const runFacts = z.object({
  kind: z.enum(functionKinds),
  functionName: z.string(),
  environmentName: z.string(),
  environmentId: z.string(),
  connectionId: z.string(),
  providerConfigKey: z.string(),
  provider: z.string(),
  variant: z.string(),
  /** Start of the last successful run, ISO 8601; absent on the first run or after a reset. */
  lastSyncDate: z.string().optional(),
  operationId: z.string(),
  loggerLevel: z.enum(["debug", "info", "warn", "error", "off"]),
  validation: z.object({
    input: validationMode,
    output: validationMode,
    records: validationMode,
    metadata: validationMode,
    checkpoint: validationMode,
  }),
  /** Milliseconds after the start at which saveCheckpoint asks the run to pause. */
  softTimeoutMs: z.number().optional(),
  outputLimitBytes: z.number(),
});
export type RunFacts = z.infer<typeof runFacts>;

/** How a run or a call failed. `type` is a code of functions-contract A.5, or an error code of the API. */
export const runError = z.object({
  type: z.string(),
  message: z.string(),
  payload: z.unknown().optional(),
  upstream: z
    .object({ status: z.number(), headers: z.record(z.string(), z.string()), body: z.unknown() })
    .optional(),
  /** Stack with positions in the bundle; the server maps them to the author's source. */
  stack: z.string().optional(),
});
export type RunError = z.infer<typeof runError>;

/** Messages from the server to a child. */
export const toChild = z.discriminatedUnion("op", [
  /** body: bundle as CommonJS text. */
  z.object({ op: z.literal("load"), filename: z.string() }),
  /** body: input as JSON, empty for none. */
  z.object({ op: z.literal("run"), runId: z.string(), facts: runFacts }),
  /** body: as the method's result says. */
  z.object({ op: z.literal("result"), callId: z.string(), value: z.unknown() }),
  z.object({ op: z.literal("failure"), callId: z.string(), error: runError }),
  z.object({ op: z.literal("cancel"), runId: z.string() }),
]);
export type ToChild = z.infer<typeof toChild>;

/** Messages from a child to the server; each is checked, for the function may forge them. */
export const fromChild = z.discriminatedUnion("op", [
  z.object({ op: z.literal("ready") }),
  z.object({ op: z.literal("loaded") }),
  z.object({ op: z.literal("load-failed"), error: runError }),
  /** body: as the method's input says. */
  z.object({
    op: z.literal("call"),
    runId: z.string(),
    callId: z.string(),
    method: z.string(),
    params: z.unknown(),
  }),
  /** body: output as JSON, empty for undefined. `interrupted`: paused at a checkpoint past the soft limit. */
  z.object({ op: z.literal("done"), runId: z.string(), interrupted: z.boolean().optional() }),
  z.object({ op: z.literal("failed"), runId: z.string(), error: runError }),
]);
export type FromChild = z.infer<typeof fromChild>;

const model = z.string().min(1).max(255);
const recordIds = z.array(z.string().min(1).max(255)).max(1000);
const jsonObject = z.record(z.string(), z.unknown());
const connectionRef = z.object({
  providerConfigKey: z.string().optional(),
  connectionId: z.string().optional(),
});

interface RuntimeMethodDefinition {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}

function defineMethod<const M extends RuntimeMethodDefinition>(method: M): M {
  return method;
}

export const runtimeMethods = {
  log: defineMethod({
    params: z.object({
      level: z.enum(["debug", "info", "warn", "error"]),
      message: z.string().max(10_000),
      meta: jsonObject.optional(),
    }),
    result: z.null(),
  }),
  /**
   * One HTTP call with the connection's credentials. body in: request body; body out: response body.
   * Any status is a result. An unreachable provider is a failure `upstream_*` or `script_network_error`; its
   * payload may hold `code` (ECONNREFUSED and the like), which the function sees as the error's `code`.
   */
  proxy: defineMethod({
    params: connectionRef.extend({
      method: z.string(),
      endpoint: z.string(),
      /** Query to set on the endpoint, in order; a name given replaces the endpoint's own. */
      query: z.array(z.tuple([z.string(), z.string()])),
      headers: z.record(z.string(), z.string()),
      hasBody: z.boolean(),
      baseUrlOverride: z.string().optional(),
      retries: z.number().int().min(0).max(10),
      retryOn: z.array(z.number().int()),
      decompress: z.boolean(),
    }),
    result: z.object({
      status: z.number(),
      statusText: z.string(),
      headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    }),
  }),
  /** result: the body of GET /connections/{id} with credentials. */
  getConnection: defineMethod({
    params: connectionRef.extend({ forceRefresh: z.boolean(), refreshToken: z.boolean() }),
    result: jsonObject,
  }),
  setMetadata: defineMethod({
    params: z.object({ mode: z.enum(["replace", "merge"]), metadata: jsonObject }),
    result: z.null(),
  }),
  getEnvironmentVariables: defineMethod({
    params: z.object({}),
    result: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
  /** body in: one line of canonical JSON (RFC 8785) per record, in the order of `ids`, joined by "\n", none at the end. */
  batchSave: defineMethod({
    params: z.object({ model, ids: recordIds }),
    result: z.object({
      added: z.number(),
      updated: z.number(),
      unchanged: z.number(),
    }),
  }),
  batchDelete: defineMethod({
    params: z.object({ model, ids: recordIds }),
    result: z.object({ deleted: z.number() }),
  }),
  getCheckpoint: defineMethod({ params: z.object({}), result: jsonObject.nullable() }),
  saveCheckpoint: defineMethod({
    params: z.object({
      checkpoint: z.record(
        z.string().min(1).max(255),
        z.union([z.string().max(4000), z.number(), z.boolean()]),
      ),
    }),
    result: z.null(),
  }),
  clearCheckpoint: defineMethod({ params: z.object({}), result: z.null() }),
} as const;

export type RuntimeMethod = keyof typeof runtimeMethods;
export type RuntimeParams<M extends RuntimeMethod> = z.infer<(typeof runtimeMethods)[M]["params"]>;
export type RuntimeResult<M extends RuntimeMethod> = z.infer<(typeof runtimeMethods)[M]["result"]>;
