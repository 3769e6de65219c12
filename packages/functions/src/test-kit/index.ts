// Owns runs without a server: a host in memory, recordings of what a provider answered, and their replay.
export type { AnyDefinition } from "./any-definition.ts";
export { HostFailure } from "./host-failure.ts";
export { type Forward, type HostAnswer, LocalHost } from "./local-host.ts";
export type { HostCall, LogLine } from "./local-methods.ts";
export { recordCalls } from "./record-calls.ts";
export {
  formatRecording,
  type ModelChanges,
  type RecordedCase,
  type Recording,
  type RunResult,
} from "./recording.ts";
export { redactJson } from "./redact.ts";
export {
  casesOf,
  compareWithCase,
  factsOfCase,
  hostOptionsOfCase,
  readRecording,
  replay,
  replayOf,
} from "./replay-recording.ts";
export { localFacts, runInProcess } from "./run-function.ts";
export {
  compareReplay,
  isSameAsTape,
  type TapeDifference,
} from "./tape/compare-replay.ts";
export { fromBody, toBody } from "./tape/described-call.ts";
export { type OnUnknown, TapeHost, toPlayed } from "./tape/tape-host.ts";
export { type RunEnd, toRunResult } from "./to-result.ts";
