import { defineHook } from "#platform";
import type { AnyRuntimeCall } from "#slice";
import type { DeployedFunction } from "./deployed-function.ts";

export interface FunctionsDeployed {
  /** Every function of the upload in its current version, unchanged ones included. */
  readonly deployed: readonly DeployedFunction[];
  readonly removed: readonly DeployedFunction[];
}

/** Runs in the transaction of a deployment. */
export const functionsDeployed = defineHook<FunctionsDeployed>("functions.functionsDeployed");

/** A running function calls the platform; `answerRuntimeCalls` makes the answer of handlers. */
export const runtimeCall = defineHook<AnyRuntimeCall, { value: unknown; body?: Uint8Array }>(
  "functions.runtimeCall",
);
