// Owns what confines a function's process: user ids, namespaces, the private root, limits, the filter of system
// calls; and which of them this machine can have.
export { isStrict, type SandboxLevel } from "./level.ts";
export { listWalls } from "./list-walls.ts";
export type { Cell, Program, Wall } from "./types.ts";
export { claimUserIds, type UserIdRange, type UserIds } from "./user-ids.ts";
