import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  AppError,
  type EnvironmentContext,
  type HookAnswer,
  stopping,
  withEnvironment,
} from "#foundation";
import { createIntegration } from "#integrations";
import { type TestApp, testApp } from "#testing";
import { authenticateSession } from "../authenticate-session.ts";
import { connectPageFolder } from "../routes.ts";
import { connect } from "../slice.ts";
import { type CodeServer, startCodeServer } from "./code-server.ts";

/** The connect routes over HTTP, with an authorization server behind two integrations. */
export interface ConnectServer extends AsyncDisposable {
  readonly installation: TestApp;
  readonly provider: CodeServer;
  readonly other: EnvironmentContext;
  call(request: CallInput): Promise<CallAnswer>;
}

export interface CallInput {
  readonly method?: "GET" | "POST" | "HEAD" | "DELETE" | "PUT";
  readonly url: string;
  /** A session token, or the name of an environment: dev, other. */
  readonly as?: string;
  readonly cookie?: string | undefined;
  readonly accept?: string;
  readonly acceptLanguage?: string | undefined;
  readonly payload?: object;
  /** Posted as an HTML form. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export const ISSUER = "https://issuer.example";

export interface ConnectServerOptions {
  readonly settings?: {
    readonly serverUrl?: string;
    readonly connectUrl?: string;
    readonly maxConnections?: number;
  };
  readonly hooks?: readonly HookAnswer<EnvironmentContext>[];
}

export async function startConnectServer({
  settings = {},
  hooks = [],
}: ConnectServerOptions = {}): Promise<ConnectServer> {
  const callers: Record<string, EnvironmentContext> = {};
  const installation = await testApp({
    slices: [connect],
    hooks,
    settings,
    caller: async ({ request, route }, { ctx }) => {
      if (route.principals.includes("public")) return ctx;
      const as = request.headers.authorization ?? "";
      const caller = callers[as];
      if (caller !== undefined && route.principals.includes("environment")) return caller;
      if (!route.principals.includes("session")) throw new AppError("missing_auth_header");
      const { environment, sessionId } = await authenticateSession(ctx, as);
      return withEnvironment(ctx, environment, { kind: "session", sessionId });
    },
  });
  const { ctx, server } = installation;
  const pageFolder = await makePageFolder();
  connectPageFolder.set(ctx, pageFolder);
  const provider = await startCodeServer();
  const other = await installation.addEnvironment();
  for (const environment of [ctx, other]) await addIntegrations(environment, provider.origin);
  Object.assign(callers, { dev: ctx, other });
  return {
    installation,
    provider,
    other,
    async call({ method = "GET", url, as, cookie, accept = "text/html", payload, form, ...more }) {
      const { acceptLanguage } = more;
      const response = await server.inject({
        method,
        url,
        headers: {
          accept,
          ...(acceptLanguage === undefined ? {} : { "accept-language": acceptLanguage }),
          ...(as === undefined ? {} : { authorization: as }),
          ...(cookie === undefined ? {} : { cookie }),
          ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
        },
        ...(payload === undefined ? {} : { payload }),
        ...toFormBody(form),
      });
      return { status: response.statusCode, headers: response.headers, text: response.body };
    },
    async [Symbol.asyncDispose]() {
      stopping.of(ctx).abort();
      await rm(pageFolder, { recursive: true });
      await provider[Symbol.asyncDispose]();
      await installation[Symbol.asyncDispose]();
    },
  };
}

function toFormBody(form: CallInput["form"]) {
  return form === undefined ? {} : { payload: new URLSearchParams(form).toString() };
}

/** A built page with one script, as the page's own build writes it. */
async function makePageFolder(): Promise<URL> {
  const folder = pathToFileURL(`${await mkdtemp(join(tmpdir(), "jackfield-page-"))}/`);
  for (const name of ["assets/", "l/", "manage/"]) await mkdir(new URL(name, folder));
  const html = '<!doctype html><meta name="jackfield-api" content="../" /><title>page</title>';
  for (const name of ["index.html", "l/index.html", "manage/index.html"]) {
    await writeFile(new URL(name, folder), html);
  }
  await writeFile(new URL("assets/index-a1b2.js", folder), "export {};");
  return folder;
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
    settings: { state_binding: "off" },
    provider: "oauth2-generic",
    uniqueKey: "unbound",
    credentials: { ...client, scopes: "read" },
    integrationConfig: config,
  });
  for (const [uniqueKey, provider, integrationConfig] of [
    ["keyed", "private-api-bearer", { base_url: origin }],
    ["basic", "private-api-basic", { base_url: origin }],
    ["open", "unauthenticated", { base_url: origin }],
    ["machine", "oauth2-cc-generic", { token_url: `${origin}/token`, base_url: origin }],
  ] as const) {
    await createIntegration(ctx, {
      ...shared,
      provider,
      uniqueKey,
      credentials: undefined,
      integrationConfig,
    });
  }
}
