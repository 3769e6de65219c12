import { randomUUID } from "node:crypto";
import { routes } from "@jackfield/contract";
import { createIntegration } from "#integrations";
import { ensureLogPartitions } from "#logs";
import { AppError, type EnvironmentContext, withEnvironment } from "#platform";
import { createHttpServer } from "#platform/http";
import { createTestContext, type TestContext } from "#platform/testing";
import { authenticateSession } from "../authenticate-session.ts";
import { connectHandlers } from "../routes.ts";
import { type CodeServer, startCodeServer } from "./code-server.ts";

/** The connect routes over HTTP, with an authorization server behind two integrations. */
export interface ConnectServer extends AsyncDisposable {
  readonly installation: TestContext;
  readonly provider: CodeServer;
  readonly other: EnvironmentContext;
  call(request: CallInput): Promise<CallAnswer>;
}

export interface CallInput {
  readonly method?: "GET" | "POST" | "HEAD";
  readonly url: string;
  /** A session token, or the name of an environment: dev, other. */
  readonly as?: string;
  readonly cookie?: string | undefined;
  readonly accept?: string;
  readonly payload?: object;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export const ISSUER = "https://issuer.example";

export async function startConnectServer(
  settings: { serverUrl?: string } = {},
): Promise<ConnectServer> {
  const installation = await createTestContext();
  const provider = await startCodeServer();
  const ctx = { ...installation.ctx, settings: { ...installation.ctx.settings, ...settings } };
  const other = await installation.addEnvironment();
  await ensureLogPartitions(ctx);
  for (const environment of [ctx, other]) await addIntegrations(environment, provider.origin);
  const callers: Record<string, EnvironmentContext> = { dev: ctx, other };
  const server = await createHttpServer({
    routes,
    handlers: connectHandlers,
    authorize: async (request, route) => {
      if (route.principals.includes("public")) return ctx;
      const as = request.headers.authorization ?? "";
      const caller = callers[as];
      if (caller !== undefined && route.principals.includes("environment")) return caller;
      if (!route.principals.includes("session")) throw new AppError("missing_auth_header");
      const { environment, sessionId } = await authenticateSession(ctx, as);
      return withEnvironment(ctx, environment, { kind: "session", sessionId });
    },
    bodyLimitBytes: 1024 * 1024,
    log: ctx.log,
    newErrorId: randomUUID,
  });
  return {
    installation,
    provider,
    other,
    async call({ method = "GET", url, as, cookie, accept = "text/html", payload }) {
      const response = await server.inject({
        method,
        url,
        headers: {
          accept,
          ...(as === undefined ? {} : { authorization: as }),
          ...(cookie === undefined ? {} : { cookie }),
        },
        ...(payload === undefined ? {} : { payload }),
      });
      return { status: response.statusCode, headers: response.headers, text: response.body };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await provider[Symbol.asyncDispose]();
      await installation[Symbol.asyncDispose]();
    },
  };
}

async function addIntegrations(ctx: EnvironmentContext, origin: string): Promise<void> {
  const config = {
    authorization_url: `${origin}/authorize?tenant=a`,
    token_url: `${origin}/token`,
    base_url: origin,
  };
  const shared = { displayName: undefined, forwardWebhooks: true, custom: {}, settings: {} };
  const client = { type: "OAUTH2", client_id: "client", client_secret: "secret" } as const;
  for (const [uniqueKey, integrationConfig] of Object.entries({
    oauth: config,
    second: config,
    strict: { ...config, issuer: ISSUER },
  })) {
    await createIntegration(ctx, {
      ...shared,
      provider: "oauth2-generic",
      uniqueKey,
      credentials: { ...client, scopes: "read,write" },
      integrationConfig,
    });
  }
  await createIntegration(ctx, {
    ...shared,
    provider: "private-api-bearer",
    uniqueKey: "keyed",
    credentials: undefined,
    integrationConfig: { base_url: origin },
  });
}
