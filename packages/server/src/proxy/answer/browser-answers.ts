import { withoutHeaders } from "./response-headers.ts";

/**
 * A browser takes an answer of a provider for one of the server's own origin, where the connect page lives. What it
 * would do there for the provider must not happen: keep cookies, clear storage, pin the host, frame or run anything.
 */

/** Headers by which a server governs its origin in the browser. */
const governing: ReadonlySet<string> = new Set([
  "accept-ch",
  "activate-storage-access",
  "alt-svc",
  "clear-site-data",
  "content-security-policy",
  "content-security-policy-report-only",
  "critical-ch",
  "cross-origin-embedder-policy",
  "cross-origin-embedder-policy-report-only",
  "cross-origin-opener-policy",
  "cross-origin-opener-policy-report-only",
  "cross-origin-resource-policy",
  "document-policy",
  "expect-ct",
  "nel",
  "origin-agent-cluster",
  "origin-trial",
  "permissions-policy",
  "public-key-pins",
  "public-key-pins-report-only",
  "refresh",
  "report-to",
  "reporting-endpoints",
  "sec-session-registration",
  "secure-session-registration",
  "service-worker-allowed",
  "set-cookie",
  "set-cookie2",
  "set-login",
  "speculation-rules",
  "strict-transport-security",
  "supports-loading-mode",
  "www-authenticate",
  "x-content-type-options",
  "x-frame-options",
]);

const PREFIX = "Svc-Provider-";

/** What the browser gets in their place: the answer is data, of exactly the type that it says. */
const guards = [
  "X-Content-Type-Options",
  "nosniff",
  "Content-Security-Policy",
  "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

/** Flat headers of a provider's answer as a browser may have them; what governs an origin is passed under a prefix. */
export function toBrowserHeaders(headers: readonly string[]): string[] {
  const passed = withoutHeaders(headers, (name) => name.startsWith("svc-provider-"));
  for (let index = 0; index + 1 < passed.length; index += 2) {
    const name = passed[index] ?? "";
    if (governing.has(name.toLowerCase())) passed[index] = `${PREFIX}${name}`;
  }
  return [...passed, ...guards];
}
