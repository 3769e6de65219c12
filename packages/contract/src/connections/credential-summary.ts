import * as z from "zod";
import { timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { idParams, integrationQuery, integrationSynonyms } from "./connection.ts";

/** What the credentials of a connection consist of and allow, without their values. */

const wantedScope = z
  .strictObject({
    scope: z.string().meta({ description: "The scope.", examples: ["contacts.read"] }),
    by_integration: z
      .boolean()
      .describe(
        "Whether the integration asks end users for it, or the connection does in its place.",
      ),
    functions: z.array(z.string()).meta({
      description: "Names of the enabled functions that need it, in order.",
      examples: [["contacts"]],
    }),
    is_granted: z
      .boolean()
      .nullable()
      .describe("Whether the provider granted it; null where it does not say what it granted."),
  })
  .meta({ id: "WantedScope", description: "A scope that the integration or a function needs." });

const summary = z
  .strictObject({
    type: z.string().describe("Type of the credentials: the provider's `auth_mode`."),
    version: z
      .number()
      .int()
      .describe(
        "From 1; each write of the credentials raises it: a refresh, a new authorization, an import.",
      ),
    issued_at: timestamp
      .nullable()
      .describe("When the provider issued them; null for credentials that were imported."),
    expires_at: timestamp
      .nullable()
      .describe("When they expire; null when they do not, or when it is not known."),
    fields: z.array(z.string()).meta({
      description:
        "Names of the fields that have a value, as `POST /connections/{connectionId}/reveal` takes them. `webhook_secret` is among them where one is set.",
      examples: [["access_token", "refresh_token"]],
    }),
    scopes: z
      .strictObject({
        granted: z
          .array(z.string())
          .nullable()
          .describe("Scopes that the provider says it granted; null where it does not say."),
        wanted: z
          .array(wantedScope)
          .describe("Scopes that the integration asks for, and those that its functions need."),
        missing: z
          .array(z.string())
          .describe("Wanted scopes that were not granted; empty where that is not known."),
      })
      .describe("What the credentials allow, next to what they should allow."),
  })
  .meta({
    id: "CredentialSummary",
    description: "What a connection's credentials consist of and allow. Contains no secret.",
  });

export const credentialSummaryRoutes = {
  getCredentialSummary: defineRoute({
    method: "GET",
    path: "/connections/{connectionId}/credential-summary",
    summary: "What a connection's credentials consist of and allow, without their values",
    principals: ["environment"],
    scope: "environment:connections:read",
    params: idParams,
    query: integrationQuery,
    synonyms: integrationSynonyms,
    success: {
      status: 200,
      schema: z.strictObject({ data: summary.describe("The summary.") }),
    },
    errors: ["not_found", { code: "unknown_provider_config", status: 400 }],
    idempotent: false,
  }),
} as const;
