// Owns deployed functions: deployments and their plans, versions, bundles, and running them in the sandbox.
// Tables: function_consumers, canaries, canary_functions, canary_connections, canary_counts, functions, function_bundles, function_versions, function_run_counts, function_egress, deployments, function_jobs, function_locks, tapes, tape_rules, staged_deployments, staged_functions, staged_bundles.

export { findVersionFor } from "./canary/active-canary.ts";
export {
  countCanaryChanges,
  flushCanaryCounts,
  type RunChanges,
  toCounts as toCanaryCounts,
} from "./canary/counts/count-canary-run.ts";
export { addCanaryCounts, type CanaryCount } from "./canary/counts/store.ts";
export { bucketOf } from "./canary/histogram.ts";
export { countConsumer, flushConsumers } from "./consumers/count-consumer.ts";
export { deleteFunctionsOf } from "./deploy/delete-functions-of.ts";
export { deployFunctions } from "./deploy/deploy-functions.ts";
export { deployedFunctionHandlers } from "./deployed/routes.ts";
export type {
  DeployedAction,
  DeployedSync,
} from "./deployed-function.ts";
export { eraseEgress, flushEgress } from "./egress/count-egress.ts";
export { eraseDryRuns } from "./erasure/erase-dry-runs.ts";
export { queuePostCreation } from "./events/after-creation.ts";
export { hasPreDeletion, runPreDeletion } from "./events/before-deletion.ts";
export { hasValidators, runValidators } from "./events/validate.ts";
export {
  findCachedFunctionById,
  findFunctionById,
  getCachedAction,
  getFunctionById,
  listActions,
  listFunctions,
  listFunctionsById,
  listModels,
  listSyncNames,
} from "./get-function.ts";
export {
  type CanaryStarted,
  canaryRolledBack,
  canaryStarted,
  type FunctionsDeployed,
  functionsDeployed,
} from "./hooks.ts";
export { answerRuntimeCalls } from "./run/answer-runtime-calls.ts";
export { credentialFailureTypes, isCredentialFailure } from "./run/credential-failures.ts";
export { changesSomething, matchesSegment } from "./run/effects/classify-call.ts";
export { endStateOf } from "./run/end-state.ts";
export { runFunction } from "./run/run-function.ts";
export { flushRunCounts } from "./run-counts/count-run.ts";
export { flushFindings } from "./run-errors/count-error.ts";
export { functions } from "./slice.ts";
export { deleteTapesOfDeleted, eraseTapes } from "./tapes/erase-tapes.ts";
export {
  type ActionTool,
  annotate,
  type ShownTool,
  toActionInput,
  toActionTool,
  whyNoTool,
} from "./tools/action-tool.ts";
export { bytesOfTokens, estimateTextTokens, estimateTokens } from "./tools/estimate-tokens.ts";
export { nameFunctions } from "./tools/list-tools.ts";
export { presentToolFor } from "./tools/present-tool-for.ts";
export type { JsonSchema } from "./tools/slim-schema.ts";
