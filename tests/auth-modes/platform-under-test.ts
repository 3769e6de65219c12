import { authenticateSession } from "../../packages/server/src/connect/authenticate-session.ts";
import { connect } from "../../packages/server/src/connect/index.ts";
import { connections } from "../../packages/server/src/connections/index.ts";
import type { Egress } from "../../packages/server/src/foundation/egress/index.ts";
import {
  AppError,
  type EnvironmentContext,
  stopping,
  withEnvironment,
} from "../../packages/server/src/foundation/index.ts";
import { integrations } from "../../packages/server/src/integrations/index.ts";
import { proxy } from "../../packages/server/src/proxy/index.ts";
import { testApp } from "../../packages/server/src/testing/index.ts";

/** Connect routes, connections and proxy over HTTP, whose egress leads to one local provider. */
export interface PlatformUnderTest extends AsyncDisposable {
  readonly url: string;
  /** With the environment's key as `dev`, else with the session token. */
  call(
    method: string,
    path: string,
    options?: { body?: object; headers?: Readonly<Record<string, string>> },
  ): Promise<{ status: number; headers: Headers; body: Answer }>;
  newSession(): Promise<string>;
  readonly ctx: EnvironmentContext;
}

export interface PlatformUnderTestOptions {
  /** The installation's public address; where it is none that can be called, `url` still is. */
  readonly serverUrl?: string;
  /** PEM certificates of authorities that are trusted. */
  readonly authorities?: readonly string[];
}

/** What the tests look at; whether it is there is for them to say. */
export type Answer = ReturnType<typeof JSON.parse>;

export async function startPlatform(
  providerOrigin: string,
  { serverUrl, authorities = [] }: PlatformUnderTestOptions = {},
): Promise<PlatformUnderTest> {
  const app = await testApp({
    slices: [connect, connections, integrations, proxy],
    authorities,
    settings: serverUrl === undefined ? {} : { serverUrl },
    caller: async ({ request, route }) => {
      if (route.principals.includes("public")) return ctx;
      const as = (request.headers.authorization ?? "").replace(/^Bearer /, "");
      if (as === "dev") return ctx;
      if (!route.principals.includes("session")) throw new AppError("missing_auth_header");
      const { environment, sessionId } = await authenticateSession(ctx, as);
      return withEnvironment(ctx, environment, { kind: "session", sessionId });
    },
  });
  // Real time: the provider checks when things were signed.
  const ctx = {
    ...app.ctx,
    http: aimAt(app.ctx.http, providerOrigin),
    clock: { now: () => new Date() },
  };
  const url = await app.listen();
  const platform: PlatformUnderTest = {
    url,
    ctx,
    async call(method, path, { body, headers = {} } = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        redirect: "manual",
        headers: {
          authorization: "dev",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.includes("json") === true;
      return {
        status: answer.status,
        headers: answer.headers,
        body: isJson ? JSON.parse(text) : text,
      };
    },
    async newSession() {
      const { body } = await platform.call("POST", "/connect/sessions", { body: {} });
      return body.data.token;
    },
    async [Symbol.asyncDispose]() {
      stopping.of(ctx).abort();
      await app[Symbol.asyncDispose]();
    },
  };
  return platform;
}

/** The real egress, with another socket at its end; what is said there is unchanged, host included. */
function aimAt(http: Egress, origin: string): Egress {
  return {
    request: async (request) => {
      const { host, origin: own } = new URL(request.url);
      if (isLoopback(host)) return await http.request(request);
      const headers = { ...request.headers, host };
      return await http.request({ ...request, url: request.url.replace(own, origin), headers });
    },
    servers: http.servers,
    dispatch: (options, handler) => {
      const { host } = new URL(String(options.origin));
      if (isLoopback(host)) return http.dispatch(options, handler);
      const headers = [...[options.headers ?? []].flat().map(String), "host", host];
      return http.dispatch({ ...options, origin, headers }, handler);
    },
    createSocket: () => http.createSocket(),
    requireAllowedUrl: async (url) => await http.requireAllowedUrl(url),
    isOpened: (url) => http.isOpened(url),
    [Symbol.asyncDispose]: async () => await http[Symbol.asyncDispose](),
  };
}

function isLoopback(host: string): boolean {
  return host.startsWith("127.0.0.1");
}
