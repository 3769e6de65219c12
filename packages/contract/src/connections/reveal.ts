import * as z from "zod";
import { integrationKey } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { idParams, integrationQuery, integrationSynonyms } from "./connection.ts";

/** Secrets one at a time, for people who look after connections and integrations. */

const body = z.strictObject({
  field: z
    .string()
    .regex(/^[a-z][a-zA-Z0-9_]{0,99}$/, "must be the name of a field, such as access_token")
    .meta({ description: "Name of the field to show.", examples: ["access_token"] }),
});

const success = {
  status: 200,
  schema: z.strictObject({
    data: z
      .strictObject({
        field: z.string().describe("Name of the field."),
        value: z.string().describe("Its value as it is stored; an object as JSON text."),
      })
      .meta({ id: "RevealedField", description: "One field of credentials." }),
  }),
} as const;

export const revealRoutes = {
  revealConnectionField: defineRoute({
    method: "POST",
    path: "/connections/{connectionId}/reveal",
    summary: "Show one field of a connection's credentials, as stored",
    principals: ["environment"],
    scope: "environment:connections:read_credentials",
    stepUp: "always",
    noStore: true,
    params: idParams,
    query: integrationQuery,
    synonyms: integrationSynonyms,
    body,
    success,
    errors: ["not_found", "connection_frozen", { code: "unknown_provider_config", status: 400 }],
    idempotent: false,
    leavesCaches: true,
  }),
  revealIntegrationField: defineRoute({
    method: "POST",
    path: "/integrations/{uniqueKey}/reveal",
    summary: "Show one field of an integration's own credentials, such as its client secret",
    principals: ["environment"],
    scope: "environment:integrations:read_credentials",
    stepUp: "always",
    noStore: true,
    params: z.strictObject({ uniqueKey: integrationKey.describe("The integration.") }),
    body,
    success,
    errors: ["not_found"],
    idempotent: false,
    leavesCaches: true,
  }),
} as const;
