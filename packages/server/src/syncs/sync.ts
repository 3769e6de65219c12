import type { RunError } from "@jackfield/contract/runtime";
import {
  AppError,
  type ConnectionUuid,
  type EnvironmentId,
  type OperationId,
  type RunId,
  type SyncId,
  timeOfId,
} from "#foundation";

/** The schedule of one sync function for one connection and variant; its row is the lease of the one run, too. */
export interface Sync {
  readonly id: SyncId;
  readonly environmentId: EnvironmentId;
  readonly connectionUuid: ConnectionUuid;
  readonly functionId: number;
  readonly name: string;
  readonly variant: string;
  readonly paused: boolean;
  readonly nextRunAt: Date | null;
  readonly runningRunId: RunId | null;
  /** Raised by every attempt to run; what carries an older number may not write. */
  readonly fence: number;
  /** What asks for a run before the next slot; due at `nextRunAt`, a paused sync's too. */
  readonly followUp: NextRun | null;
  /** The grid of runs: anchor + n * interval. */
  readonly intervalMs: number;
  readonly anchoredAt: Date;
  readonly lastSyncDate: Date | null;
  readonly unfinished: Unfinished | null;
  readonly consecutiveFailures: number;
  readonly deletedAt: Date | null;
}

/** The runs since the last success, that failed, were stopped, or were interrupted. */
export interface Unfinished {
  /** Start of the first of them, ISO 8601. */
  readonly since: string;
  /** What they have changed, still unreported. */
  readonly untold: RunResult;
}

/** What a trigger asks for. */
export interface RunWish {
  /** Forget checkpoint and date of the last run first. */
  readonly reset: boolean;
  /** Remove the stored records first; only together with `reset`. */
  readonly emptyCache: boolean;
}

/** A run that does not wait for its slot. */
export interface NextRun extends RunWish {
  readonly by: "trigger" | "interruption" | "retry";
  /** How often the run of this slot has failed and was tried again. */
  readonly retry?: number;
}

/** Why there is a run, and what it has to do before its function starts. */
export interface RunCause extends Partial<Pick<NextRun, "emptyCache" | "retry">> {
  readonly by: NextRun["by"] | "schedule" | "webhook";
  /** The checkpoint with which the run began; null for none. */
  readonly checkpoint?: Checkpoint | null;
  /** For how long its sync was due before there was a run, in milliseconds. */
  readonly dueForMs?: number;
}

export type Checkpoint = Readonly<Record<string, unknown>>;

export const runStates = ["waiting", "running", "success", "failed", "cancelled"] as const;
export type RunState = (typeof runStates)[number];

export interface ModelChanges {
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** Records that did not match their schema and were not saved; absent for none. */
  readonly quarantined?: number;
}

/** By model, without the variant. */
export type RunResult = Readonly<Record<string, ModelChanges>>;

export interface Run {
  readonly id: RunId;
  readonly environmentId: EnvironmentId;
  readonly functionId: number;
  readonly connectionUuid: ConnectionUuid;
  readonly syncId: SyncId | null;
  readonly state: RunState;
  readonly fence: number;
  readonly attempts: number;
  readonly cancelRequestedAt: Date | null;
  /** Nothing had been synced before. */
  readonly fullRun: boolean;
  readonly trigger: RunCause;
  readonly result: RunResult;
  readonly error: RunError | null;
  readonly operationId: OperationId | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** From the moment a run was due until its operation began, in milliseconds. */
export function queueTimeOf(
  { id, trigger }: Pick<Run, "id" | "trigger">,
  operationId: OperationId,
): number {
  const waitedMs = timeOfId(operationId).getTime() - timeOfId(id).getTime();
  return Math.max(0, waitedMs + (trigger.dueForMs ?? 0));
}

export function hasEnded({ state }: Pick<Run, "state">): boolean {
  return state !== "waiting" && state !== "running";
}

/** Two wishes for one run: the more thorough of both, now. */
export function joinWishes(first: NextRun | null, second: RunWish): NextRun {
  return {
    by: "trigger",
    reset: second.reset || first?.reset === true,
    emptyCache: (second.reset && second.emptyCache) || first?.emptyCache === true,
  };
}

/** After this many failed slots in a row, status and webhook say how many. */
export const MANY_FAILURES = 5;

/** A death of the worker is no failure of the function until it has happened so often. */
export const MAX_ATTEMPTS = 5;

export const workerDied: RunError = {
  type: "function_runtime_other",
  message: `The process that ran this sync ended unexpectedly ${MAX_ATTEMPTS} times.`,
};

/** How a run ends that failed outside of its function. */
export function toRunError(thrown: unknown): RunError {
  if (thrown instanceof AppError) return { type: thrown.code, message: thrown.message };
  return {
    type: "server_error",
    message: "Something failed on our side; the server's log has it.",
  };
}

/** Where a sync, or its handler of webhooks, keeps its checkpoint. */
export function checkpointKey(
  { name, variant }: Pick<Sync, "name" | "variant">,
  kind: "sync" | "webhook" = "sync",
): string {
  return `${kind}:${name}:${variant}`;
}

/** How the errors of a connection name a sync. */
export function nameInErrors({ name, variant }: Pick<Sync, "name" | "variant">): string {
  return variant === "base" ? name : `${name}::${variant}`;
}

export const noChanges: ModelChanges = { added: 0, updated: 0, deleted: 0, unchanged: 0 };

export function addResults(first: RunResult, second: RunResult): RunResult {
  const models = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return Object.fromEntries(
    models.map((model) => [model, addChanges(first[model], second[model])]),
  );
}

/** As a result has it. */
export function quarantinedOf(quarantined = 0): { quarantined?: number } {
  return quarantined === 0 ? {} : { quarantined };
}

function addChanges(first = noChanges, second = noChanges): ModelChanges {
  return {
    added: first.added + second.added,
    updated: first.updated + second.updated,
    deleted: first.deleted + second.deleted,
    unchanged: first.unchanged + second.unchanged,
    ...quarantinedOf((first.quarantined ?? 0) + (second.quarantined ?? 0)),
  };
}
