import { createHash } from "node:crypto";

const LABEL = "svc-email-address";

/** Hex SHA-256 under which a connection's mailbox is found, without its address being stored. */
export function emailAddressHash(address: string): string {
  return createHash("sha256").update(`${LABEL}:${address.trim().toLowerCase()}`).digest("hex");
}
