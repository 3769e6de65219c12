import * as z from "zod";
import { connectionId, flag, integrationKey } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Calls to the provider's API with the connection's credentials. */

// A token of RFC 9110.
const headerName = z
  .string()
  .max(255)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be the name of a header");

export const proxyHeaders = z.looseObject({
  "connection-id": connectionId,
  "provider-config-key": integrationKey,
  retries: z
    .string()
    .regex(/^(\d{1,2}|100)$/, "must be a whole number from 0 to 100")
    .transform(Number)
    .optional(),
  "retry-on": z
    .string()
    .regex(/^\d{3}(,\s*\d{3})*$/, "must be a comma-separated list of status codes")
    .transform((text) => text.split(",").map(Number))
    .optional(),
  "base-url-override": z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).optional(),
  decompress: flag.optional(),
  /** Up to 5 redirects, with the credentials only within one origin. */
  "follow-redirects": flag.optional(),
  /** With `follow-redirects`: the caller's own headers go to other origins, too; credentials never do. */
  "forward-headers-on-redirect": flag.optional(),
  /** Names of response headers that tell how long to wait before a retry, instead of the provider's own. */
  "svc-retry-at": headerName.optional(),
  "svc-retry-after": headerName.optional(),
  /** Name of the response header whose `0` means that the quota is used up. */
  "svc-retry-remaining": headerName.optional(),
  /** Seconds to wait while the provider's rate limit is used up; then, and without it, nothing is held back. */
  "rate-limit-wait": z
    .string()
    .regex(
      /^(\d{1,3}|[1-2]\d{3}|3[0-5]\d\d|3600)$/,
      "must be a whole number of seconds from 0 to 3600",
    )
    .transform(Number)
    .optional(),
  /** Asks for a Server-Timing header. */
  "svc-timing": flag.optional(),
});

export const proxyRoutes = {
  proxyRequest: defineRoute({
    method: "ANY",
    path: "/proxy/{anyPath+}",
    summary: "Call the provider's API; the answer is returned as received",
    principals: ["environment"],
    scope: "environment:proxy",
    headers: proxyHeaders,
    bodyLimit: "stream",
    success: { status: 200 },
    errors: [
      "unknown_provider_config",
      { code: "unknown_connection", status: 400 },
      "missing_base_url",
      "base_url_override_not_allowed",
      "destination_not_allowed",
      "upstream_unreachable",
      "upstream_dns_error",
      "upstream_tls_error",
      "upstream_timeout",
      "upstream_circuit_open",
      "too_many_request",
      "overloaded",
      "invalid_credentials",
      "connection_refresh_backoff",
      "refresh_in_progress",
      "quarantined",
      "integration_misconfigured",
    ],
    idempotent: false,
    raw: true,
    proxied: true,
  }),
} as const;
