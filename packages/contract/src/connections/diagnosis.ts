import * as z from "zod";
import { defineRoute } from "../route.ts";
import { idParams, integrationQuery, integrationSynonyms } from "./connection.ts";
import { credentialSummaryRoutes } from "./credential-summary.ts";

/** Why a connection does not work: each part of the way to its provider, tried in order. */

const diagnosisChecks = [
  "dns",
  "tls",
  "reachable",
  "token",
  "scopes",
  "test_request",
  "webhook_in",
  "webhook_out",
] as const;

const check = z
  .strictObject({
    check: z.enum(diagnosisChecks).meta({
      description:
        "`dns`: the provider's host has an address that may be called; `tls`: its certificate holds; `reachable`: it answers HTTP; `token`: there are credentials that can be used, refreshed if need be; `scopes`: what the integration asks for was granted; `test_request`: the call that the catalogue names to try credentials; `webhook_in`: webhooks of the provider arrive; `webhook_out`: your endpoints accept webhooks.",
    }),
    status: z
      .enum(["ok", "warning", "failed", "skipped"])
      .describe("`skipped`: there is nothing to try, or an earlier check failed."),
    message: z.string().describe("What was found, as a sentence."),
    code: z.string().nullable().describe("Error code of a failure; null without one."),
    next_step: z.string().nullable().describe("What to do about it; null where nothing is to do."),
    upstream: z
      .strictObject({
        status: z.number().int().describe("HTTP status."),
        body: z.string().describe("Beginning of the answer, without credentials."),
      })
      .nullable()
      .describe("What the provider answered; null where it answered nothing of interest."),
    scopes: z
      .strictObject({
        asked: z.array(z.string()).describe("Scopes that the integration asks for."),
        granted: z.array(z.string()).describe("Scopes that the provider says it granted."),
        missing: z.array(z.string()).describe("Scopes that were asked for and not granted."),
      })
      .nullable()
      .describe("Of the check `scopes`; null where the provider does not say what it granted."),
    duration_ms: z.number().int().describe("How long the check took."),
  })
  .meta({ id: "DiagnosisCheck", description: "One part of the way, and how it is." });

export const diagnosisRoutes = {
  diagnoseConnection: defineRoute({
    method: "POST",
    path: "/connections/{connectionId}/diagnose",
    summary: "Try each part of the way to a connection's provider, and say what to do",
    principals: ["environment"],
    scope: "environment:connections:read",
    params: idParams,
    query: integrationQuery,
    synonyms: integrationSynonyms,
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            status: z
              .enum(["ok", "warning", "failed"])
              .describe("That of the check that is worst."),
            cause: z
              .enum(diagnosisChecks)
              .nullable()
              .describe("The first check that failed, or else that warns; null when all is well."),
            next_step: z.string().nullable().describe("What to do about the cause; null without."),
            host: z.string().nullable().describe("Host of the provider's API; null if unknown."),
            checks: z.array(check).describe("All checks, in order."),
          })
          .meta({ id: "Diagnosis", description: "How a connection is, and what to do." }),
      }),
    },
    errors: ["not_found", { code: "unknown_provider_config", status: 400 }],
    idempotent: false,
  }),
  ...credentialSummaryRoutes,
} as const;
