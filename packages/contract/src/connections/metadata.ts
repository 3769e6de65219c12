import * as z from "zod";
import { connectionId, integrationKey, jsonObject } from "../fields.ts";
import { defineRoute, replacedBy } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";
import {
  idParams,
  integrationHeader,
  integrationQuery,
  integrationSynonyms,
} from "./connection.ts";

/** Metadata: what you know of a connection, kept with it. */

const metadataBody = z
  .strictObject({
    connection_id: z.union([connectionId, z.array(connectionId).max(1000)]).meta({
      description:
        "One connection, or a list of up to 1,000. If one of them does not exist, nothing changes.",
      examples: ["user-42"],
    }),
    provider_config_key: integrationKey.describe("Integration of these connections."),
    metadata: jsonObject.meta({ description: "Any JSON object.", examples: [{ plan: "free" }] }),
  })
  .meta({
    id: "MetadataChange",
    description: "Metadata for one or many connections of an integration.",
  });

const metadataSynonyms = { body: camelCaseOf("connection_id", "provider_config_key") };

const metadataOfOne = {
  path: "/connection/{connectionId}/metadata",
  principals: ["environment"],
  scope: "environment:connections:update",
  params: idParams,
  query: integrationQuery.partial(),
  headers: integrationHeader,
  synonyms: integrationSynonyms,
  messageNextToError: true,
  body: jsonObject,
  errors: ["unknown_connection", "missing_provider_config"],
} as const;

export const metadataRoutes = {
  setMetadata: defineRoute({
    method: "POST",
    path: "/connections/metadata",
    summary: "Replace the metadata of one or many connections",
    principals: ["environment"],
    scope: "environment:connections:update",
    body: metadataBody,
    success: { status: 201, schema: metadataBody },
    errors: ["unknown_connection"],
    idempotent: true,
    synonyms: metadataSynonyms,
    messageNextToError: true,
    aliases: ["/connection/metadata"],
  }),
  updateMetadata: defineRoute({
    method: "PATCH",
    path: "/connections/metadata",
    summary: "Merge metadata into one or many connections, first level only",
    principals: ["environment"],
    scope: "environment:connections:update",
    body: metadataBody,
    success: { status: 200, schema: metadataBody },
    errors: ["unknown_connection"],
    idempotent: false,
    synonyms: metadataSynonyms,
    messageNextToError: true,
    aliases: ["/connection/metadata"],
  }),
  setMetadataOfOne: defineRoute({
    ...metadataOfOne,
    method: "POST",
    summary: "Replace the metadata of one connection; the body is the metadata",
    success: { status: 201, schema: jsonObject },
    idempotent: true,
    deprecated: replacedBy("POST /connections/metadata"),
  }),
  updateMetadataOfOne: defineRoute({
    ...metadataOfOne,
    method: "PATCH",
    summary: "Merge metadata into one connection; the body is the metadata",
    success: { status: 200, schema: jsonObject },
    idempotent: false,
    deprecated: replacedBy("PATCH /connections/metadata"),
  }),
} as const;
