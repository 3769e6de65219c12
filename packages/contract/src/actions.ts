import * as z from "zod";
import { connectionId, functionName, integrationKey } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Actions: functions that run on demand. Source: HTTP contract 2.10. */
export const actionRoutes = {
  triggerAction: defineRoute({
    method: "POST",
    path: "/action/trigger",
    summary: "Run an action and answer with its output",
    principals: ["environment"],
    scope: "environment:actions:execute",
    headers: z.looseObject({
      "connection-id": connectionId,
      "provider-config-key": integrationKey,
    }),
    body: z.looseObject({ action_name: functionName, input: z.unknown().optional() }),
    success: { status: 200, schema: z.unknown() },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "not_found",
      "request_too_large",
      "disabled_resource",
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
    ],
    idempotent: "once",
    raw: true,
  }),
} as const;
