import * as z from "zod";
import { timestamp, uuid, wholeNumber } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Who changed what, and what was refused. */

const auditEvent = z
  .strictObject({
    id: uuid.describe("Id of the event."),
    at: timestamp.describe("When it happened."),
    actor: z
      .strictObject({
        kind: z
          .enum(["key", "user", "session", "function", "system"])
          .describe("What acted: an API key, a person, a connect session, a function, the server."),
        id: z.string().nullable().describe("Id of the key or person; null for others."),
        name: z.string().nullable().describe("Its name at that time; null for others."),
        address: z.string().nullable().describe("Network address of the caller; null without one."),
        user_agent: z
          .string()
          .nullable()
          .describe("`User-Agent` of the caller, cut at 255 characters; null without one."),
      })
      .describe("On whose behalf it was done."),
    via: z
      .enum(["key", "session", "sign-in", "system"])
      .describe(
        "How the caller proved who they are: an API key, a session of a person, a sign-in; `system` for the server itself.",
      ),
    action: z.string().meta({
      description: "What was done: the name of the API's operation, such as `createApiKey`.",
      examples: ["createApiKey"],
    }),
    environment_id: uuid
      .nullable()
      .describe("Environment that it was done in; null for the account."),
    target: z.record(z.string(), z.string()).meta({
      description: "What it was done to, by name.",
      examples: [{ provider_config_key: "github" }],
    }),
    fields: z
      .record(z.string(), z.string())
      .describe(
        "Names of the fields that were sent. The value is a keyed hash (`#…`), by which equal values are recognised, or the value itself where it is harmless.",
      ),
    request_id: z.string().nullable().describe("Id of the request in the log; null without one."),
    outcome: z.enum(["done", "refused"]).describe("`refused`: the caller may not do this."),
    code: z.string().nullable().describe("Error code of a refusal; null otherwise."),
    sealed: z
      .boolean()
      .describe("Whether the chain of seals covers it, which happens within seconds."),
  })
  .meta({ id: "AuditEvent", description: "A change, or one that was refused." });

const filter = {
  action: z.string().min(1).max(100).optional().describe("Only events of this name."),
  actor: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("Only events of the key or person with this id."),
  environment_id: uuid.optional().describe("Only events in this environment."),
  outcome: z.enum(["done", "refused"]).optional().describe("Only changes, or only refusals."),
  from: timestamp.optional().describe("Only events at this time or later."),
  to: timestamp.optional().describe("Only events before this time."),
};

export const auditRoutes = {
  listAuditEvents: defineRoute({
    method: "GET",
    path: "/audit",
    summary: "List who changed what in the account, and what was refused, newest first",
    principals: ["account"],
    scope: "account:audit:read",
    query: z.strictObject({
      ...filter,
      limit: wholeNumber({ min: 1, max: 500 })
        .optional()
        .describe("Events on a page, 1 to 500. Default 100."),
      cursor: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("`next_cursor` of the page before. Default: the first page."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(auditEvent).describe("The events, newest first."),
        next_cursor: z.string().nullable().describe("For the next page; null on the last."),
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  exportAuditEvents: defineRoute({
    method: "GET",
    path: "/audit/export",
    summary: "All events that fit, newest first, as one file: JSON lines or CSV",
    principals: ["account"],
    scope: "account:audit:read",
    query: z.strictObject({
      ...filter,
      format: z.enum(["ndjson", "csv"]).optional().describe("Form of the file. Default `ndjson`."),
    }),
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
    sessions: "taken",
  }),
  getAuditHead: defineRoute({
    method: "GET",
    path: "/audit/head",
    summary: "Get the last seal: kept elsewhere, it proves that nothing before it was removed",
    principals: ["account"],
    scope: "account:audit:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            seal_id: z
              .number()
              .int()
              .nullable()
              .describe("Number of the last seal; null without one."),
            seal: z.string().nullable().describe("The seal in hexadecimal; null without one."),
            sealed_at: timestamp.nullable().describe("When it was made; null without one."),
          })
          .meta({ id: "AuditHead", description: "The end of the chain of seals." }),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
