import * as z from "zod";
import { nextCursor, pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Who changed what, and what was refused. */

const auditEvent = z
  .strictObject({
    id: uuid.describe("Id of the event."),
    at: timestamp.describe("When it happened."),
    actor: z
      .strictObject({
        kind: z
          .enum(["key", "user", "session", "agent", "function", "system"])
          .describe(
            "What acted: an API key, a person, a connect session, an agent's session, a function, the server.",
          ),
        id: z.string().nullable().describe("Id of the key or person; null for others."),
        name: z
          .string()
          .nullable()
          .describe("Its name at that time; null for others, and where it was erased."),
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
        "Names of the fields that were sent. The value is a keyed hash (`#…`), by which equal values are recognized, or the value itself where it is harmless.",
      ),
    before: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        "What was there before, in the form of `fields`; null where nothing was, or the change does not say.",
      ),
    request_id: z.string().nullable().describe("Id of the request in the log; null without one."),
    outcome: z.enum(["done", "refused"]).describe("`refused`: the caller may not do this."),
    code: z.string().nullable().describe("Error code of a refusal; null otherwise."),
    sealed: z
      .boolean()
      .describe("Whether the chain of seals covers it, which happens within seconds."),
  })
  .meta({ id: "AuditEvent", description: "A change, or one that was refused." });

const credentialReads = z
  .strictObject({
    minute: timestamp.describe("Begin of the minute."),
    environment_id: uuid.describe("Environment of the connection."),
    key: z
      .strictObject({
        id: uuid.describe("Id of the key."),
        name: z.string().nullable().describe("Its current name; null if it was deleted."),
      })
      .describe("The key that has read."),
    connection: z
      .strictObject({
        uuid: uuid.describe("The connection, also after it was deleted."),
        connection_id: z
          .string()
          .nullable()
          .describe("Its name now; null for one that was deleted."),
        provider_config_key: z
          .string()
          .nullable()
          .describe("Its integration; null for one that was deleted."),
      })
      .nullable()
      .describe("The connection; null for reads of more connections than were counted one by one."),
    reads: z.number().int().describe("How often."),
  })
  .meta({ id: "CredentialReads", description: "Reads of credentials by a key in a minute." });

const filter = {
  action: z.string().min(1).max(100).optional().describe("Only events of this name."),
  actor: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("Only events of the key or person with this id."),
  environment_id: uuid.optional().describe("Only events in this environment."),
  target: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      "Only events about this thing: a value of `target`, such as an id, a name, or the e-mail address of a user. A connection is found together with `environment_id`.",
    ),
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
      ...pageQuery("Events", { most: 500, usual: 100 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(auditEvent).describe("The events, newest first."),
        next_cursor: nextCursor,
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
  listCredentialReads: defineRoute({
    method: "GET",
    path: "/audit/credential-reads",
    summary:
      "List how often keys have read the credentials of connections, by the minute, latest first",
    principals: ["account"],
    scope: "account:audit:read",
    query: z.strictObject({
      key_id: uuid.optional().describe("Only reads by the key with this id."),
      environment_id: uuid.optional().describe("Only reads in this environment."),
      connection_id: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe("Only reads of connections of this name."),
      from: filter.from.describe("Only minutes that begin at this time or later."),
      to: filter.to.describe("Only minutes that begin before this time."),
      ...pageQuery("Minutes", { most: 500, usual: 100 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(credentialReads).describe("Minutes in which a key has read credentials."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
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
