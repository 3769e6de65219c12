// Owns every connection that leaves the installation, and the policy of where it may go.
export { aimEgress, toSimulatorAddress } from "./aim-egress.ts";
export { isCertificatePair } from "./client-certificate.ts";
export { createEgress } from "./create-egress.ts";
export type { Egress, EgressRequest, EgressResponse } from "./egress.ts";
export { readClockAhead, type ServerNotes } from "./server-notes.ts";
export { toUpstreamError } from "./upstream-error.ts";
