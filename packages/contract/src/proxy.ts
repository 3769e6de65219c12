import * as z from "zod";
import { connectionId, flag, integrationKey } from "./fields.ts";
import { egressHosts } from "./functions/egress/egress-hosts.ts";
import { defineRoute } from "./route.ts";

/** Calls to the provider's API with the connection's credentials. */

// A token of RFC 9110.
const headerName = z
  .string()
  .max(255)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be the name of a header");

export const proxyHeaders = z.looseObject({
  "connection-id": connectionId.describe("Connection whose credentials the call carries."),
  "provider-config-key": integrationKey.describe("Integration of that connection."),
  retries: z
    .string()
    .regex(/^(\d{1,2}|100)$/, "must be a whole number from 0 to 100")
    .transform(Number)
    .optional()
    .describe(
      "How often a failed call is tried again, 0 to 100. Default 0. Network errors, 401, 429 and 5xx are tried again, or what the provider's entry lists.",
    ),
  "retry-on": z
    .string()
    .regex(/^\d{3}(,\s*\d{3})*$/, "must be a comma-separated list of status codes")
    .transform((text) => text.split(",").map(Number))
    .optional()
    .meta({
      description: "Further status codes after which the call is tried again, separated by commas.",
      examples: ["409,423"],
    }),
  "base-url-override": z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })])
    .optional()
    .meta({
      description:
        "Base URL for this call instead of the provider's; the key and the integration must allow its host.",
      examples: ["https://files.example.com"],
    }),
  decompress: flag
    .optional()
    .describe("`true` decompresses the provider's answer. Default: the provider's entry says it."),
  "follow-redirects": flag
    .optional()
    .describe(
      "`true` follows up to 5 redirects, with the credentials within one origin only. Default: the redirect is the answer.",
    ),
  "forward-headers-on-redirect": flag
    .optional()
    .describe(
      "With `follow-redirects`: `true` sends your own headers to other origins, too. Credentials never go there. Default `false`.",
    ),
  "svc-egress": z
    .string()
    .max(8192)
    .transform((text) => text.split(",").map((host) => host.trim()))
    .pipe(egressHosts)
    .optional()
    .meta({
      description:
        "Hosts that this call may go to, redirects included, separated by commas, as in the `egress` of a function. Default: any.",
      examples: ["{integration}, *.s3.amazonaws.com"],
    }),
  "svc-retry-at": headerName.optional().meta({
    description:
      "Name of the response header with the time of the next attempt, instead of the one that the provider's entry names.",
    examples: ["x-ratelimit-reset"],
  }),
  "svc-retry-after": headerName.optional().meta({
    description:
      "Name of the response header with the seconds to wait before a retry, instead of the one that the provider's entry names.",
    examples: ["x-backoff"],
  }),
  "svc-retry-remaining": headerName.optional().meta({
    description: "Name of the response header whose `0` means that the quota is used up.",
    examples: ["x-credits"],
  }),
  "rate-limit-wait": z
    .string()
    .regex(
      /^(\d{1,3}|[1-2]\d{3}|3[0-5]\d\d|3600)$/,
      "must be a whole number of seconds from 0 to 3600",
    )
    .transform(Number)
    .optional()
    .describe(
      "Seconds, 0 to 3600, that the call may wait while the provider's rate limit is used up. Default 0.",
    ),
  "svc-timing": flag
    .optional()
    .describe(
      "`true` adds the header `Server-Timing` to the answer, with the time that each part of the call took.",
    ),
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
      "misdirected_request",
      "upstream_unreachable",
      "upstream_dns_error",
      "upstream_tls_error",
      "upstream_timeout",
      "upstream_circuit_open",
      "too_many_request",
      "overloaded",
      "invalid_credentials",
      "connection_frozen",
      "connection_refresh_backoff",
      "refresh_in_progress",
      "quarantined",
      "integration_misconfigured",
    ],
    idempotent: false,
    raw: true,
    sessions: "refused",
    proxied: true,
  }),
} as const;
