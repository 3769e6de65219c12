import * as z from "zod";
import { integrationKey, modelName, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Databases of the customer, to which the changes of records are delivered. */

const MOST_NAMES = 20;

/** Of Postgres: what is longer would be cut, and what needs quoting is not for hand-written SQL. */
const identifier = z
  .string()
  .regex(
    /^[a-z_][a-z0-9_]{0,62}$/,
    "may hold small letters, digits and _ only, at most 63, and does not begin with a digit",
  );

const schemaName = identifier
  .refine(
    (name) => !name.startsWith("pg_") && name !== "information_schema",
    "is a schema of Postgres itself",
  )
  .meta({ id: "SchemaName", description: "Name of a schema of Postgres.", examples: ["public"] });

const tableName = identifier
  .refine(
    (name) => name !== "jackfield_destinations",
    "is the table in which the position of each destination is stored",
  )
  .meta({
    id: "TableName",
    description: "Name of a table of Postgres.",
    examples: ["provider_records"],
  });

const name = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[\w .-]+$/, "may hold letters, digits, spaces, _, . and - only")
  .describe("Name of the destination, unique in the environment.");

const url = z.string().min(1).max(2000).meta({
  description:
    "Where the database is: `postgres://user:password@host:port/database`. `sslmode` in its query is `verify-full` (default), `verify-ca`, `require` (encrypted, but any certificate is accepted) or `disable`. Stored encrypted, and never shown again.",
});

const ca = z
  .string()
  .min(1)
  .max(65_536)
  .describe(
    "Certificates (PEM) of the authorities that the server's certificate is checked against, instead of the usual ones. Absent: the usual ones.",
  );

const models = z
  .array(modelName)
  .min(1)
  .max(MOST_NAMES)
  .describe("Only these models; `Model::variant` for one variant.");

const integrations = z
  .array(integrationKey)
  .min(1)
  .max(MOST_NAMES)
  .describe("Only records of these integrations.");

const lastError = z
  .strictObject({
    code: z
      .string()
      .describe(
        "What failed: a code of the error table, the SQLSTATE of Postgres (five characters), or `table_taken`, `protocol_error`.",
      ),
    message: z.string().describe("What happened and what to do, without the password."),
    at: timestamp.describe("When it happened."),
  })
  .meta({ id: "DestinationError", description: "Why the last delivery failed." });

const destination = z
  .strictObject({
    id: uuid.describe("Id of the destination."),
    name: z.string().describe("Its name."),
    type: z.literal("postgres").describe("Kind of database."),
    address: z
      .string()
      .describe("Host, port and database of the URL, without user and password.")
      .meta({ examples: ["db.example.com:5432/app"] }),
    schema: schemaName.describe("Schema of the table."),
    table: tableName.describe("The table with the records."),
    models: models.nullable().describe("Only these models; null: all."),
    integrations: integrations.nullable().describe("Only these integrations; null: all."),
    state: z
      .enum(["active", "failing", "paused"])
      .describe(
        "`active`: changes are delivered. `failing`: the last attempt failed, and is repeated. `paused`: nothing is delivered; `pause_reason` says why.",
      ),
    pause_reason: z
      .enum(["requested", "restored_copy"])
      .nullable()
      .describe(
        "`requested`: by a call. `restored_copy`: the installation is a copy whose original may deliver to the same table. Null unless paused.",
      ),
    delivered: z
      .number()
      .int()
      .describe("How many changes were delivered since the destination was created."),
    last_delivered_at: timestamp
      .nullable()
      .describe("When the last changes were delivered; null before the first."),
    lag_seconds: z
      .number()
      .describe(
        "How long the oldest change that is not delivered has been known, in seconds; 0 when nothing waits.",
      ),
    failures: z.number().int().describe("How many attempts in a row have failed."),
    failing_since: timestamp
      .nullable()
      .describe("When the first of these attempts failed; null when none has."),
    last_error: lastError.nullable().describe("Why the last attempt failed; null when none has."),
    next_attempt_at: timestamp
      .nullable()
      .describe("When the server looks for changes next; null while paused."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When its settings last changed."),
  })
  .meta({
    id: "RecordDestination",
    description: "A table of yours to which changes of records are delivered.",
  });

const params = z.strictObject({ destinationId: uuid.describe("The destination.") });
const data = z.strictObject({ data: destination.describe("The destination.") });
const one = { status: 200, schema: data } as const;

export const recordDestinationRoutes = {
  createRecordDestination: defineRoute({
    method: "POST",
    path: "/records/destinations",
    summary: "Deliver changes of records to a table of your own Postgres",
    principals: ["environment"],
    scope: "environment:destinations:write",
    body: z
      .strictObject({
        name,
        type: z.literal("postgres").describe("Kind of database."),
        url,
        ca_certificate: ca.optional(),
        schema: schemaName
          .optional()
          .describe("Schema of the table; created if it is missing. Default `public`."),
        table: tableName.describe(
          "The table; created by the server. A table that exists already is refused, unless this server made it for the same destination.",
        ),
        models: models.optional(),
        integrations: integrations.optional(),
        paused: z.boolean().optional().describe("`true`: deliver nothing yet. Default `false`."),
      })
      .meta({
        id: "NewRecordDestination",
        examples: [
          {
            name: "warehouse",
            type: "postgres",
            url: "postgres://jackfield:secret@db.example.com:5432/app",
            table: "provider_records",
          },
        ],
      }),
    success: { status: 201, schema: data },
    errors: ["conflict", "resource_capped", "destination_not_allowed"],
    stepUp: "production",
    idempotent: true,
  }),
  listRecordDestinations: defineRoute({
    method: "GET",
    path: "/records/destinations",
    summary: "List the destinations of records, with how far each is",
    principals: ["environment"],
    scope: "environment:destinations:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(destination).describe("The destinations, by name; at most 20."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  getRecordDestination: defineRoute({
    method: "GET",
    path: "/records/destinations/{destinationId}",
    summary: "Get a destination of records, with how far it is",
    principals: ["environment"],
    scope: "environment:destinations:read",
    params,
    success: one,
    errors: ["not_found"],
    idempotent: false,
  }),
  updateRecordDestination: defineRoute({
    method: "PATCH",
    path: "/records/destinations/{destinationId}",
    summary: "Change, pause or resume a destination of records",
    principals: ["environment"],
    scope: "environment:destinations:write",
    params,
    body: z
      .strictObject({
        name: name.optional(),
        url: url.optional(),
        ca_certificate: ca.nullable().optional().describe("Null: the usual authorities again."),
        models: models
          .nullable()
          .optional()
          .describe("Other models; null: all. The table is then emptied and filled again."),
        integrations: integrations
          .nullable()
          .optional()
          .describe("Other integrations; null: all. The table is then emptied and filled again."),
        paused: z
          .boolean()
          .optional()
          .describe("`true` pauses, `false` resumes where it stopped, at once."),
      })
      .refine((body) => Object.keys(body).length > 0, "must change something")
      .meta({ id: "RecordDestinationChange", examples: [{ paused: true }] }),
    success: one,
    errors: ["not_found", "conflict", "destination_not_allowed"],
    stepUp: "production",
    idempotent: true,
  }),
  restartRecordDestination: defineRoute({
    method: "POST",
    path: "/records/destinations/{destinationId}/restart",
    summary: "Empty the table of a destination, and deliver all records again",
    principals: ["environment"],
    scope: "environment:destinations:write",
    params,
    success: one,
    errors: ["not_found"],
    stepUp: "production",
    idempotent: true,
  }),
  deleteRecordDestination: defineRoute({
    method: "DELETE",
    path: "/records/destinations/{destinationId}",
    summary: "Delete a destination of records; its table stays as it is",
    principals: ["environment"],
    scope: "environment:destinations:write",
    params,
    success: { status: 204 },
    errors: ["not_found"],
    stepUp: "production",
    idempotent: false,
  }),
} as const;
