import { type ConnectionUuid, defineHook } from "#foundation";
import type { AnyRuntimeCall } from "#slice";
import type { CanaryId } from "./canary/canary.ts";
import type { DeployedFunction } from "./deployed-function.ts";

export interface FunctionsDeployed {
  /** Every function of the upload in its current version, unchanged ones included. */
  readonly deployed: readonly DeployedFunction[];
  readonly removed: readonly DeployedFunction[];
}

/** Runs in the transaction of a deployment. */
export const functionsDeployed = defineHook<FunctionsDeployed>("functions.functionsDeployed");

export interface CanaryStarted {
  readonly id: CanaryId;
  /** Functions that change. */
  readonly functionIds: readonly number[];
  /** Connections that run the new version. */
  readonly connections: readonly ConnectionUuid[];
}

/** Runs in the transaction in which a canary starts. */
export const canaryStarted = defineHook<CanaryStarted>("functions.canaryStarted");

/** Runs in the transaction in which a canary is rolled back. */
export const canaryRolledBack = defineHook<{ readonly id: string }>("functions.canaryRolledBack");

/** A running function calls the platform; `answerRuntimeCalls` makes the answer of handlers. */
export const runtimeCall = defineHook<AnyRuntimeCall, { value: unknown; body?: Uint8Array }>(
  "functions.runtimeCall",
);
