import { expect, vi } from "vitest";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { type Provider, startProvider } from "./provider.ts";

/** A server with an integration `crm` and a connection `acme` of a provider on loopback. */
export interface FunctionsUnderTest extends AsyncDisposable {
  readonly api: ApiUnderTest;
  readonly provider: Provider;
  readonly call: Api;
  /** Asks until the job has ended. */
  ended(path: string, call?: Api): Promise<Awaited<ReturnType<Api>>["body"]>;
}

export async function startFunctions(): Promise<FunctionsUnderTest> {
  await using stack = new AsyncDisposableStack();
  const provider = stack.use(await startProvider());
  const api = stack.use(await startApi());
  const call = apiOf(api.url, await api.keyOf("dev", ["environment:*"]));
  await ok(call, "/integrations", {
    provider: "private-api-bearer",
    unique_key: "crm",
    integration_config: { base_url: provider.url },
  });
  await ok(call, "/connections", {
    provider_config_key: "crm",
    connection_id: "acme",
    credentials: { type: "API_KEY", apiKey: "canary-token" },
    metadata: { region: "eu" },
  });
  const running = stack.move();
  return {
    api,
    provider,
    call,
    ended: async (path, as = call) =>
      await vi.waitFor(
        async () => {
          const { body } = await as("GET", path);
          expect(["success", "failed"]).toContain(body.status);
          return body;
        },
        { timeout: 25_000, interval: 50 },
      ),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function ok(call: Api, path: string, body: object): Promise<void> {
  const answer = await call("POST", path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

/** Source of an action that returns what this expression yields. */
export function actionSource(expression: string): string {
  return `import { createAction } from "jackfield";
import { z } from "zod";
export default createAction({
  description: "Does it.\\n- name: who it is for",
  input: z.object({ name: z.string().optional() }).optional(),
  output: z.any(),
  exec: async (svc, input) => ${expression},
});
`;
}

export function onEventSource(event: string, statements: string): string {
  return `import { createOnEvent } from "jackfield";
export default createOnEvent({
  description: "Runs at ${event}.",
  event: "${event}",
  exec: async (svc) => { ${statements} },
});
`;
}

export function syncSource(models: string, statements: string): string {
  return `import { createSync } from "jackfield";
import { z } from "zod";
const model = z.object({ id: z.string(), name: z.string() });
export default createSync({
  description: "Contacts.",
  frequency: "every hour",
  models: { ${models} },
  exec: async (svc) => { ${statements} },
});
`;
}
