import type { ReportKey } from "../api-types/index.ts";

/** What a report says: of one connection, or the summary of a revocation. */
export interface RevocationReport {
  readonly kind: "connection" | "summary";
  readonly iss: string;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly environment_id: string;
  readonly revocation_id: string;
  readonly rehearsal: boolean;
  readonly reason: string | null;
  readonly [field: string]: unknown;
}

// Clocks differ, and other processes may sign with the former key for a moment.
const RETIRED_SKEW_MS = 5 * 60_000;

/**
 * Verifies a JWS in compact form (RFC 7515) with Ed25519 (RFC 8037), which these reports are. A key that was retired
 * before the report was signed is refused.
 */
export async function verifyReport(
  report: string,
  keys: readonly ReportKey[],
): Promise<RevocationReport> {
  const [head, payload, signature, ...rest] = report.trim().split(".");
  if (head === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    throw new Error("This is no report: a JWS in compact form has three parts.");
  }
  const { alg, kid }: { alg?: unknown; kid?: unknown } = Object(readJson(head));
  if (alg !== "EdDSA") throw new Error("The report is not signed with EdDSA.");
  const known = keys.find((key) => key.kid === kid);
  if (known === undefined)
    throw new Error("The report is signed with a key that is not in the set.");
  const { kty, crv, x } = known;
  const key = await crypto.subtle.importKey("jwk", { kty, crv, x }, "Ed25519", false, ["verify"]);
  const signed = new TextEncoder().encode(`${head}.${payload}`);
  const isGenuine = await crypto.subtle.verify("Ed25519", key, toBytes(signature), signed);
  if (!isGenuine)
    throw new Error("The report was changed, or is not from the one who has this key.");
  const verified = asReport(readJson(payload));
  const retiredMs = typeof known.retired_at === "string" ? Date.parse(known.retired_at) : Infinity;
  if (verified.iat * 1000 > retiredMs + RETIRED_SKEW_MS) {
    throw new Error("The report is signed with a key that was retired before.");
  }
  return verified;
}

function readJson(part: string): unknown {
  return JSON.parse(new TextDecoder().decode(toBytes(part)));
}

function toBytes(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

// The platform has signed it.
function asReport(value: unknown): RevocationReport {
  return value as RevocationReport;
}
