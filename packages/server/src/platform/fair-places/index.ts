// Owns how environments share what there is only so much of: how many places one may hold, and whose turn is next.
// Knows nothing of what a place is; stores that choose in SQL use the same order (`turnText`).
export { ceilingOf } from "./ceiling.ts";
export { FairPlaces } from "./fair-places.ts";
export { turnText } from "./store.ts";
export { inTurn } from "./turn.ts";
