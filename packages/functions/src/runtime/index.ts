/** What runs a function inside its process: the `svc` object over an abstract channel, checks and failures. */
export { checkValue } from "./check-value.ts";
export { createSvc } from "./create-svc.ts";
export { exposedObjects } from "./exposed-objects.ts";
export { trackDeletesEnd, trackDeletesStart } from "./records/track-deletes.ts";
export { type FetchInput, globalFetch } from "./requests/fetch.ts";
export {
  cancelRun,
  type Run,
  type RunSchemas,
  type RuntimeAnswer,
  type RuntimeChannel,
  startRun,
  type ValueSchema,
} from "./run.ts";
export { ExecutionInterrupted, fromRunError, RunFailure } from "./run-failure.ts";
export { toRunError } from "./to-run-error.ts";
export { sendLog } from "./write-log.ts";
