import * as z from "zod";
import { listOf } from "../bounded.ts";
import { tapeMomentLimits } from "./tape-moments.ts";

/** What a run knows of itself. */

export const functionKinds = ["sync", "webhook", "action", "on-event"] as const;
export type FunctionKind = (typeof functionKinds)[number];

const validationMode = z.enum(["off", "warn", "fail"]);
const recordValidationMode = z.enum(["off", "warn", "quarantine", "fail"]);

const microseconds = z.number().int().min(0);
/** As `TapeMoment` says. */
export const tapeMoment = z.tuple([
  z.string().max(110),
  microseconds,
  listOf(z.number().int(), tapeMomentLimits.readsOfMoment),
]);

/** The facts that a run gets about itself; nothing in it is secret. */
export const runFacts = z.object({
  kind: z.enum(functionKinds),
  functionName: z.string(),
  environmentName: z.string(),
  environmentId: z.string(),
  accountId: z.string().optional(),
  connectionId: z.string(),
  /** The connection's `id` in the API. */
  connectionNumber: z.number().int().optional(),
  providerConfigKey: z.string(),
  provider: z.string(),
  variant: z.string(),
  /** Start of the last successful run, ISO 8601; absent on the first or after a reset. */
  lastSyncDate: z.string().optional(),
  operationId: z.string(),
  syncId: z.string().optional(),
  /** Id of the run as the API tells it. */
  runId: z.string().optional(),
  /** Whether the run is a dry run: nothing is saved. */
  isDryRun: z.boolean().optional(),
  /** How the provider pages its lists unless a call says otherwise (catalogue, `pagination`). */
  pagination: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  /** What the deployment says under `attributes`. */
  attributes: z.record(z.string(), z.unknown()).optional(),
  loggerLevel: z.enum(["debug", "info", "warn", "error", "off"]),
  validation: z.object({
    input: validationMode,
    output: validationMode,
    records: recordValidationMode,
    metadata: validationMode,
    checkpoint: validationMode,
  }),
  /** Milliseconds after the start at which saveCheckpoint asks the run to pause. */
  softTimeoutMs: z.number().optional(),
  /** Milliseconds after the start past which calls fail with execution_timeout; soon after the process is ended. */
  callTimeoutMs: z.number().optional(),
  outputLimitBytes: z.number(),
  /** W3C Trace Context of the run; absent while the server sends no traces. */
  traceparent: z.string().max(55).optional(),
  /** Of a run that is recorded, or played from its tape. */
  tape: z
    .object({
      seed: z.string().regex(/^[0-9a-f]{64}$/),
      startedAtMs: z.number(),
      play: z.array(tapeMoment).optional(),
    })
    .optional(),
});
export type RunFacts = z.infer<typeof runFacts>;
