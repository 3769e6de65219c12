import * as z from "zod";
import { connectionId, flag, functionName, integrationKey, uuid, wholeNumber } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";
import { actionErrors } from "./action-errors.ts";

/** An empty header is one that was not sent. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((text) => (text === "" ? undefined : text), schema.optional());
}

/** Integration and connection stand in headers, query or body. */
const place = {
  provider_config_key: integrationKey
    .optional()
    .describe("Integration of the action, unless the header `Provider-Config-Key` names it."),
  connection_id: connectionId
    .optional()
    .describe("Connection to run the action for, unless the header `Connection-Id` names it."),
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
      "connection-id": optional(connectionId).describe(
        "Connection to run the action for; can be sent in the query or the body instead.",
      ),
      "provider-config-key": optional(integrationKey).describe(
        "Integration of the action; can be sent in the query or the body instead.",
      ),
      "x-async": optional(flag).describe(
        "`true` queues the action and answers 202 at once. Get the output from `GET /action/{id}`, or wait for the webhook `async_action`.",
      ),
      "x-max-retries": optional(wholeNumber({ min: 0, max: 5 })).describe(
        "How often a queued action is run again after a failure, 0 to 5. Default 0; has no effect without `X-Async`.",
      ),
    }),
    query: z.strictObject(place),
    body: z.strictObject({
      ...place,
      action_name: functionName.describe("Action to run."),
      input: z
        .unknown()
        .optional()
        .meta({
          description:
            "Input of the action, any JSON value. It must match the action's input schema.",
          examples: [{ email: "a@example.com" }],
        }),
    }),
    bodyLimit: "action",
    synonyms: {
      query: camelCaseOf("provider_config_key", "connection_id"),
      body: camelCaseOf("provider_config_key", "connection_id", "action_name"),
    },
    success: { status: 200, schema: z.unknown() },
    accepted: {
      status: 202,
      schema: z
        .strictObject({
          id: uuid.describe("Id under which `GET /action/{id}` answers the output."),
          statusUrl: z.string().meta({
            description: "Path of that call, relative to the server.",
            examples: ["/action/0190f5d2-8c1e-7f4a-b1c2-3d4e5f6a7b8c"],
          }),
        })
        .meta({ id: "AsyncAction" }),
    },
    errors: [
      "unknown_provider",
      { code: "unknown_connection", status: 400 },
      "not_found",
      "request_too_large",
      "disabled_resource",
      ...actionErrors,
    ],
    idempotent: "once",
    leavesCaches: true,
    raw: true,
    sessions: "taken",
  }),
  getAsyncActionResult: defineRoute({
    method: "GET",
    path: "/action/{id}",
    summary:
      "Output of an action that was started with X-Async; 404 with Retry-After while it runs",
    principals: ["environment"],
    scope: "environment:actions:execute",
    params: z.strictObject({
      id: uuid.describe("Id that the 202 answer of `POST /action/trigger` has given."),
    }),
    success: { status: 200, schema: z.unknown() },
    errors: ["not_found", ...actionErrors],
    idempotent: false,
    raw: true,
    sessions: "taken",
  }),
} as const;
