import * as z from "zod";
import { uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

const environmentId = uuid.describe("The environment, as its issuer names it.");
const interaction = z
  .string()
  .max(100)
  .regex(/^[\w-]+$/)
  .describe("Name of the request for authorization.");
const ticket = z
  .string()
  .max(100)
  .optional()
  .describe("What the browser brings back once its user is proven.");

const open = { principals: ["public"], scope: "public", errors: [], idempotent: false } as const;
const page = { ...open, raw: true, sessions: "refused" } as const;

const metadata = z.looseObject({
  resource: z.string().describe("URL of the tools; the audience of tokens."),
  authorization_servers: z.array(z.string()).describe("Issuers whose tokens are taken."),
  scopes_supported: z.array(z.string()).describe("Scopes of this toolset."),
  bearer_methods_supported: z.array(z.string()).describe("How a token is sent: `header`."),
  resource_name: z.string().describe("Name of the toolset."),
});

/** How a client that knows the URL alone gets a token. Sources: RFC 6749, 7009, 7591, 7636, 8414, 8707, 9207, 9728. */
export const agentOauthRoutes = {
  getProtectedResource: defineRoute({
    ...open,
    method: "GET",
    path: "/.well-known/oauth-protected-resource/mcp/{toolset}",
    summary: "Where a client gets tokens for a toolset (RFC 9728)",
    params: z.strictObject({ toolset: uuid.describe("Id of the toolset.") }),
    success: { status: 200, schema: metadata },
    errors: ["not_found"],
  }),
  getAuthorizationServer: defineRoute({
    ...page,
    method: "GET",
    path: "/.well-known/oauth-authorization-server/agent/oauth/{environmentId}",
    summary: "What the authorization server of an environment can do (RFC 8414)",
    params: z.strictObject({ environmentId }),
    success: { status: 200 },
    errors: ["unknown_environment"],
  }),
  speakOauth: defineRoute({
    ...page,
    method: "ANY",
    methods: ["GET", "POST"],
    path: "/agent/oauth/{environmentId}/{path+}",
    summary:
      "Endpoints of the authorization server of an environment: authorize, token, revoke, register",
    success: { status: 200 },
    errors: ["unknown_environment", "too_many_request"],
    wholeBody: true,
    bodyLimit: "public",
  }),
  showAgentConsent: defineRoute({
    ...page,
    method: "GET",
    path: "/agent/oauth/{environmentId}/interaction/{interaction}",
    summary:
      "Sends the browser to prove its user; then the page on which that user lets a client in",
    params: z.strictObject({ environmentId, interaction }),
    query: z.strictObject({ ticket }),
    success: { status: 200 },
    errors: ["not_found", "forbidden", "unknown_environment"],
  }),
  decideAgentConsent: defineRoute({
    ...page,
    method: "POST",
    path: "/agent/oauth/{environmentId}/interaction/{interaction}",
    summary: "What the user has decided on that page",
    params: z.strictObject({ environmentId, interaction }),
    body: z.strictObject({
      ticket: z.string().max(100).describe("As the page has it."),
      decision: z.enum(["allow", "read", "deny"]).describe("`read`: only tools that read."),
    }),
    form: true,
    success: { status: 303 },
    errors: ["not_found", "forbidden", "unknown_environment"],
  }),
  finishAgentSignIn: defineRoute({
    ...page,
    method: "GET",
    path: "/agent/sign-in/callback",
    summary: "Where your identity provider sends the browser back",
    success: { status: 303 },
    errors: ["not_found", "forbidden"],
  }),
  showAgentConnect: defineRoute({
    ...page,
    method: "GET",
    path: "/connect/agent/{authorizationId}",
    summary:
      "Where an end user connects an account for which an agent has asked, after proving who they are",
    params: z.strictObject({ authorizationId: uuid.describe("What the agent has asked for.") }),
    query: z.strictObject({ ticket }),
    success: { status: 303 },
    errors: ["not_found", "forbidden"],
  }),
} as const;
