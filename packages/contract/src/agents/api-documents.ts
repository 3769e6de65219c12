import * as z from "zod";
import { integrationKey, timestamp, webAddress } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { toolEffect } from "./agent-fields.ts";

/** OpenAPI documents of integrations, whose operations are tools of agents without code. */

const operationName = z.string().min(1).max(600);

const names = z.array(operationName).min(1).max(3000);

const options = {
  include: names.optional().meta({
    description:
      "Only these operations: by `operationId`, name of the tool, `GET /path`, or tag. Left out: all.",
    examples: [["contacts", "searchDeals"]],
  }),
  exclude: names.optional().describe("Not these, by the same names."),
  effects: z
    .record(operationName, toolEffect)
    .refine((given) => Object.keys(given).length <= 3000, "names more than 3,000 operations")
    .optional()
    .meta({
      description:
        "What operations do to data, by `operationId`, name of the tool or `GET /path`, in place of what their method says: GET and HEAD read, DELETE destroys, the others write, unless the provider's entry knows better.",
      examples: [{ searchDeals: "read" }],
    }),
  base_path: z
    .string()
    .max(500)
    .regex(/^(?:\/[\w.~!$&'()*+,;=:@%-]+)*\/?$/, "must be a path such as /api/v2")
    .optional()
    .describe(
      "What each path begins with, below the base address of the connection's calls. Default: the path of the document's server. The host is always that of the connection.",
    ),
};

const newDocument = z
  .strictObject({
    document: z
      .string()
      .min(1)
      .max(16 * 1024 * 1024)
      .optional()
      .describe(
        "Text of the document, JSON or YAML, of OpenAPI 3.0, 3.1 or 3.2, or of Swagger 2.0; up to 16 MiB.",
      ),
    url: webAddress.optional().meta({
      description:
        "Where the document is, in place of its text. It is fetched once, now, by the rules for outgoing calls.",
      examples: ["https://api.example.com/openapi.json"],
    }),
    ...options,
  })
  .refine(
    ({ document, url }) => (document === undefined) !== (url === undefined),
    "must have one of document and url",
  )
  .meta({
    id: "NewApiDocument",
    description: "An OpenAPI document whose operations become tools.",
  });

const operation = z
  .strictObject({
    name: z
      .string()
      .describe(
        "Name of the operation as a tool of the integration: in toolsets, sessions and policies it is used as an action's.",
      ),
    tool: z.string().describe("Name by which agents call it; the same wherever it is listed."),
    operation_id: z.string().nullable().describe("The document's `operationId`; null without one."),
    method: z.string().describe("Method of its request."),
    path: z.string().describe("Path of its request, as the document has it."),
    title: z.string().describe("Its summary, in the document's words."),
    tags: z.array(z.string()).describe("Its tags."),
    effect: toolEffect,
    tokens: z
      .number()
      .int()
      .describe("About how many tokens its definition takes in a model's context."),
    hidden_by: z
      .literal("action")
      .optional()
      .describe("An action of the integration has its name, and comes first; left out otherwise."),
  })
  .meta({ id: "ApiOperation", description: "An operation that is a tool." });

const shownDocument = z
  .strictObject({
    integration: integrationKey,
    title: z.string().describe("Title that the document gives itself."),
    version: z.string().describe("Version that the document gives itself."),
    source_url: z
      .string()
      .nullable()
      .describe("Where it was fetched from; null where its text was sent."),
    sha256: z.string().describe("SHA-256 of its text, in hexadecimal."),
    bytes: z.number().int().describe("Length of its text."),
    ...options,
    operations: z.array(operation).describe("What became a tool, in the document's order."),
    left_out: z
      .array(
        z.strictObject({
          operation: z.string().describe("Method and path."),
          reason: z.string().describe("Why it cannot be a tool."),
        }),
      )
      .describe("Selected operations that cannot become tools."),
    excluded: z.number().int().describe("How many operations were not chosen."),
    created_at: timestamp.describe("When it was sent."),
  })
  .meta({ id: "ApiDocument", description: "An integration's OpenAPI document." });

const params = z.strictObject({
  uniqueKey: integrationKey.describe("Integration that the operations belong to."),
});

const answer = z.strictObject({ data: shownDocument.describe("The document.") });

export const apiDocumentRoutes = {
  getApiDocument: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}/openapi",
    summary:
      "The operations of an integration's OpenAPI document that are tools, and why others are not",
    principals: ["environment"],
    scope: "environment:agents:read",
    params,
    success: { status: 200, schema: answer },
    errors: ["unknown_provider_config", "not_found"],
    idempotent: false,
  }),
  putApiDocument: defineRoute({
    method: "PUT",
    path: "/integrations/{uniqueKey}/openapi",
    summary:
      "Make the operations of an OpenAPI document tools, in place of those of an earlier one",
    principals: ["environment"],
    scope: "environment:agents:write",
    params,
    body: newDocument,
    bodyLimit: "document",
    success: { status: 200, schema: answer },
    errors: [
      "unknown_provider_config",
      "resource_capped",
      "destination_not_allowed",
      "upstream_unreachable",
      "upstream_dns_error",
      "upstream_tls_error",
      "upstream_timeout",
    ],
    idempotent: false,
  }),
  deleteApiDocument: defineRoute({
    method: "DELETE",
    path: "/integrations/{uniqueKey}/openapi",
    summary: "Remove an OpenAPI document; its operations are tools no more",
    principals: ["environment"],
    scope: "environment:agents:write",
    params,
    success: { status: 204 },
    errors: ["unknown_provider_config", "not_found"],
    idempotent: false,
  }),
} as const;
