// Owns the quarantine of a copy: schedules, refreshes, deliveries and queued work wait until an operator says
// that no other copy is at work. Tables: quarantine.
export { watchQuarantine } from "./quarantine-watch.ts";
export { enterQuarantine, findQuarantine, leaveQuarantine } from "./store.ts";
