import * as z from "zod";
import { success, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { passkeyAnswer } from "./passkeys.ts";
import { userPreferences } from "./preferences.ts";
import { secondFactorCode, startedSession } from "./sign-in.ts";
import { newPassword, personName, user } from "./user.ts";

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
  old_names: z
    .array(z.string().meta({ examples: ["staging"] }))
    .describe(
      "Names that it had before and that no environment of the account has now, the latest first. Pages that are opened by one of them lead to it.",
    ),
});

const ofUser = { principals: ["user"], scope: "user" } as const;

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
            second_factor: z
              .strictObject({
                totp_since: timestamp
                  .nullable()
                  .describe("Since when an authenticator app is in use; null without one."),
                recovery_codes_left: z
                  .number()
                  .int()
                  .describe("Recovery codes that were not used."),
                is_required: z.boolean().describe("Whether a role of yours asks for one."),
                is_missing: z
                  .boolean()
                  .describe(
                    "Whether this session lacks one that is required: until a passkey or an authenticator app is added, only your own settings can be called.",
                  ),
              })
              .describe("What is asked for after your password."),
            preferences: userPreferences
              .nullable()
              .describe("How you have set the dashboard; null until you have set something."),
            csrf_token: z.string().describe("Send it as `Svc-Csrf` with every other call."),
          })
          .meta({ id: "Me", description: "The person who calls, and what they may do." }),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  updateMe: defineRoute({
    method: "PATCH",
    path: "/me",
    summary: "Change your own name",
    ...ofUser,
    body: z.strictObject({ name: personName }),
    success: {
      status: 200,
      schema: z.strictObject({ data: user.describe("You, after the change.") }),
    },
    errors: [],
    idempotent: false,
  }),
  setOwnPreferences: defineRoute({
    method: "PUT",
    path: "/me/preferences",
    summary: "Store how you have set the tables of the dashboard",
    ...ofUser,
    body: userPreferences,
    success: {
      status: 200,
      schema: z.strictObject({ data: userPreferences.describe("What is stored now.") }),
    },
    errors: [],
    idempotent: false,
  }),
  elevateSession: defineRoute({
    method: "POST",
    path: "/me/elevate",
    summary: "Prove who you are: for 10 minutes, calls that need a fresh proof are taken",
    ...ofUser,
    body: z
      .strictObject({
        password: z
          .string()
          .min(1)
          .max(1024)
          .optional()
          .meta({ description: "Your password.", examples: ["<password>"] }),
        code: secondFactorCode.optional(),
        passkey: passkeyAnswer
          .optional()
          .describe("In its place: what the browser made of `POST /auth/passkeys/options`."),
      })
      .refine(({ password, passkey }) => (password === undefined) !== (passkey === undefined), {
        message: "is needed, or `passkey` in its place",
        path: ["password"],
      }),
    success: { status: 200, schema: startedSession },
    errors: ["sign_in_failed", "second_factor_required", "sign_in_paused", "overloaded"],
    idempotent: false,
    raw: true,
    sessions: "taken",
  }),
  setOwnPassword: defineRoute({
    method: "PUT",
    path: "/me/password",
    summary: "Set or change your password; your other sessions end",
    ...ofUser,
    stepUp: "always",
    body: z.strictObject({ password: newPassword }),
    success: { status: 200, schema: success },
    errors: ["overloaded"],
    idempotent: false,
  }),
  listOwnSessions: defineRoute({
    method: "GET",
    path: "/me/sessions",
    summary: "List where you are signed in",
    ...ofUser,
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(
            z
              .strictObject({
                id: uuid.describe("Id of the session, by which it is ended."),
                is_current: z.boolean().describe("Whether it is the session of this call."),
                via: z
                  .enum(["setup", "password", "link", "passkey", "sso"])
                  .describe("How it was begun."),
                address: z
                  .string()
                  .nullable()
                  .describe("IP address from which it was begun; null when it is not known."),
                user_agent: z
                  .string()
                  .nullable()
                  .describe("What the browser said of itself; null when it said nothing."),
                created_at: timestamp.describe("When it was begun."),
                last_used_at: timestamp.describe("When it was last used, to within a minute."),
                expires_at: timestamp.describe("When it ends at the latest."),
              })
              .meta({ id: "UserSession", description: "A browser in which a user is signed in." }),
          )
          .describe("Sessions that have not ended, newest first, 200 at most."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  endOwnSession: defineRoute({
    method: "DELETE",
    path: "/me/sessions/{id}",
    summary: "End one of your sessions; within a second it is refused everywhere",
    ...ofUser,
    params: z.strictObject({
      id: z.uuid("must be the id of a session, a UUID").describe("Id of the session."),
    }),
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
  endOtherSessions: defineRoute({
    method: "DELETE",
    path: "/me/sessions",
    summary: "End all your sessions but this one",
    ...ofUser,
    success: { status: 204 },
    errors: [],
    idempotent: false,
  }),
} as const;
