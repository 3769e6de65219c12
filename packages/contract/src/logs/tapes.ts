import * as z from "zod";
import {
  functionName,
  functionType,
  integrationKey,
  nextCursor,
  pageQuery,
  success,
  timestamp,
  uuid,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { tapeFile, tapeLimits } from "./tape-file.ts";

/** Recorded runs of functions, and the rules by which runs are recorded. */

const operation = z.strictObject({ operationId: uuid.describe("Operation of the run.") });

const summary = z
  .strictObject({
    operation_id: uuid.describe("Operation of the run."),
    provider_config_key: integrationKey.describe("Integration of the function."),
    function: functionName.describe("Name of the function."),
    kind: z
      .enum(["sync", "webhook", "action", "on-event"])
      .describe("What ran; `webhook` for a sync's handler of webhooks."),
    reason: z.enum(["sample", "next_failure"]).describe("By which rule the run was recorded."),
    state: z.enum(["success", "failed"]).describe("How the run ended."),
    calls: z.number().int().describe("Calls on the tape."),
    bytes: z.number().int().describe("Bytes that the tape takes in the database."),
    is_cut: z.boolean().describe("Whether something of the run is not on the tape."),
    created_at: timestamp.describe("When the run ended."),
    expires_at: timestamp.describe("When the tape is deleted."),
  })
  .meta({ id: "TapeSummary", description: "A recorded run, without its contents." });

const rule = z
  .strictObject({
    provider_config_key: integrationKey.describe("Integration of the function."),
    function: functionName.describe("Name of the function."),
    type: functionType.describe("Type of the function."),
    sample: z.number().describe("Share of the runs that are recorded, from 0 to 1."),
    next_failure: z.boolean().describe("Whether the next run that fails is recorded."),
    ends_at: timestamp.describe("When the rule ends."),
    created_at: timestamp.describe("When the rule was set."),
  })
  .meta({ id: "TapeRule", description: "Which runs of a function are recorded." });

const place = z.strictObject({
  uniqueKey: integrationKey.describe("Integration of the function."),
  name: functionName.describe("Name of the function."),
});
const ofType = z.strictObject({
  type: functionType
    .optional()
    .describe("Type of the function; required where functions of several types have the name."),
});

export const tapeRoutes = {
  getTape: defineRoute({
    method: "GET",
    path: "/operations/{operationId}/tape",
    summary: "Get the tape of a recorded run",
    principals: ["environment"],
    scope: "environment:tapes:read",
    params: operation,
    success: { status: 200, schema: z.strictObject({ data: tapeFile.describe("The tape.") }) },
    errors: ["not_found"],
    idempotent: false,
    noStore: true,
  }),
  deleteTape: defineRoute({
    method: "DELETE",
    path: "/operations/{operationId}/tape",
    summary: "Delete the tape of a run",
    principals: ["environment"],
    scope: "environment:tapes:write",
    params: operation,
    success: {
      status: 200,
      schema: z.strictObject({ data: success.describe("The tape is gone.") }),
    },
    errors: ["not_found"],
    idempotent: true,
  }),
  listTapes: defineRoute({
    method: "GET",
    path: "/tapes",
    summary: "List recorded runs, newest first",
    principals: ["environment"],
    scope: "environment:tapes:read",
    query: z.strictObject({
      provider_config_key: integrationKey
        .optional()
        .describe("Only tapes of functions of this integration."),
      function: functionName.optional().describe("Only tapes of functions of this name."),
      operation_id: uuid.optional().describe("Only the tape of this operation."),
      ...pageQuery("Tapes", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(summary).describe("The page of tapes."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  listTapeRules: defineRoute({
    method: "GET",
    path: "/tape-rules",
    summary: "List which runs are recorded",
    principals: ["environment"],
    scope: "environment:tapes:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(rule).describe("The rules that have not ended, the newest first."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  setTapeRule: defineRoute({
    method: "PUT",
    path: "/integrations/{uniqueKey}/functions/{name}/tape-rule",
    summary: "Record runs of a function",
    principals: ["environment"],
    scope: "environment:tapes:write",
    params: place,
    query: ofType,
    body: z.strictObject({
      sample: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe("Share of the runs that are recorded, from 0 to 1. Default: 0."),
      next_failure: z
        .boolean()
        .optional()
        .describe("Whether the next run that fails is recorded. Default: `false`."),
      hours: z
        .int()
        .min(1)
        .max(tapeLimits.maxRuleHours)
        .optional()
        .describe("After how many hours the rule ends. Default: 24."),
    }),
    success: { status: 200, schema: z.strictObject({ data: rule.describe("The rule.") }) },
    errors: ["not_found", "ambiguous_function", "invalid_body", "resource_capped"],
    idempotent: true,
  }),
  deleteTapeRule: defineRoute({
    method: "DELETE",
    path: "/integrations/{uniqueKey}/functions/{name}/tape-rule",
    summary: "Stop recording runs of a function",
    principals: ["environment"],
    scope: "environment:tapes:write",
    params: place,
    query: ofType,
    success: {
      status: 200,
      schema: z.strictObject({ data: success.describe("No run is recorded from now on.") }),
    },
    errors: ["not_found", "ambiguous_function"],
    idempotent: true,
  }),
} as const;
