import type { FunctionKind, RunFacts } from "@jackfield/contract/runtime";
import {
  LocalHost,
  type LogLine,
  localFacts,
  type ModelChanges,
  type RecordedCase,
  type RunEnd,
  recordCalls,
  toRunResult,
} from "@jackfield/functions/test-kit";
import type { Sandbox } from "@jackfield/server/sandbox";
import * as z from "zod";
import { callPlatform, type Platform, PlatformRefusal } from "../deploy/call-platform.ts";
import { findOnlyConnection } from "../platform/find-connection.ts";
import type { BuiltFunction } from "../project/build-project.ts";
import { exitCodes, UserError } from "../user-error.ts";
import { guardReach } from "./guard-reach.ts";
import { forwardToPlatform } from "./live-forward.ts";
import { runLocally } from "./run-locally.ts";
import { RunClock, type RunTimes } from "./time-run.ts";

/** What a dry run starts from. */
export interface DryRunRequest {
  readonly environment: string;
  readonly connectionId: string | undefined;
  /** Runs onWebhook with the input as payload. */
  readonly isWebhook: boolean;
  readonly input: unknown;
  readonly metadata: Record<string, unknown> | undefined;
  readonly checkpoint: Record<string, unknown> | undefined;
  /** ISO 8601. */
  readonly lastSyncDate: string | undefined;
  readonly variant: string | undefined;
  /** Which values end the run when they do not fit their schema; the others are warned of. */
  readonly validation: "all" | "input" | "none";
}

export interface DryRunReport {
  readonly kind: FunctionKind;
  readonly connectionId: string;
  readonly end: RunEnd;
  readonly records: Readonly<Record<string, ModelChanges>>;
  readonly checkpoint: Record<string, unknown> | null | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  readonly logs: readonly LogLine[];
  readonly notes: readonly string[];
  readonly calls: number;
  readonly times: RunTimes;
  /** From the start of the function's process to its end. */
  readonly ranMs: number;
  /** The run as `jackfield test` replays it, without credentials. */
  readonly recorded: Omit<RecordedCase, "name">;
}

interface DryRunEvents {
  readonly onLog: (line: LogLine) => void;
  readonly onProgress: (text: string) => void;
}

const foundConnection = z.looseObject({
  connection_id: z.string(),
  provider: z.string(),
  /** Only for a key that may read them; looked for in what is recorded. */
  credentials: z.unknown().optional(),
});

/** Runs a function here against a real connection; what it would save is collected and nothing of it is kept. */
export async function dryRun(
  given: {
    platform: Platform;
    sandbox: Sandbox;
    fn: Pick<BuiltFunction, "bundle" | "description" | "functionName" | "integrationId">;
    request: DryRunRequest;
    signal?: AbortSignal;
  },
  events: DryRunEvents,
): Promise<DryRunReport> {
  const { platform, sandbox, fn, request, signal } = given;
  const connection = await findConnection(platform, fn, request);
  const facts = toFacts(fn, request, connection);
  const own = { ...facts, variant: facts.variant };
  const reach = { ...fn.description, functionName: fn.functionName };
  const guarded = guardReach(forwardToPlatform(platform, own, reach), reach);
  const clock = new RunClock();
  const recorder = recordCalls(own, clock.timeCalls(guarded), connection.credentials);
  let calls = 0;
  const host = new LocalHost({
    facts,
    metadata: request.metadata,
    checkpoint: request.checkpoint,
    forward: recorder.forward,
    onLog: (line) => {
      clock.noteLog();
      events.onLog(line);
    },
    onCall: (call) => {
      calls += 1;
      clock.noteSave(call);
      events.onProgress(`${calls} calls, ${countRecords(host.changes)} records`);
    },
  });
  const end = await runLocally(sandbox, fn, { facts, host, input: request.input, signal });
  const ranMs = clock.nowMs;
  const { state } = host;
  const { input, metadata, checkpoint, lastSyncDate, variant } = request;
  return {
    kind: facts.kind,
    connectionId: facts.connectionId,
    end,
    records: host.changes,
    checkpoint: state.isCheckpointTouched ? state.checkpoint : undefined,
    metadata:
      state.metadataPatch === undefined ? undefined : { ...state.metadata, ...state.metadataPatch },
    logs: state.logs,
    notes: [...state.notes],
    calls,
    times: clock.times,
    ranMs,
    recorded: {
      kind: facts.kind,
      connection: { id: facts.connectionId, provider: facts.provider },
      ...(input !== undefined && { input }),
      ...(metadata !== undefined && { metadata }),
      ...(checkpoint !== undefined && { checkpoint }),
      ...(lastSyncDate !== undefined && { lastSyncDate }),
      ...(variant !== undefined && { variant }),
      calls: recorder.take(),
      result: toRunResult(host, end, recorder.secrets()),
    },
  };
}

type Subject = Pick<BuiltFunction, "description" | "functionName" | "integrationId">;

function toFacts(
  fn: Subject,
  request: DryRunRequest,
  connection: z.output<typeof foundConnection>,
): RunFacts {
  const { description } = fn;
  const mode = request.validation === "all" ? "fail" : "warn";
  const validation = {
    input: request.validation === "none" ? "warn" : "fail",
    output: mode,
    records: mode,
    metadata: mode,
    checkpoint: mode,
  } as const;
  return localFacts({
    kind: request.isWebhook ? "webhook" : description.type,
    functionName: fn.functionName,
    providerConfigKey: fn.integrationId,
    connectionId: connection.connection_id,
    provider: connection.provider,
    environmentName: request.environment,
    validation,
    ...(request.variant !== undefined && { variant: request.variant }),
    ...(request.lastSyncDate !== undefined && { lastSyncDate: request.lastSyncDate }),
  });
}

/** The named connection, or the only one that the integration has. */
async function findConnection(
  platform: Platform,
  fn: Pick<BuiltFunction, "integrationId">,
  request: DryRunRequest,
) {
  const connectionId =
    request.connectionId ?? (await findOnlyConnection(platform, fn.integrationId));
  try {
    return await callPlatform(platform, {
      method: "GET",
      path: `/connections/${encodeURIComponent(connectionId)}`,
      query: { provider_config_key: fn.integrationId },
      answer: foundConnection,
    });
  } catch (error) {
    if (!(error instanceof PlatformRefusal) || (error.status !== 404 && error.status !== 400))
      throw error;
    throw new UserError(
      `The integration ${fn.integrationId} has no connection ${connectionId} in ${request.environment}: ${error.message}`,
      { cause: error, exitCode: exitCodes.platform },
    );
  }
}

function countRecords(records: DryRunReport["records"]): number {
  return Object.values(records)
    .map(({ saved, updated, deleted }) => saved.length + updated.length + deleted.length)
    .reduce((sum, count) => sum + count, 0);
}
