import * as z from "zod";
import { freeObject, freeValue, listOf, tableOf } from "../bounded.ts";
import { functionLimits } from "../functions/function-limits.ts";
import { quarantineReasons } from "./quarantine-reasons.ts";
import { answer, question } from "./questions.ts";
import { recordFields } from "./record-fields.ts";
import { runFacts, tapeMoment } from "./run-facts.ts";
import { scriptFacts } from "./script.ts";
import { tapeMomentLimits } from "./tape-moments.ts";

/**
 * The calls that a running function may make to the server, and the messages around them.
 * Every message travels in one frame (see frames.ts): the head is described here, `body` notes what the bytes are.
 */

export {
  type FunctionKind,
  functionKinds,
  type RunFacts,
  runFacts,
  tapeMoment,
} from "./run-facts.ts";

const shortText = z.string().max(255);
const messageId = z.string().max(100);

/** How a run or a call failed. `type` is a code of `docs/functions.md`, or an error code of the API. */
export const runError = z.object({
  type: shortText,
  message: z.string().max(functionLimits.errorMessage.value),
  /** Status with which the API tells the same failure of a call. */
  status: z.number().int().optional(),
  payload: freeValue.optional(),
  /** When what failed is tried again by itself; the server alone says so. */
  retryAt: z.iso.datetime().max(100).optional(),
  upstream: z
    .object({
      status: z.number(),
      headers: tableOf(z.string().max(1000), { max: 50, nameLength: 255 }),
      body: freeValue,
    })
    .optional(),
  /** Stack with positions in the bundle; the server maps them to the author's source. */
  stack: z.string().max(functionLimits.errorStack.value).optional(),
});
export type RunError = z.infer<typeof runError>;

/** Messages from the server to a child. */
export const toChild = z.discriminatedUnion("op", [
  /** body: bundle as CommonJS text, or script. */
  z.object({ op: z.literal("load"), filename: z.string() }),
  /** body: input as JSON, empty for none. */
  z.object({ op: z.literal("run"), runId: z.string(), facts: runFacts }),
  z.object({ op: z.literal("script"), runId: z.string(), facts: scriptFacts }),
  /** body: as the method's result says. */
  z.object({
    op: z.literal("result"),
    callId: z.string(),
    value: z.unknown(),
    /** Of a run that is played: the moment of its tape at which the answer came. */
    moment: z.string().optional(),
  }),
  z.object({
    op: z.literal("failure"),
    callId: z.string(),
    error: runError,
    moment: z.string().optional(),
  }),
  z.object({ op: z.literal("cancel"), runId: z.string() }),
  /** The next run is another connection's; sent while nothing runs. */
  z.object({ op: z.literal("clean") }),
  z.object({ op: z.literal("ping") }),
]);
export type ToChild = z.infer<typeof toChild>;

/**
 * What of a connection's runs cannot be taken back, so that the process has to be replaced: a changed object, work that
 * continues outside of JavaScript, a feature or a global that keeps what nobody can see, or a module that does not load
 * twice.
 */
export const uncleanReasons = ["object", "work", "feature", "global", "module"] as const;
export type UncleanReason = (typeof uncleanReasons)[number];

/**
 * Messages from a child to the server; each is checked, for the function may forge them. `frame-limits.ts` says how
 * large each may be.
 */
export const fromChild = z.discriminatedUnion("op", [
  z.object({ op: z.literal("ready") }),
  z.object({ op: z.literal("loaded") }),
  z.object({ op: z.literal("load-failed"), error: runError }),
  /** body: as the method's input says. */
  z.object({
    op: z.literal("call"),
    runId: messageId,
    callId: messageId,
    method: messageId,
    params: freeValue,
  }),
  /** body: output as JSON, empty for undefined. `interrupted`: paused at a checkpoint past the soft limit. */
  z.object({ op: z.literal("done"), runId: messageId, interrupted: z.boolean().optional() }),
  z.object({ op: z.literal("failed"), runId: messageId, error: runError }),
  /** After `clean`: nothing of the connection before is left. */
  z.object({ op: z.literal("cleaned") }),
  /** After `clean`: the process has to be replaced. */
  z.object({ op: z.literal("unclean"), reason: z.enum(uncleanReasons) }),
  z.object({ op: z.literal("pong") }),
]);
export type FromChild = z.infer<typeof fromChild>;

const model = z.string().min(1).max(255);
const MAX_RECORDS = functionLimits.recordsPerCall.value;
const recordId = z.string().min(1).max(functionLimits.recordId.value);
const recordIds = listOf(recordId, MAX_RECORDS);
/** Place in the order of a model's changes. */
const sequence = z.number().int().min(0);
/** Above the first, up to the second; the same for none. */
const sequenceRange = z.tuple([sequence, sequence]);
/** Leaves alone what changed after an order number, unless this run changed it (the ranges in `own`). */
const recordMerging = z.object({ after: sequence, own: listOf(sequenceRange, 1000) });
const connectionRef = z.object({
  providerConfigKey: shortText.optional(),
  connectionId: shortText.optional(),
});

const headerName = z.string().min(1).max(255);
const headerValue = z.string().max(functionLimits.requestHeader.value);
const address = z.string().max(functionLimits.requestAddress.value);
const syncName = z.object({
  name: z.string().min(1).max(255),
  variant: z.string().min(1).max(255),
});
const lockKey = z.string().min(1).max(functionLimits.lockKey.value);

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
      message: z.string().max(functionLimits.logMessage.value),
      meta: freeObject.optional(),
      /** The line warns of a value that does not match the author's schema; of records their model. */
      mismatch: z
        .object({
          what: z.enum(["input", "output", "records", "metadata", "checkpoint"]),
          model: shortText.optional(),
        })
        .optional(),
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
      method: z.string().max(20),
      endpoint: address,
      /** Query to set on the endpoint, in order; a name given replaces the endpoint's own. */
      query: listOf(z.tuple([address, address]), functionLimits.requestQuery.value),
      headers: tableOf(headerValue, { max: functionLimits.requestHeaders.value, nameLength: 255 }),
      hasBody: z.boolean(),
      baseUrlOverride: address.optional(),
      retries: z.number().int().min(0).max(functionLimits.requestRetries.value),
      retryOn: listOf(z.number().int(), functionLimits.requestStatuses.value),
      /** Headers that tell how long to wait before a retry, instead of the provider's own. */
      retryHeader: z
        .object({
          at: headerName.optional(),
          after: headerName.optional(),
          remaining: headerName.optional(),
        })
        .optional(),
      decompress: z.boolean(),
      /** Whether a redirect to another origin gets the caller's own headers; credentials it never gets. */
      forwardHeadersOnRedirect: z.boolean().optional(),
    }),
    result: z.object({
      status: z.number(),
      statusText: z.string(),
      headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    }),
  }),
  /**
   * One HTTP call without credentials, to any address that the egress policy allows; redirects are followed up to 5
   * times unless `redirect` says otherwise. body in: request body; body out: response body.
   */
  fetch: defineMethod({
    params: z.object({
      method: z.string().regex(/^[A-Z]{1,20}$/),
      url: z.string().max(16_384),
      headers: listOf(z.tuple([headerName, headerValue]), functionLimits.requestHeaders.value),
      hasBody: z.boolean(),
      redirect: z.enum(["follow", "manual", "error"]),
    }),
    result: z.object({
      status: z.number(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      /** Address that answered. */
      url: z.string(),
      redirected: z.boolean(),
    }),
  }),
  /** result: the body of GET /integrations/{key} for the run's own integration. */
  getIntegration: defineMethod({
    params: z.object({ include: listOf(z.enum(["webhook", "credentials"]), 2) }),
    result: freeObject,
  }),
  /** How the provider of an integration of the environment pages its lists; null where its entry does not say. */
  getPagination: defineMethod({
    params: z.object({ providerConfigKey: z.string().min(1).max(255) }),
    result: z.record(z.string(), z.union([z.string(), z.number()])).nullable(),
  }),
  /** body in: input as JSON, empty for none; body out: output as JSON. */
  triggerAction: defineMethod({
    params: z.object({
      providerConfigKey: z.string().min(1).max(255),
      connectionId: z.string().min(1).max(255),
      actionName: z.string().min(1).max(255),
    }),
    result: z.null(),
  }),
  /** How far the run is, for a caller that asked to know; nothing happens where none did. */
  reportProgress: defineMethod({
    params: z.object({
      progress: z.number().min(0),
      total: z.number().min(0).optional(),
      message: z.string().max(functionLimits.progressMessage.value).optional(),
    }),
    result: z.null(),
  }),
  /**
   * Asks the user of the agent that called the action. A failure `input_required` while nobody has answered: the
   * server asks, and runs the action again with the answer. `elicitation_unavailable` where nobody can be asked,
   * `elicitation_too_late` after a change.
   */
  elicit: defineMethod({
    params: question,
    result: answer,
  }),
  triggerSync: defineMethod({
    params: z.object({
      providerConfigKey: z.string().min(1).max(255),
      connectionId: z.string().min(1).max(255).optional(),
      sync: syncName,
      reset: z.boolean(),
      emptyCache: z.boolean(),
    }),
    result: z.null(),
  }),
  startSync: defineMethod({
    params: z.object({
      providerConfigKey: z.string().min(1).max(255),
      connectionId: z.string().min(1).max(255).optional(),
      syncs: listOf(syncName, 256),
    }),
    result: z.null(),
  }),
  /** Locks of the environment; the run that holds one may take it again, and all end with the run. */
  tryAcquireLock: defineMethod({
    params: z.object({
      key: lockKey,
      ttlMs: z.number().int().min(1).max(functionLimits.lockTtlMs.value),
    }),
    result: z.boolean(),
  }),
  releaseLock: defineMethod({ params: z.object({ key: lockKey }), result: z.boolean() }),
  releaseAllLocks: defineMethod({ params: z.object({}), result: z.null() }),
  /** result: the body of GET /connections/{id} with credentials. */
  getConnection: defineMethod({
    params: connectionRef.extend({ forceRefresh: z.boolean(), refreshToken: z.boolean() }),
    result: freeObject,
  }),
  setMetadata: defineMethod({
    params: z.object({ mode: z.enum(["replace", "merge"]), metadata: freeObject }),
    result: z.null(),
  }),
  getEnvironmentVariables: defineMethod({
    params: z.object({}),
    result: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
  /** body in: one line of canonical JSON (RFC 8785) per record, in the order of `ids`, joined by "\n", none at the end. */
  batchSave: defineMethod({
    params: z.object({
      model,
      ids: recordIds,
      merging: recordMerging.optional(),
      fields: recordFields.optional(),
    }),
    result: z.object({
      added: z.number(),
      updated: z.number(),
      unchanged: z.number(),
      range: sequenceRange,
    }),
  }),
  /**
   * Records that do not match their model's schema: they are not saved. `reasonOf` has for each of `ids` its place in
   * `reasons`. body in: as `batchSave`, of the records in `samples`, some of `ids`.
   */
  quarantineRecords: defineMethod({
    params: z.object({
      model,
      ids: recordIds,
      reasons: quarantineReasons,
      reasonOf: listOf(z.number().int().min(0), MAX_RECORDS),
      samples: listOf(recordId, functionLimits.quarantineSamples.value),
    }),
    result: z.object({ quarantined: z.number() }),
  }),
  /** `deletedAt`: when each was deleted, in the order of `ids`; null, or none at all, for now. */
  batchDelete: defineMethod({
    params: z.object({
      model,
      ids: recordIds,
      deletedAt: listOf(z.iso.datetime().max(100).nullable(), MAX_RECORDS).optional(),
      merging: recordMerging.optional(),
    }),
    result: z.object({ deleted: z.number(), range: sequenceRange }),
  }),
  /**
   * Saves records merged from what `getRecords` gave; `sequences` are those of what was read. Records that have
   * changed since are `conflicts` and not saved. body in: as `batchSave`.
   */
  batchUpdate: defineMethod({
    params: z.object({
      model,
      ids: recordIds,
      sequences: listOf(sequence, MAX_RECORDS),
      merging: recordMerging.optional(),
    }),
    result: z.object({
      updated: z.number(),
      unchanged: z.number(),
      range: sequenceRange,
      conflicts: z.array(z.string()),
    }),
  }),
  /**
   * Stored records by id, deleted ones included, in any order, each with its place in `sequences`. When not all fit,
   * `hasMore` asks to call again for the others. body out: a line per record, as GET /records gives it.
   */
  getRecords: defineMethod({
    params: z.object({ model, ids: listOf(recordId, 100) }),
    result: z.object({ sequences: z.array(sequence), hasMore: z.boolean() }),
  }),
  /** A page of records, deleted ones included. body out: a line per record, as GET /records gives it. */
  listRecords: defineMethod({
    params: z.object({ model, cursor: z.string().min(1).max(1000).optional() }),
    result: z.object({ nextCursor: z.string().optional() }),
  }),
  /** Order number of the model's last change so far. */
  getRecordSequence: defineMethod({ params: z.object({ model }), result: z.number() }),
  /** Notes from now on which records are saved; `trackDeletesEnd` then deletes the others. */
  trackDeletesStart: defineMethod({ params: z.object({ model }), result: z.null() }),
  /** All or none; a failure `delete_guard` when they are more than the environment lets pass. */
  trackDeletesEnd: defineMethod({
    params: z.object({ model }),
    result: z.object({ deleted: z.number(), range: sequenceRange }),
  }),
  /** Ids of records that were deleted within a range of order numbers; `after` is where the next page begins. */
  listDeletedKeys: defineMethod({
    params: z.object({ model, range: sequenceRange }),
    result: z.object({ ids: z.array(z.string()), after: sequence.optional() }),
  }),
  getCheckpoint: defineMethod({ params: z.object({}), result: freeObject.nullable() }),
  saveCheckpoint: defineMethod({
    params: z.object({
      checkpoint: tableOf(
        z.union([z.string().max(functionLimits.checkpointText.value), z.number(), z.boolean()]),
        {
          max: functionLimits.checkpointFields.value,
          nameLength: functionLimits.checkpointName.value,
        },
      ),
    }),
    result: z.null(),
  }),
  clearCheckpoint: defineMethod({ params: z.object({}), result: z.null() }),
  /** What a recorded run's process has seen of clock and timers; of no effect for any other run. */
  noteMoments: defineMethod({
    params: z.object({ moments: listOf(tapeMoment, tapeMomentLimits.atOnce) }),
    result: z.null(),
  }),
} as const;

export type RuntimeMethod = keyof typeof runtimeMethods;
export type RuntimeParams<M extends RuntimeMethod> = z.infer<(typeof runtimeMethods)[M]["params"]>;
export type RuntimeResult<M extends RuntimeMethod> = z.infer<(typeof runtimeMethods)[M]["result"]>;
