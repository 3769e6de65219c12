import * as z from "zod";
import { uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import {
  accessKeyId,
  bucket,
  ca,
  databaseUrl,
  destinationIntegrations,
  destinationModels,
  destinationName,
  endpoint,
  intervalSeconds,
  objectFormat,
  prefix,
  recordDestination,
  region,
  schemaName,
  secretAccessKey,
  tableName,
} from "./record-destination-fields.ts";

/** Databases and buckets of the customer, to which the changes of records are delivered. */

const params = z.strictObject({ destinationId: uuid.describe("The destination.") });
const data = z.strictObject({ data: recordDestination.describe("The destination.") });
const one = { status: 200, schema: data } as const;

const common = {
  name: destinationName,
  ca_certificate: ca.optional(),
  models: destinationModels.optional(),
  integrations: destinationIntegrations.optional(),
  paused: z.boolean().optional().describe("`true`: deliver nothing yet. Default `false`."),
};

const newPostgres = z
  .strictObject({
    ...common,
    type: z.literal("postgres").describe("A table of Postgres."),
    url: databaseUrl,
    schema: schemaName
      .optional()
      .describe("Schema of the table; created if it is missing. Default `public`."),
    table: tableName.describe(
      "The table; created by the server. A table that exists already is refused, unless this server made it for the same destination.",
    ),
  })
  .meta({ id: "NewPostgresDestination" });

const newS3 = z
  .strictObject({
    ...common,
    type: z.literal("s3").describe("Objects in a bucket of S3-compatible storage."),
    endpoint: endpoint.optional(),
    region,
    bucket,
    prefix: prefix.optional(),
    format: objectFormat,
    interval_seconds: intervalSeconds.optional(),
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
  })
  .meta({ id: "NewS3Destination" });

export const recordDestinationRoutes = {
  createRecordDestination: defineRoute({
    method: "POST",
    path: "/records/destinations",
    summary: "Deliver changes of records to your own Postgres or S3-compatible storage",
    principals: ["environment"],
    scope: "environment:destinations:write",
    body: z.discriminatedUnion("type", [newPostgres, newS3]).meta({
      id: "NewRecordDestination",
      description: "A table of Postgres, or a folder in a bucket of S3-compatible storage.",
      examples: [
        {
          name: "warehouse",
          type: "postgres",
          url: "postgres://jackfield:secret@db.example.com:5432/app",
          table: "provider_records",
        },
        {
          name: "lake",
          type: "s3",
          region: "eu-central-1",
          bucket: "example-records",
          format: "parquet",
          access_key_id: "AKIDEXAMPLE",
          secret_access_key: "secret",
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
        data: z.array(recordDestination).describe("The destinations, by name; at most 20."),
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
        name: destinationName.optional(),
        url: databaseUrl.optional().describe("Only for `postgres`: another URL."),
        access_key_id: accessKeyId
          .optional()
          .describe("Only for `s3`, with `secret_access_key`: another access key."),
        secret_access_key: secretAccessKey
          .optional()
          .describe("Only for `s3`, with `access_key_id`: its secret."),
        interval_seconds: intervalSeconds.optional().describe("Only for `s3`."),
        ca_certificate: ca.nullable().optional().describe("Null: the usual authorities again."),
        models: destinationModels
          .nullable()
          .optional()
          .describe(
            "Other models; null: all. Everything is then delivered again, to an emptied table or a new folder.",
          ),
        integrations: destinationIntegrations
          .nullable()
          .optional()
          .describe(
            "Other integrations; null: all. Everything is then delivered again, to an emptied table or a new folder.",
          ),
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
    summary: "Deliver all records of a destination again, to an emptied table or a new folder",
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
    summary: "Delete a destination of records; what was delivered stays as it is",
    principals: ["environment"],
    scope: "environment:destinations:write",
    params,
    success: { status: 204 },
    errors: ["not_found"],
    stepUp: "production",
    idempotent: false,
  }),
} as const;
