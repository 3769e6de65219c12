import * as z from "zod";
import { timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { user } from "./user.ts";

/** What a person who has signed in is and may do. */

const ownEnvironment = z.strictObject({
  id: uuid.describe("Id of the environment."),
  name: z.string().describe("Name, which `Svc-Environment` takes as well as the id."),
  is_production: z.boolean().describe("Whether it is a production environment."),
  scopes: z
    .array(z.string())
    .describe(
      "What the user may do in it, as scopes of a key; `prefix:*` covers all that begin so.",
    ),
});

export const meRoutes = {
  getMe: defineRoute({
    method: "GET",
    path: "/me",
    summary: "Get who has signed in, what they may do where, and the session's CSRF token",
    principals: ["user"],
    scope: "user",
    // It is where a page gets the token from.
    withoutCsrf: true,
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            user,
            account: z
              .strictObject({
                id: uuid.describe("Id of the account."),
                name: z.string().describe("Name of the account."),
              })
              .describe("Account that the user belongs to."),
            account_scopes: z
              .array(z.string())
              .describe("What the user may do in the account, as scopes of an account's key."),
            environments: z
              .array(ownEnvironment)
              .describe("Environments in which the user may do anything, oldest first."),
            session: z
              .strictObject({
                id: uuid.describe("Id of this session."),
                expires_at: timestamp.describe("When it ends at the latest."),
                elevated_until: timestamp
                  .nullable()
                  .describe(
                    "Until when calls that need a fresh proof of identity are taken; null when they are not.",
                  ),
              })
              .describe("The session of this call."),
            csrf_token: z.string().describe("Send it as `Svc-Csrf` with every other call."),
          })
          .meta({ id: "Me", description: "The person who calls, and what they may do." }),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
