import * as z from "zod";
import { uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { roles } from "./roles.ts";

/** Codes of an authenticator app (TOTP, RFC 6238), needed after a password; recovery codes for who has lost the app. */

const ofUser = { principals: ["user"], scope: "user", stepUp: "always" } as const;

const codesAnswer = z.strictObject({
  data: z
    .strictObject({
      recovery_codes: z.array(z.string()).meta({
        description:
          "Ten codes, each of which works once in place of a code of the app. They are shown only in this answer.",
        examples: [["k7m2p-x4q9r"]],
      }),
    })
    .describe("Recovery codes to keep."),
});

const rules = z
  .strictObject({
    second_factor_roles: z
      .array(z.enum(roles))
      .max(roles.length)
      .describe(
        "Roles for which a password alone is not enough. Who has one of them and signs in without a second factor can only add one; passkeys and the identity provider count as one. Empty: it is left to each person.",
      ),
  })
  .meta({ id: "SignInRules", description: "What the account asks of those who sign in." });

const rulesAnswer = z.strictObject({ data: rules });

export const secondFactorRoutes = {
  beginTotp: defineRoute({
    method: "POST",
    path: "/me/totp",
    summary: "Begin to use an authenticator app; it counts once a code of it was confirmed",
    ...ofUser,
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            secret: z
              .string()
              .describe(
                "Secret in base32, for apps that cannot read the address; shown only here.",
              ),
            uri: z.string().meta({
              description: "Address for the app, usually shown as a QR code.",
              examples: ["otpauth://totp/Jackfield:ada%40example.com?issuer=Jackfield&secret=…"],
            }),
          })
          .describe(
            "What the app has to know. A new one takes the place of one not yet confirmed.",
          ),
      }),
    },
    errors: ["conflict"],
    idempotent: false,
    noStore: true,
  }),
  confirmTotp: defineRoute({
    method: "POST",
    path: "/me/totp/confirm",
    summary: "Confirm the authenticator app by a code of it: from now on passwords need one",
    ...ofUser,
    body: z.strictObject({
      code: z
        .string()
        .regex(/^\s*\d{3}\s*\d{3}\s*$/, "must be the 6 digits that the app shows")
        .describe("The 6 digits that the app shows. Your other sessions end."),
    }),
    success: { status: 200, schema: codesAnswer },
    errors: ["sign_in_failed", "conflict"],
    idempotent: false,
    noStore: true,
  }),
  replaceRecoveryCodes: defineRoute({
    method: "POST",
    path: "/me/totp/recovery-codes",
    summary: "Make ten new recovery codes; those before them end",
    ...ofUser,
    success: { status: 200, schema: codesAnswer },
    errors: ["not_found"],
    idempotent: false,
    noStore: true,
  }),
  deleteTotp: defineRoute({
    method: "DELETE",
    path: "/me/totp",
    summary: "Stop using the authenticator app; its recovery codes end",
    ...ofUser,
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
  deleteUserTotp: defineRoute({
    method: "DELETE",
    path: "/users/{id}/totp",
    summary: "Remove the authenticator app of a user who has lost it, with its recovery codes",
    principals: ["account"],
    scope: "account:users:update",
    stepUp: "always",
    params: z.strictObject({ id: uuid.describe("Id of the user.") }),
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
  getSignInRules: defineRoute({
    method: "GET",
    path: "/account/sign-in-rules",
    summary: "Get what the account asks of those who sign in",
    principals: ["account"],
    scope: "account:sso:read",
    success: { status: 200, schema: rulesAnswer },
    errors: [],
    idempotent: false,
  }),
  setSignInRules: defineRoute({
    method: "PUT",
    path: "/account/sign-in-rules",
    summary:
      "Set for which roles a password needs a second factor; sessions follow within a second",
    principals: ["account"],
    scope: "account:sso:write",
    stepUp: "always",
    body: rules,
    success: { status: 200, schema: rulesAnswer },
    errors: [],
    idempotent: false,
  }),
} as const;
