// Owns the log of who changed what: rows that are only added, sealed in a chain that shows every later change.
// Tables: audit_events, audit_seals, audit_head.
export { auditTrail, recordRefusal } from "./audit-trail.ts";
export { type ChainReport, verifyChain } from "./chain/verify-chain.ts";
export { recordAudit } from "./record-audit.ts";
export { audit } from "./slice.ts";
