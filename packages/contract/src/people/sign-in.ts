import * as z from "zod";
import { timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { email, newPassword, personName, user } from "./user.ts";

/** How a person begins and ends a session. The answers set a cookie, so pages of the same origin call these. */

const csrfToken = z
  .string()
  .describe(
    "Send it as `Svc-Csrf` with every call of this session. It changes with the session, so read it from each answer that has it.",
  );

/** What everyone who begins a session is answered with. */
export const startedSession = z
  .strictObject({
    data: z
      .strictObject({
        user,
        csrf_token: csrfToken,
        expires_at: timestamp.describe("When the session ends at the latest."),
      })
      .describe("The session that has begun; its secret is only in the cookie."),
  })
  .meta({ id: "StartedSession", description: "A session has begun." });

/** What comes with a password where an authenticator app is in use. */
export const secondFactorCode = z
  .string()
  .min(6)
  .max(40)
  .meta({
    id: "SecondFactorCode",
    description:
      "The 6 digits of the authenticator app, or a recovery code. Needed where one is in use; each works once.",
    examples: ["492039"],
  });

export const linkToken = z
  .string()
  .min(1)
  .max(200)
  .describe("Text after `#` of the link; it works once.");

const begins = {
  principals: ["public"],
  scope: "public",
  success: { status: 200, schema: startedSession },
  idempotent: false,
  raw: true,
  sessions: "refused",
} as const;

export const signInRoutes = {
  getSignInState: defineRoute({
    method: "GET",
    path: "/auth/state",
    summary:
      "What a sign-in page has to know: whether there is an owner yet, and which ways there are",
    principals: ["public"],
    scope: "public",
    query: z.strictObject({
      account: uuid
        .optional()
        .describe(
          "Account whose identity provider is wanted, in an installation with several. Default: the first one.",
        ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            setup_needed: z
              .boolean()
              .describe("Whether the installation has no owner yet and waits for its setup link."),
            ways: z
              .strictObject({
                password: z.boolean().describe("Whether passwords are taken."),
                passkey: z
                  .boolean()
                  .describe(
                    "Whether passkeys are taken: the address of the dashboard has https, or is `localhost`.",
                  ),
                sso: z
                  .array(
                    z.strictObject({
                      id: uuid.describe("Id in `GET /auth/oidc/{id}`, which the browser opens."),
                      name: z.string().describe("Name to show."),
                    }),
                  )
                  .describe("Identity providers of the account."),
              })
              .describe("Ways to sign in that this installation offers."),
          })
          .describe("State of signing in."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  claimSetupLink: defineRoute({
    ...begins,
    method: "POST",
    path: "/auth/setup",
    summary: "Become the first owner by the one-time setup link, and sign in",
    body: z.strictObject({
      token: linkToken,
      email,
      name: personName
        .optional()
        .describe(
          "Name as others see it, up to 200 characters. Default: what is before the `@` of the address.",
        ),
      password: newPassword
        .optional()
        .describe(
          "Password to sign in with from now on. Absent by who adds a passkey right after.",
        ),
    }),
    errors: ["invalid_link", "untrusted_request", "overloaded"],
  }),
  signInByPassword: defineRoute({
    ...begins,
    method: "POST",
    path: "/auth/password",
    summary: "Sign in with e-mail address and password",
    body: z.strictObject({
      email,
      password: z.string().min(1).max(1024).describe("The password."),
      code: secondFactorCode.optional(),
    }),
    errors: [
      "sign_in_failed",
      "second_factor_required",
      "sign_in_paused",
      "untrusted_request",
      "overloaded",
    ],
  }),
  redeemLink: defineRoute({
    ...begins,
    method: "POST",
    path: "/auth/links/redeem",
    summary:
      "Sign in by a one-time link: an invitation, a reset, or that of `jackfield open`; it works once",
    body: z.strictObject({
      token: linkToken,
      password: newPassword
        .optional()
        .describe(
          "Password to sign in with from now on: with an invitation or a reset. Absent by who adds a passkey right after.",
        ),
      code: secondFactorCode.optional(),
    }),
    errors: [
      "invalid_link",
      "sign_in_failed",
      "sign_in_paused",
      "second_factor_required",
      "untrusted_request",
      "overloaded",
    ],
  }),
  signOut: defineRoute({
    method: "POST",
    path: "/auth/sign-out",
    summary: "End the session of this browser; without one nothing happens",
    principals: ["public"],
    scope: "public",
    success: { status: 204 },
    errors: ["untrusted_request"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
} as const;
