import * as z from "zod";
import { integrationKey, modelName, timestamp, uuid } from "../fields.ts";

/** What destinations of records consist of, in calls and answers. */

const MOST_NAMES = 20;

/** Of Postgres: what is longer would be cut, and what needs quoting is not for hand-written SQL. */
const identifier = z
  .string()
  .regex(
    /^[a-z_][a-z0-9_]{0,62}$/,
    "may hold small letters, digits and _ only, at most 63, and does not begin with a digit",
  );

export const schemaName = identifier
  .refine(
    (name) => !name.startsWith("pg_") && name !== "information_schema",
    "is a schema of Postgres itself",
  )
  .meta({ id: "SchemaName", description: "Name of a schema of Postgres.", examples: ["public"] });

export const tableName = identifier
  .refine(
    (name) => name !== "jackfield_destinations",
    "is the table in which the position of each destination is stored",
  )
  .meta({
    id: "TableName",
    description: "Name of a table of Postgres.",
    examples: ["provider_records"],
  });

export const destinationName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[\w .-]+$/, "may hold letters, digits, spaces, _, . and - only")
  .describe("Name of the destination, unique in the environment.");

export const databaseUrl = z.string().min(1).max(2000).meta({
  description:
    "Where the database is: `postgres://user:password@host:port/database`. `sslmode` in its query is `verify-full` (default), `verify-ca`, `require` (encrypted, but any certificate is accepted) or `disable`. Stored encrypted, and never shown again.",
});

export const ca = z
  .string()
  .min(1)
  .max(65_536)
  .describe(
    "Certificates (PEM) of the authorities that the server's certificate is checked against, instead of the usual ones. Absent: the usual ones.",
  );

export const destinationModels = z
  .array(modelName)
  .min(1)
  .max(MOST_NAMES)
  .describe("Only these models; `Model::variant` for one variant.");

export const destinationIntegrations = z
  .array(integrationKey)
  .min(1)
  .max(MOST_NAMES)
  .describe("Only records of these integrations.");

export const endpoint = z
  .url({ protocol: /^https?$/, error: "must be a URL such as `https://minio.example.com:9000`" })
  .max(500)
  .refine(
    (text) => /^https?:\/\/[^/?#@]+\/?$/.test(text),
    "must be a scheme, a host and a port only",
  )
  .describe(
    "Address of an S3-compatible service, without a path; the bucket is then part of the path. Absent: Amazon S3 of the region.",
  )
  .meta({ examples: ["https://minio.example.com:9000"] });

export const region = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, "may hold small letters, digits and - only")
  .describe("Region of the bucket, which the signature names; `auto` for Cloudflare R2.")
  .meta({ examples: ["eu-central-1"] });

export const bucket = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be 3 to 63 small letters, digits, - and .")
  .describe("The bucket, which exists already.")
  .meta({ examples: ["example-records"] });

export const prefix = z
  .string()
  .max(200)
  .regex(
    /^(?!\.)[a-zA-Z0-9_.=-]+(\/(?!\.)[a-zA-Z0-9_.=-]+)*$/,
    "must be names of letters, digits, _, -, = and . with / between them; no name begins with .",
  )
  .describe(
    "Folder of the bucket. Destinations that share a bucket need one each. Default `jackfield`.",
  )
  .meta({ examples: ["jackfield/production"] });

export const objectFormat = z
  .enum(["ndjson", "parquet"])
  .describe(
    "`ndjson`: a JSON object in each line, gzipped. `parquet`: Parquet, compressed with Snappy.",
  );

export const accessKeyId = z
  .string()
  .regex(/^[!-~]{1,200}$/, "may hold printable ASCII without spaces only")
  .describe(
    "Access key that may put objects under the prefix. Stored encrypted, and never shown again.",
  );

export const secretAccessKey = z
  .string()
  .regex(/^[!-~]{1,500}$/, "may hold printable ASCII without spaces only")
  .describe("Its secret. Stored encrypted, and never shown again.");

export const intervalSeconds = z
  .number()
  .int()
  .min(1)
  .max(86_400)
  .describe(
    "Least time between two deliveries, in seconds: a longer one makes fewer and larger objects. Default 60.",
  );

const lastError = z
  .strictObject({
    code: z
      .string()
      .describe(
        "What failed: a code of the error table, the SQLSTATE of Postgres (five characters), `table_taken`, `protocol_error`, or the error code of the bucket, such as `AccessDenied`.",
      ),
    message: z.string().describe("What happened and what to do, without passwords and keys."),
    at: timestamp.describe("When it happened."),
  })
  .meta({ id: "DestinationError", description: "Why the last delivery failed." });

/** The same for all kinds. */
const common = {
  id: uuid.describe("Id of the destination."),
  name: z.string().describe("Its name."),
  models: destinationModels.nullable().describe("Only these models; null: all."),
  integrations: destinationIntegrations.nullable().describe("Only these integrations; null: all."),
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
};

const postgresDestination = z
  .strictObject({
    ...common,
    type: z.literal("postgres").describe("A table of Postgres."),
    address: z
      .string()
      .describe("Host, port and database of the URL, without user and password.")
      .meta({ examples: ["db.example.com:5432/app"] }),
    schema: schemaName.describe("Schema of the table."),
    table: tableName.describe("The table with the records."),
  })
  .meta({
    id: "PostgresDestination",
    description: "A table of yours to which changes of records are delivered.",
  });

const s3Destination = z
  .strictObject({
    ...common,
    type: z.literal("s3").describe("Objects in a bucket of S3-compatible storage."),
    address: z
      .string()
      .describe("Host and bucket.")
      .meta({ examples: ["s3.eu-central-1.amazonaws.com/example-records"] }),
    endpoint: z.string().nullable().describe("Address of the service; null: Amazon S3."),
    region,
    bucket,
    prefix,
    format: objectFormat,
    interval_seconds: intervalSeconds,
    folder: z
      .string()
      .describe("Where objects are written now: the prefix and the number of the filling.")
      .meta({ examples: ["jackfield/1767225600000"] }),
  })
  .meta({
    id: "S3Destination",
    description: "A folder of your bucket to which changes of records are delivered.",
  });

export const recordDestination = z
  .discriminatedUnion("type", [postgresDestination, s3Destination])
  .meta({
    id: "RecordDestination",
    description: "A table or a folder of yours to which changes of records are delivered.",
  });
