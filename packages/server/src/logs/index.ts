// Owns operations and their messages: what customers see of what was done for them.
// Tables: operations, operation_messages (partitioned by day). Callers pass only fields that are
// safe to show; as a second wall what looks like a credential is taken out here (redact.ts).
export {
  type BegunOperation,
  beginOperation,
  newOperationId,
  recordBegun,
  withdrawBegun,
} from "./begin-operation.ts";
export { boundText, boundValue } from "./bound-value.ts";
export { ensureLogPartitions } from "./ensure-log-partitions.ts";
export type { FinishedOperation } from "./finish-operation.ts";
export { finishOperation } from "./finish-operation.ts";
export { endLogs, flushLogs } from "./flush-logs.ts";
export { isCallKept } from "./is-call-kept.ts";
export { logMessage } from "./log-message.ts";
export type {
  LoggedError,
  OperationSubject,
} from "./operation.ts";
export { recordCallFromTemplate, toCallTemplate } from "./record-call.ts";
export { recordChange } from "./record-change.ts";
export { recordOperation } from "./record-operation.ts";
export { redactText } from "./redact.ts";
export { logs } from "./slice.ts";
export { startOperation } from "./start-operation.ts";
export type { CallTemplate } from "./store.ts";
