// Owns how environments share what there is only so much of: how many slots one may hold, and who is next.
// Knows nothing of what a slot is; stores that choose in SQL use the same order (`priorityText`).
export { ceilingOf } from "./ceiling.ts";
export { FairQueue } from "./fair-queue.ts";
export { FairSlots } from "./fair-slots.ts";
export { byPriority } from "./priority.ts";
export { priorityText } from "./store.ts";
