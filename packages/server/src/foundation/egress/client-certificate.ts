import { createSecureContext } from "node:tls";
import type { EgressRequest } from "./egress.ts";

/** Whether these are a certificate and its key, both as PEM: a request with others would fail on our side. */
export function isCertificatePair({
  certificate,
  privateKey,
}: NonNullable<EgressRequest["clientCertificate"]>): boolean {
  try {
    createSecureContext({ cert: certificate, key: privateKey });
    return true;
  } catch {
    return false;
  }
}
