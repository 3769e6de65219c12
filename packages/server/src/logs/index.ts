// Owns operations and their messages: what customers see of what was done for them.
// Tables: operations, operation_messages, operation_minutes, operation_hours (partitioned by day), log_usage. Callers pass only fields that are
// safe to show; as a second wall what looks like a credential is taken out here (redact.ts).

export { boundText, boundValue } from "./bound-value.ts";
export { toTimingMeta } from "./call-timing.ts";
export { ensureLogPartitions, logTables } from "./ensure-log-partitions.ts";
export { eraseFromLogs } from "./erasure/erase-from-logs.ts";
export { eraseLogsOfEnvironments } from "./erasure/erase-logs-of-environment.ts";
export type { LogMoment } from "./erasure/written-since.ts";
export { endLogs, findLogState, flushLogs } from "./flush-logs.ts";
export {
  announceChange,
  CHANGES,
  type ChangeTopic,
  changeTopics,
  readChanges,
} from "./live/change-announcer.ts";
export { logMessage } from "./log-message.ts";
export { type LogServer, logServer } from "./log-server.ts";
export {
  fillPeriod,
  HOURS_KEPT_MS,
  MINUTES_KEPT_MS,
  type Step,
  type SteppedPeriod,
  steps,
  toSteppedPeriod,
} from "./metrics/metric-period.ts";
export type {
  LoggedError,
  OperationSubject,
} from "./operation.ts";
export {
  type BegunOperation,
  beginOperation,
  newOperationId,
} from "./recording/begin-operation.ts";
export { finishOperation, type OperationEnd } from "./recording/finish-operation.ts";
export { isCallKept } from "./recording/is-call-kept.ts";
export { recordCallFromTemplate, toCallTemplate } from "./recording/record-call.ts";
export { recordChange } from "./recording/record-change.ts";
export { recordOperation } from "./recording/record-operation.ts";
export { type RunTiming, toRunTimingMeta } from "./recording/run-timing.ts";
export { redactSecrets, redactText } from "./redact.ts";
export { logs } from "./slice.ts";
export type { CallTemplate } from "./store.ts";
