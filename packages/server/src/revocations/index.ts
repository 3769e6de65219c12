// Owns revocations: connections frozen at once, their tokens withdrawn at the providers, and the signed reports of it.
// `items/` withdraws one connection after the other, `reports/` signs. Tables: revocations, revocation_items,
// report_keys.
export { eraseFromRevocations } from "./erase-from-revocations.ts";
export { followLeaving, followRenewed, lockItemsOfConnections } from "./items/follow-connection.ts";
export { revocations } from "./slice.ts";
