// Owns the log of who changed what: rows that are only added, sealed in a chain that shows every later change.
// Tables: audit_events, audit_details, audit_seals, audit_head, credential_reads.
export { auditTrail, recordRefusal } from "./audit-trail.ts";
export { claimHead } from "./chain/claim-head.ts";
export { type ChainReport, verifyChain } from "./chain/verify-chain.ts";
export { hashOfEntered } from "./details/digest.ts";
export {
  eraseAuditDetails,
  eraseAuditNamesOfAccount,
  eraseNamesFromAudit,
} from "./details/erase-details.ts";
export { type LastChange, listLastChanges } from "./list-last-changes.ts";
export { noteBefore } from "./note-before.ts";
export { countCredentialRead, flushCredentialReads } from "./reads/count-reads.ts";
export { recordAudit } from "./record-audit.ts";
export { audit } from "./slice.ts";
