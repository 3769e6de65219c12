import type { CanarySettings } from "@jackfield/contract";
import { DAY, type EnvironmentId, SECOND } from "#foundation";
import type { FunctionType } from "../deployed-function.ts";
import type { DeploymentActor, DeploymentId } from "../history/deployment.ts";

declare const canaryBrand: unique symbol;
export type CanaryId = string & { readonly [canaryBrand]: true };

export interface Canary {
  readonly id: CanaryId;
  readonly environmentId: EnvironmentId;
  readonly state: "running" | "promoted" | "rolled_back";
  readonly settings: CanarySettings;
  readonly actor: DeploymentActor;
  /** Connections that run the new version. */
  readonly chosen: number;
  /** Functions that go with the promotion. */
  readonly removed: readonly number[];
  readonly deletedModels: readonly string[];
  readonly startedAt: Date;
  readonly endsAt: Date;
  readonly endedAt: Date | null;
  readonly byItself: boolean | null;
  readonly reason: string | null;
  readonly deploymentId: DeploymentId | null;
}

/** A function of a canary: what it is with it, and what it replaces. */
export interface CanaryFunction {
  /** Null for one that is new. */
  readonly functionId: number | null;
  readonly integrationId: number;
  readonly integrationKey: string;
  readonly type: FunctionType;
  readonly name: string;
  readonly version: string | null;
  readonly source: "repo" | "standalone";
  /** As it is stored. */
  readonly definition: unknown;
  readonly bundleSha256: Buffer;
  readonly baseVersion: string | null;
  readonly baseSha256: Buffer | null;
}

/** Where the loop that looks at canaries waits. */
export const CANARIES = "canaries";
export const CHECK_EVERY_MS = 5 * SECOND;
/** One that is still undecided then is rolled back: its version need not be runnable any longer. */
export const LONGEST_MS = 7 * DAY;
export const MOST_CONNECTIONS = 10_000;
