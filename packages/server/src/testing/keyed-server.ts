import { randomUUID } from "node:crypto";
import {
  connections,
  countForIntegrations,
  deleteConnectionsOf,
  listConnectionsForIntegration,
} from "#connections";
import { createApiKey, environmentDeleted, environments } from "#environments";
import { type EnvironmentContext, on } from "#foundation";
import type { TestContext } from "#foundation/testing";
import {
  integrationConnections,
  integrationDeleting,
  integrationStats,
  integrations,
  removeIntegrationsLater,
} from "#integrations";
import { contextOfRequest } from "../http-context.ts";
import { type TestApp, type TestAppOptions, testApp } from "./test-app.ts";

/** What the tests look at; whether it is there is for them to say. */
export type Answer = ReturnType<typeof JSON.parse>;

/** Routes of environments, integrations and connections, with authentication and scopes as in the product. */
export interface KeyedServer extends AsyncDisposable {
  readonly installation: TestContext;
  /** A second environment of the account. */
  readonly other: EnvironmentContext;
  readonly inject: TestApp["server"]["inject"];
  /** A key of the environment, or of the account. */
  newKey(place: EnvironmentContext | "account", ...scopes: string[]): Promise<string>;
  call(
    key: string | undefined,
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    payload?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; headers: Answer; body: Answer }>;
}

export async function startKeyedServer(
  options: Partial<TestAppOptions> = {},
): Promise<KeyedServer> {
  const installation = await testApp({
    ...options,
    slices: [environments, integrations, connections, ...(options.slices ?? [])],
    caller: async ({ signal, ...call }, { ctx: { environment: _environment, ...outside } }) =>
      await contextOfRequest({ ...outside, signal }, call),
    hooks: [
      on(environmentDeleted, removeIntegrationsLater),
      on(integrationDeleting, deleteConnectionsOf),
      on(integrationConnections, listConnectionsForIntegration),
      on(integrationStats, countForIntegrations),
      ...(options.hooks ?? []),
    ],
  });
  const { ctx, server } = installation;
  return {
    installation,
    inject: server.inject.bind(server),
    other: await installation.addEnvironment(),
    async newKey(place, ...scopes) {
      const { accountId } = ctx.environment;
      const environmentId = place === "account" ? null : place.environment.id;
      const displayName = randomUUID();
      return await createApiKey(ctx, { accountId, environmentId, displayName, scopes });
    },
    async call(key, method, url, payload, headers = {}) {
      const response = await server.inject({
        method,
        url,
        headers: { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
        ...(payload === undefined ? {} : { payload }),
      });
      const body = response.body === "" ? undefined : response.json();
      return { status: response.statusCode, headers: response.headers, body };
    },
    [Symbol.asyncDispose]: async () => await installation[Symbol.asyncDispose](),
  };
}
