import { connections } from "#connections";
import { AppError, type EnvironmentContext, type HookAnswer } from "#foundation";
import { createIntegration } from "#integrations";
import { type TestApp, testApp } from "#testing";

/** Who calls: a key with every scope, one that may not read credentials, one of another environment. */
export type Caller = "full" | "reader" | "other";

/** The connection routes over HTTP; each environment has the API-key integrations `plain` and `second`. */
export interface ConnectionServer extends AsyncDisposable {
  readonly installation: TestApp;
  call(
    caller: Caller,
    method: "GET" | "POST" | "PATCH" | "DELETE",
    url: string,
    payload?: object,
  ): Promise<{ status: number; body: Answer }>;
}

/** What the tests look at; whether it is there is for them to say. */
export type Answer = ReturnType<typeof JSON.parse>;

export async function startConnectionServer(
  hooks: readonly HookAnswer<EnvironmentContext>[],
): Promise<ConnectionServer> {
  const callers: Record<string, EnvironmentContext> = {};
  const installation = await testApp({
    slices: [connections],
    hooks,
    caller: async ({ request }) => {
      const caller = callers[request.headers.authorization ?? ""];
      if (caller === undefined) throw new AppError("missing_auth_header");
      return caller;
    },
  });
  const { ctx } = installation;
  const other = await installation.addEnvironment();
  const reader = withScopes(ctx, ["environment:connections:read"]);
  Object.assign(callers, { full: ctx, reader, other });
  for (const context of [ctx, other]) {
    await addIntegration(context, "plain");
    await addIntegration(context, "second");
  }
  return {
    installation,
    async call(caller, method, url, payload) {
      const response = await installation.server.inject({
        method,
        url,
        headers: { authorization: caller },
        ...(payload === undefined ? {} : { payload }),
      });
      return { status: response.statusCode, body: response.json() };
    },
    [Symbol.asyncDispose]: async () => await installation[Symbol.asyncDispose](),
  };
}

function withScopes(ctx: EnvironmentContext, scopes: string[]): EnvironmentContext {
  return { ...ctx, actor: { kind: "key", keyId: "key", accountId: "account", scopes } };
}

async function addIntegration(ctx: EnvironmentContext, uniqueKey: string): Promise<void> {
  await createIntegration(ctx, {
    provider: "private-api-bearer",
    uniqueKey,
    displayName: undefined,
    forwardWebhooks: true,
    credentials: undefined,
    integrationConfig: { base_url: "http://127.0.0.1:9" },
    custom: {},
    settings: {},
  });
}
