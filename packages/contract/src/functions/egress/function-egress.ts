import * as z from "zod";
import { functionName, functionType, integrationKey, wholeNumber } from "../../fields.ts";
import { defineRoute } from "../../route.ts";

/** What a function sent where. */

const sums = z
  .strictObject({
    calls: z.number().int().describe("Requests that left, redirects and retries included."),
    refused: z
      .number()
      .int()
      .describe("Requests that were refused since `egress` does not name the host."),
    bytes_sent: z.number().int().describe("Bytes of these requests, heads included."),
    bytes_received: z
      .number()
      .int()
      .describe("Bytes of their answers, heads included; compressed ones count compressed."),
  })
  .meta({ id: "EgressSums", description: "What left, summed up." });

const egress = z
  .strictObject({
    total: sums.describe("All hosts and connections together."),
    hosts: z
      .array(
        z.strictObject({
          host: z
            .string()
            .nullable()
            .describe(
              "The host, with a port that is not the usual one. null: all others; each connection has at most 20 hosts a day of its own.",
            ),
          sums: sums.describe("What went there."),
        }),
      )
      .describe("By host, most bytes sent first, 50 at most."),
    connections: z
      .array(
        z.strictObject({
          connection_id: z
            .string()
            .nullable()
            .describe("Id of the connection; null where it was deleted."),
          sums: sums.describe("What its runs sent."),
        }),
      )
      .describe("By connection, most bytes sent first, 20 at most."),
  })
  .meta({ id: "FunctionEgress", description: "What a function sent where." });

export const functionEgressRoutes = {
  getFunctionEgress: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}/functions/{name}/egress",
    summary: "What a deployed function sent to each host; counts are kept for 30 days",
    principals: ["environment"],
    scope: "environment:functions:read",
    params: z.strictObject({
      uniqueKey: integrationKey.describe("Integration of the function."),
      name: functionName.describe("Name of the function."),
    }),
    query: z.strictObject({
      type: functionType
        .optional()
        .describe("Type of the function; required where functions of several types have the name."),
      days: wholeNumber({ min: 1, max: 30 })
        .optional()
        .describe("How many days back, 1 to 30. Default: 7."),
      connection_id: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe("Only what it sent in runs for this connection."),
    }),
    success: { status: 200, schema: z.strictObject({ data: egress.describe("The sums.") }) },
    errors: ["not_found", "ambiguous_function"],
    idempotent: false,
  }),
} as const;
