import type { RunError } from "@jackfield/contract/runtime";
import type { ConnectionUuid, EnvironmentId, OperationId, RunId, SyncId } from "#platform";

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
  readonly followUp: RunWish | null;
  readonly lastSyncDate: Date | null;
  readonly consecutiveFailures: number;
  readonly deletedAt: Date | null;
}

/** What a trigger asks for. */
export interface RunWish {
  /** Forget checkpoint and date of the last run first. */
  readonly reset: boolean;
  /** Remove the stored records first; only together with `reset`. */
  readonly emptyCache: boolean;
}

/** Why there is a run, and what it has to do before its function starts. */
export interface RunCause {
  readonly by: "schedule" | "trigger" | "interruption";
  readonly emptyCache?: boolean;
  /** Start of the first of the runs that this one continues, ISO 8601. */
  readonly continuedFrom?: string;
  /** The checkpoint with which the run began; null for none. */
  readonly checkpoint?: Checkpoint | null;
}

export type Checkpoint = Readonly<Record<string, unknown>>;

export const runStates = ["waiting", "running", "success", "failed", "cancelled"] as const;
export type RunState = (typeof runStates)[number];

export interface ModelChanges {
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
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

export function hasEnded({ state }: Pick<Run, "state">): boolean {
  return state !== "waiting" && state !== "running";
}

/** Two wishes for one run: the more thorough of both. */
export function joinWishes(first: RunWish | null, second: RunWish): RunWish {
  return {
    reset: second.reset || (first?.reset ?? false),
    emptyCache: second.emptyCache || (first?.emptyCache ?? false),
  };
}

/** Where a sync keeps its checkpoint (functions contract A.2). */
export function checkpointKey(sync: Pick<Sync, "name" | "variant">): string {
  return `sync:${sync.name}:${sync.variant}`;
}

export const noChanges: ModelChanges = { added: 0, updated: 0, deleted: 0, unchanged: 0 };
