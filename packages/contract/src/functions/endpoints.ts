import * as z from "zod";
import { connectionId, integrationKey } from "../fields.ts";
import { defineRoute, replacedBy } from "../route.ts";
import { actionErrors } from "./action-errors.ts";

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
      "connection-id": connectionId.describe(
        "Connection to run the action or read the records for.",
      ),
      "provider-config-key": integrationKey.describe(
        "Integration whose function declares the endpoint.",
      ),
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
      ...actionErrors,
    ],
    idempotent: false,
    raw: true,
    sessions: "refused",
    messageNextToError: true,
    deprecated: replacedBy("POST /action/trigger"),
  }),
} as const;
