// Owns what knows nothing of the product: time, ids, errors, logs, keys, the contexts of verbs.
// Doors next to this one: #foundation/db, /http, /egress, /json, /sandbox, /embedded-postgres, /testing.
export {
  type Actor,
  accountOf,
  endOf,
  holdsScope,
  type KeyBounds,
  requireStepUp,
  rowsOfActor,
  scopesOf,
} from "./actor/index.ts";
export {
  decrypt,
  decryptInSlices,
  decryptMany,
  encrypt,
  encryptInto,
  encryptPartsInto,
  SEAL_BYTES,
} from "./aead/index.ts";
export { CircuitBreaker } from "./circuit-breaker.ts";
export { addMs, type Clock, DAY, HOUR, MINUTE, SECOND, systemClock } from "./clock.ts";
export {
  type Counted,
  type Environment,
  type EnvironmentContext,
  type FunctionTimeouts,
  type McpLimits,
  type Settings,
  type SystemContext,
  withEnvironment,
} from "./context.ts";
export { AppError, messageOf, reasonOf } from "./errors.ts";
export { type Failpoints, noFailpoints } from "./failpoints.ts";
export { defineHook, type HookAnswer, Hooks, on } from "./hooks.ts";
export {
  type ActionId,
  type ConnectionUuid,
  type DeliveryId,
  type EnvironmentId,
  newRandomId,
  newTimeId,
  type OperationId,
  type RunId,
  type SyncId,
  timeOfId,
} from "./ids.ts";
export {
  type DataKey,
  type Keys,
  type MasterKey,
  masterKeyId,
  type RememberedDataKey,
} from "./keys.ts";
export { alteredCursor, type KeysetPosition, keysetCursor } from "./keyset-cursor.ts";
export type { LogLevel } from "./logger/index.ts";
export { createLogger, type Logger } from "./logger/index.ts";
export { readLoopDelays, watchLoop } from "./loop-watch.ts";
export { type Notices, noNotices } from "./notices.ts";
export type { Quarantine } from "./quarantine.ts";
export { endOfWindow, refuseUntilEnd, WindowCounts, windowAt } from "./rate-window.ts";
export { Secret } from "./secret.ts";
export { ServerStates, serverState } from "./server-state.ts";
export { startsWithSegments } from "./starts-with-segments.ts";
export { stopping } from "./stopping.ts";
export { JobThread } from "./threads/index.ts";
export {
  type FieldFault,
  invalidFields,
  nearestName,
  oneValue,
  type PlacedValues,
  parseValues,
} from "./validation/index.ts";
export { version } from "./version.ts";
export {
  backoffMs,
  Doorbell,
  inSlices,
  inTime,
  Pace,
  whileWanted,
  within,
} from "./waiting/index.ts";
