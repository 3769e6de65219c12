// Owns the processes that run functions: their start, isolation, reuse, limits and end, and the channel to them.
// Knows nothing of syncs, actions or connections: what a call of a function does is the caller's `onCall`.
export { CallError } from "./call-error.ts";
export { isRepeatable } from "./child/is-repeatable.ts";
export { mapStack } from "./map-stack.ts";
export { createSandbox } from "./sandbox.ts";
export type {
  Call,
  CallAnswer,
  RunStart,
  Sandbox,
  SandboxOptions,
  SandboxOutcome,
  SandboxRun,
} from "./types.ts";
