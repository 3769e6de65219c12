import * as z from "zod";
import { connectionId, integrationKey, providerTiming } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** A call to the provider's API as JSON in and JSON out, for those who cannot make the call itself. */

const texts = (most: number, nameLength: number, valueLength: number) =>
  z
    .record(z.string().min(1).max(nameLength), z.string().max(valueLength))
    .refine((given) => Object.keys(given).length <= most, `must have at most ${most} values`);

const request = z
  .strictObject({
    provider_config_key: integrationKey.describe("Integration of the connection."),
    connection_id: connectionId.describe("Connection whose credentials the call carries."),
    method: z
      .enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND", "REPORT"])
      .optional()
      .describe("Method of the call. Default `GET`."),
    path: z
      .string()
      .min(1)
      .max(8192)
      .meta({
        description: "Path below the provider's base URL, with or without a query.",
        examples: ["/user/repos?per_page=5"],
      }),
    query: texts(100, 255, 8192)
      .optional()
      .describe(
        "Parameters to add to the path, by name; one replaces the path's own. At most 100.",
      ),
    headers: texts(100, 255, 8192)
      .optional()
      .describe("Further headers, by name; one replaces the provider's own. At most 100."),
    body: z
      .unknown()
      .optional()
      .describe("Body of the call: a text is sent as it is, anything else as JSON."),
    body_base64: z.base64().optional().describe("Body of the call as bytes, in place of `body`."),
    retries: z
      .number()
      .int()
      .min(0)
      .max(10)
      .optional()
      .describe("How often a failed call is tried again, 0 to 10. Default 0."),
    base_url_override: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional()
      .describe(
        "Base URL for this call instead of the provider's; the key and the integration must allow its host.",
      ),
    follow_redirects: z
      .boolean()
      .optional()
      .describe("Whether up to 5 redirects are followed. Default `false`."),
  })
  .refine(
    ({ body, body_base64 }) => body === undefined || body_base64 === undefined,
    "has both `body` and `body_base64`: send one of them",
  )
  .meta({ id: "ProviderRequest", description: "A call to a provider's API." });

const answer = z
  .strictObject({
    status: z
      .number()
      .int()
      .describe("Status that the provider answered with; any is a success here."),
    headers: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .describe("Headers of the answer, names in lower case; repeated ones as lists."),
    body: z
      .string()
      .describe(
        "Body of the answer: its text, or its bytes in base64 where it is no text in UTF-8.",
      ),
    body_encoding: z.enum(["text", "base64"]).describe("What `body` holds."),
    size: z.number().int().describe("Bytes of the body, decompressed."),
    duration_ms: z.number().describe("Milliseconds from the call to the end of its answer."),
    timing: providerTiming.describe(
      "Where the time went, as in the `Server-Timing` header of `/proxy`.",
    ),
  })
  .meta({ id: "ProviderAnswer", description: "What a provider has answered." });

export const proxyRequestRoutes = {
  sendProxyRequest: defineRoute({
    method: "POST",
    path: "/proxy-requests",
    summary:
      "Call the provider's API, with the call and its answer as JSON; answers of up to 2 MiB",
    principals: ["environment"],
    scope: "environment:proxy",
    body: request,
    success: {
      status: 200,
      schema: z.strictObject({ data: answer.describe("The answer.") }),
    },
    errors: [
      "unknown_provider_config",
      { code: "unknown_connection", status: 400 },
      "missing_base_url",
      "base_url_override_not_allowed",
      "destination_not_allowed",
      "invalid_request",
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
    idempotent: "once",
    leavesCaches: true,
  }),
} as const;
