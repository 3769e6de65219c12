import { defineHook } from "#platform";
import type { DeployedFunction } from "./deployed-function.ts";
import type { AnyRuntimeCall } from "./runtime-handlers.ts";

export interface FunctionsDeployed {
  /** Every function of the upload as it stands now, unchanged ones included. */
  readonly deployed: readonly DeployedFunction[];
  readonly removed: readonly DeployedFunction[];
}

/** Told in the transaction of a deployment. */
export const functionsDeployed = defineHook<FunctionsDeployed>("functions.functionsDeployed");

/** How many connections each of these integrations has; one that is absent from the answer has none. */
export const connectionCounts = defineHook<
  { readonly integrationIds: readonly number[] },
  ReadonlyMap<number, number>
>("functions.connectionCounts");

/** A running function calls the server; `answerRuntimeCalls` makes the answer of handlers. */
export const runtimeCall = defineHook<AnyRuntimeCall, { value: unknown; body?: Uint8Array }>(
  "functions.runtimeCall",
);
