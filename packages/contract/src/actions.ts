import * as z from "zod";
import { connectionId, flag, functionName, integrationKey, wholeNumber } from "./fields.ts";
import { defineRoute } from "./route.ts";
import { camelCaseOf } from "./synonyms.ts";

/** How a run of an action may end a call. */
const runErrors = [
  "action_outcome_unknown",
  "action_script_runtime_error",
  "script_http_error",
  "script_network_error",
  "script_internal_error",
  "script_aborted",
  "script_output_too_large",
  "invalid_action_input",
  "invalid_action_output",
  "execution_timeout",
  "function_runtime_timed_out",
  "function_runtime_out_of_memory",
  "function_runtime_other",
  "overloaded",
] as const;

/** An empty header is one that was not sent. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((text) => (text === "" ? undefined : text), schema.optional());
}

/** Integration and connection stand in headers, query or body. */
const place = {
  provider_config_key: integrationKey.optional(),
  connection_id: connectionId.optional(),
};

/** Actions: functions that run on demand. */
export const actionRoutes = {
  triggerAction: defineRoute({
    method: "POST",
    path: "/action/trigger",
    summary: "Run an action and answer with its output; with X-Async at once with 202 and an id",
    principals: ["environment"],
    scope: "environment:actions:execute",
    headers: z.looseObject({
      "connection-id": optional(connectionId),
      "provider-config-key": optional(integrationKey),
      "x-async": optional(flag),
      "x-max-retries": optional(wholeNumber({ min: 0, max: 5 })),
    }),
    query: z.strictObject(place),
    body: z.strictObject({ ...place, action_name: functionName, input: z.unknown().optional() }),
    bodyLimit: "action",
    synonyms: {
      query: camelCaseOf("provider_config_key", "connection_id"),
      body: camelCaseOf("provider_config_key", "connection_id", "action_name"),
    },
    success: { status: 200, schema: z.unknown() },
    accepted: { status: 202, schema: z.strictObject({ id: z.uuid(), statusUrl: z.string() }) },
    errors: [
      "unknown_provider",
      { code: "unknown_connection", status: 400 },
      "not_found",
      "request_too_large",
      "disabled_resource",
      ...runErrors,
    ],
    idempotent: "once",
    leavesCaches: true,
    raw: true,
  }),
  getAsyncActionResult: defineRoute({
    method: "GET",
    path: "/action/{id}",
    summary:
      "Output of an action that was started with X-Async; 404 with Retry-After while it runs",
    principals: ["environment"],
    scope: "environment:actions:execute",
    params: z.strictObject({ id: z.uuid() }),
    success: { status: 200, schema: z.unknown() },
    errors: ["not_found", ...runErrors],
    idempotent: false,
    raw: true,
  }),
} as const;
