import type { Actor } from "#foundation";
import type { FunctionType } from "../deployed-function.ts";

export type JobKind = "dry-run" | "deployment";
export type JobStatus = "waiting" | "running" | "success" | "failed";

/** A source text that is being run or deployed; what was sent and what came of it are sealed. */
export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  readonly status: JobStatus;
  readonly integrationKey: string;
  readonly functionName: string;
  readonly functionType: FunctionType;
  readonly actor: JobActor;
  readonly request: Buffer | null;
  readonly outcome: Buffer | null;
  /** What it has printed so far; null before that, and once it has ended. */
  readonly progress: Buffer | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
}

/** The key or the user that asked for it: what the text may do is what that one may. */
export type JobActor = Omit<KeyActor, "kind"> | UserActor;

type KeyActor = Extract<Actor, { kind: "key" }>;
type UserActor = Extract<Actor, { kind: "user" }>;

export interface DryRunRequest {
  readonly code: string;
  readonly connectionId: string;
  readonly hasInput: boolean;
  readonly input?: unknown;
  readonly variant?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly checkpoint?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly lastSyncDate?: string | undefined;
}

export interface DeploymentRequest {
  readonly code: string;
  readonly version?: string | undefined;
  readonly allowDestructive: boolean;
}

export interface JobOutcome {
  readonly output?: string | undefined;
  readonly result?: unknown;
  readonly deployedFunctions?: readonly { readonly name: string; readonly version: string }[];
  readonly error?: JobError | undefined;
}

export interface JobError {
  readonly code: string;
  readonly message: string;
  readonly payload?: unknown;
}
