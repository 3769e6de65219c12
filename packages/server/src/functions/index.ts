// Owns deployed functions: deployments and their plans, versions, bundles, and running them in the sandbox.
// Tables: functions, function_bundles.
export { answerRuntimeCalls } from "./answer-runtime-calls.ts";
export { deleteFunctionsOf } from "./delete-functions-of.ts";
export { deployFunctions } from "./deploy-functions.ts";
export type {
  DeployedAction,
  DeployedSync,
} from "./deployed-function.ts";
export { endStateOf } from "./end-state.ts";

export { findFunction, getFunctionById, listFunctions } from "./get-function.ts";
export {
  connectionCounts,
  type FunctionsDeployed,
  functionsDeployed,
} from "./hooks.ts";

export { VALUE_LIMIT_BYTES } from "./read-run-facts.ts";
export { functionHandlers } from "./routes.ts";
export { runFunction } from "./run-function.ts";
export { functionRuntime } from "./runtime.ts";
export type {
  RunIdentity,
  RuntimeCall,
  RuntimeHandlers,
} from "./runtime-handlers.ts";
