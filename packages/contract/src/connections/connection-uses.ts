import * as z from "zod";
import { pageQuery, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { idParams, integrationQuery, integrationSynonyms } from "./connection.ts";

/** Who has used or read a connection's credentials. */

const use = z
  .strictObject({
    kind: z
      .enum(["key", "function", "agent", "user"])
      .describe(
        "Who it was: an API key, a function, the session of an agent, a person who signed in.",
      ),
    id: z
      .string()
      .nullable()
      .describe(
        "Id of the key, the agent's session or the user; null for functions, and for those of whom there was no room to count each.",
      ),
    name: z
      .string()
      .nullable()
      .describe(
        "Name of the function, or of the key or person as they are called now; null for agents, and for keys and people that are gone.",
      ),
    way: z
      .enum(["read", "call", "reveal"])
      .describe(
        "`read`: was given the credentials; `call`: had the provider called with them, and saw none; `reveal`: was shown one field.",
      ),
    uses: z.number().int().describe("How often, in all days that are stored."),
    first_used_at: timestamp.describe("The first time that is stored."),
    last_used_at: timestamp.describe("The last time."),
  })
  .meta({ id: "ConnectionUse", description: "One who has used a connection, and how often." });

export const connectionUseRoutes = {
  listConnectionUses: defineRoute({
    method: "GET",
    path: "/connections/{connectionId}/uses",
    summary:
      "List who has used or read a connection's credentials in the last 180 days, the latest first",
    principals: ["environment"],
    scope: "environment:connections:read",
    params: idParams,
    synonyms: integrationSynonyms,
    query: z.strictObject({
      ...integrationQuery.shape,
      ...pageQuery("Entries", { most: 500, usual: 100 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(use).describe("One entry for each who has used it, and way in which."),
        next_cursor: z.string().nullable().describe("For the next page; null on the last."),
      }),
    },
    errors: ["not_found", "invalid_cursor", { code: "unknown_provider_config", status: 400 }],
    idempotent: false,
  }),
} as const;
