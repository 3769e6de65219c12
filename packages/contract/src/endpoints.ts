import * as z from "zod";
import { connectionId, integrationKey } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Paths that functions declare for themselves, kept for older callers. */
export const endpointRoutes = {
  callEndpoint: defineRoute({
    method: "ANY",
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    path: "/v1/{path+}",
    summary: "Run the action, or list the records, of the function that declares this endpoint",
    principals: ["environment"],
    scope: ["environment:actions:execute", "environment:records:read"],
    headers: z.looseObject({
      "connection-id": connectionId,
      "provider-config-key": integrationKey,
    }),
    bodyLimit: "action",
    success: { status: 200, schema: z.unknown() },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "not_found",
      "invalid_json",
      "request_too_large",
      "disabled_resource",
      "invalid_cursor",
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
    idempotent: false,
    raw: true,
    messageNextToError: true,
    deprecated: { since: "2026-11-21", sunset: "2027-11-21", use: "POST /action/trigger" },
  }),
} as const;
