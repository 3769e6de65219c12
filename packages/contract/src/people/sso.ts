import * as z from "zod";
import { timestamp, uuid, webAddress } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { grant } from "./user.ts";

/** Sign-in by an identity provider that speaks OpenID Connect. */

const givenGrants = z.array(grant).max(50);

const settings = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: "Name on the sign-in page.", examples: ["Acme"] }),
  issuer: webAddress.meta({
    description:
      "Issuer, below which `/.well-known/openid-configuration` is read. It needs https, or an address that the operator has opened.",
    examples: ["https://login.example.com"],
  }),
  client_id: z.string().min(1).max(500).describe("Client that is registered there."),
  group_claim: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .describe(
      "Claim of the ID token that lists a person's groups. Their rights then follow from `group_grants` at each sign-in; null where rights are given by hand.",
    ),
  group_grants: z
    .array(
      z.strictObject({
        group: z.string().min(1).max(500).describe("Name or id of the group, as the claim has it."),
        grants: givenGrants.describe("What its people may do."),
      }),
    )
    .max(200)
    .describe("Rights by group; a person with several groups has all of theirs."),
  adds_users: z
    .boolean()
    .describe("Whether people who are not users yet become users when they sign in."),
  default_grants: givenGrants.describe("What people who are added may do, without `group_claim`."),
  allowed_domains: z
    .array(
      z
        .string()
        .max(253)
        .regex(/^[a-z0-9.-]+$/, "must be a domain in lower case"),
    )
    .max(50)
    .describe("Domains of e-mail addresses of people who are added; empty for any."),
  is_required: z
    .boolean()
    .describe(
      "`true`: everybody but owners signs in this way alone. With `SVC_LOCAL_SIGN_IN=off` owners do, too.",
    ),
});

const shown = settings
  .extend({
    id: uuid.describe("Id of the identity provider, in the addresses of sign-in."),
    has_client_secret: z.boolean().describe("Whether a client secret is stored."),
    redirect_uri: z.string().meta({
      description: "Address to register with the identity provider.",
      examples: ["https://jackfield.example.com/auth/oidc/0190…/callback"],
    }),
    updated_at: timestamp.describe("When it was last changed."),
  })
  .meta({ id: "SingleSignOn", description: "How people sign in by an identity provider." });

const params = z.strictObject({
  id: z.uuid("must be the id of an identity provider, a UUID").describe("Id of the provider."),
});

export const ssoRoutes = {
  getSingleSignOn: defineRoute({
    method: "GET",
    path: "/account/sso",
    summary: "Get how people sign in by an identity provider",
    principals: ["account"],
    scope: "account:sso:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: shown.nullable().describe("The settings; null where there are none."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  setSingleSignOn: defineRoute({
    method: "PUT",
    path: "/account/sso",
    summary:
      "Let people sign in by an identity provider; its issuer is asked before this is stored",
    principals: ["account"],
    scope: "account:sso:write",
    stepUp: "always",
    body: settings
      .extend({
        client_secret: z
          .string()
          .min(1)
          .max(2000)
          .nullable()
          .optional()
          .describe("Secret of the client; absent to keep the one that is stored, null for none."),
      })
      .meta({ id: "SingleSignOnChange" }),
    success: { status: 200, schema: z.strictObject({ data: shown.describe("The settings.") }) },
    errors: ["identity_provider_failed", "not_found"],
    idempotent: false,
  }),
  deleteSingleSignOn: defineRoute({
    method: "DELETE",
    path: "/account/sso",
    summary: "Remove single sign-on",
    principals: ["account"],
    scope: "account:sso:write",
    stepUp: "always",
    success: { status: 204 },
    errors: [],
    idempotent: false,
  }),
  beginSingleSignOn: defineRoute({
    method: "GET",
    path: "/auth/oidc/{id}",
    summary: "Send a browser to the identity provider",
    principals: ["public"],
    scope: "public",
    params,
    success: { status: 302 },
    errors: ["not_found", "identity_provider_failed"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
  finishSingleSignOn: defineRoute({
    method: "GET",
    path: "/auth/oidc/{id}/callback",
    summary:
      "Where the identity provider sends a browser back: begins a session and a page that forwards",
    principals: ["public"],
    scope: "public",
    params,
    success: { status: 200 },
    errors: ["not_found"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
} as const;
