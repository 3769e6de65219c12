import * as z from "zod";
import { timestamp, uuid, webAddress } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Who proves to an environment which end user a browser speaks for. */

const oidc = z
  .strictObject({
    issuer: webAddress.meta({
      description:
        "Issuer, below which `/.well-known/openid-configuration` is read. It needs https, or an address that the operator has opened.",
      examples: ["https://login.example.com"],
    }),
    client_id: z.string().min(1).max(500).describe("Client that is registered there."),
    end_user_claim: z
      .string()
      .min(1)
      .max(200)
      .default("sub")
      .describe("Claim of the ID token that is the end user's id. Default: `sub`."),
  })
  .meta({ id: "AgentOidc", description: "Your own identity provider, by OpenID Connect." });

const verifierUrl = webAddress.meta({
  description:
    "A page of your app. The browser is sent there with `authorization_id`; your backend, which knows its user, answers by `POST /agent/authorizations/{id}` and sends the browser to `continue_url`.",
  examples: ["https://app.example.com/agents/verify"],
});

const registration = z
  .boolean()
  .describe(
    "Whether clients may register themselves (RFC 7591), which older ones need; newer ones have a client id metadata document.",
  );

const newSignIn = z
  .strictObject({
    verifier_url: verifierUrl.optional(),
    oidc: oidc
      .extend({
        client_secret: z
          .string()
          .min(1)
          .max(1000)
          .nullable()
          .optional()
          .describe("Its secret, write-only; null for a client without. Absent: as it was."),
      })
      .meta({ id: "NewAgentOidc" })
      .optional()
      .describe("Your own identity provider, by OpenID Connect; absent with `verifier_url`."),
    dynamic_registration: registration.default(false),
  })
  .refine(
    (body) => (body.verifier_url === undefined) !== (body.oidc === undefined),
    "must have one of verifier_url and oidc",
  )
  .meta({
    id: "NewAgentSignIn",
    description: "How a browser proves which end user it speaks for.",
  });

const signIn = z
  .strictObject({
    verifier_url: verifierUrl.nullable().describe("Page of your app; null with `oidc`."),
    oidc: oidc
      .extend({
        has_client_secret: z.boolean().describe("Whether a secret is set."),
        redirect_uri: z.string().describe("What has to be registered at the identity provider."),
      })
      .meta({ id: "AgentOidcSettings" })
      .nullable()
      .describe("The identity provider; null with `verifier_url`."),
    dynamic_registration: registration,
    issuer: z.string().describe("Issuer of the environment's own authorization server."),
    updated_at: timestamp.describe("When it was changed last."),
  })
  .meta({ id: "AgentSignIn", description: "How a browser proves which end user it speaks for." });

const answer = z.strictObject({ data: signIn.describe("The settings.") });

export const agentSignInRoutes = {
  getAgentSignIn: defineRoute({
    method: "GET",
    path: "/agent/sign-in",
    summary: "How browsers prove which end user they speak for",
    principals: ["environment"],
    scope: "environment:agents:read",
    success: { status: 200, schema: answer },
    errors: ["not_found"],
    idempotent: false,
  }),
  putAgentSignIn: defineRoute({
    method: "PUT",
    path: "/agent/sign-in",
    summary:
      "Set how browsers prove which end user they speak for, when a client connects by URL alone",
    principals: ["environment"],
    scope: "environment:agents:write",
    body: newSignIn,
    success: { status: 200, schema: answer },
    errors: ["identity_provider_failed", "destination_not_allowed"],
    idempotent: false,
  }),
  deleteAgentSignIn: defineRoute({
    method: "DELETE",
    path: "/agent/sign-in",
    summary: "Remove it: no further client is let in; sessions that run continue",
    principals: ["environment"],
    scope: "environment:agents:write",
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
  answerAgentAuthorization: defineRoute({
    method: "POST",
    path: "/agent/authorizations/{authorizationId}",
    summary:
      "Your backend's word for which end user a browser speaks for, which came to `verifier_url`",
    principals: ["environment"],
    scope: "environment:agents:sessions",
    params: z.strictObject({
      authorizationId: uuid.describe("The `authorization_id` with which the browser came."),
    }),
    body: z
      .strictObject({
        end_user_id: z
          .string()
          .min(1)
          .max(255)
          .meta({
            description: "The person signed in to your product in that browser.",
            examples: ["u1"],
          }),
        approved: z
          .boolean()
          .default(true)
          .describe("`false`: nobody is signed in, or they may not; the client is refused."),
      })
      .meta({ id: "AgentAuthorizationAnswer", description: "Who the browser's user is." }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            continue_url: z
              .string()
              .describe(
                "Where to send that same browser next. It works once, in the browser that came, for 10 minutes.",
              ),
          })
          .meta({ id: "AnsweredAuthorization", description: "Where the browser goes next." })
          .describe("What to do next."),
      }),
    },
    errors: ["not_found", "forbidden"],
    idempotent: false,
    noStore: true,
  }),
} as const;
