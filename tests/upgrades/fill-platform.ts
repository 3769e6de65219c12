import { setTimeout as sleep } from "node:timers/promises";

/** What is in a fixture, for the tests that read it. None of it is of real use. */
export const fixture = {
  passphrase: "the fixtures of releases are public",
  /** Preset key of the environment `dev`. */
  key: "5b3f8a52-7c1e-4f0b-9d25-0c6c1f7e2a11",
  apiKey: "key of the fixture's connection",
  oauth: {
    accessToken: "access token of the fixture",
    refreshToken: "refresh token of the fixture",
  },
  records: ["Ada", "Grace", "Edsger"],
} as const;

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers and compare what they find
) => Promise<{ readonly status: number; readonly body: any }>;

/** Calls with the fixture's key; a body that is no JSON is undefined. */
export function callerOf(url: string, key: string = fixture.key): Call {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "provider-config-key": "api",
        "connection-id": "acme",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : undefined };
  };
}

/** Makes integrations, connections, functions, records and a webhook that cannot be delivered. */
export async function fillPlatform(call: Call): Promise<void> {
  await done(call, "PATCH", "/environment/webhooks", { primary_url: "http://127.0.0.1:9/in" });
  await done(call, "PUT", "/environment-variables/REGION", { value: "eu" });
  await done(call, "POST", "/integrations", { unique_key: "api", provider: "private-api-bearer" });
  await done(call, "POST", "/integrations", {
    unique_key: "harbor",
    provider: "oauth2-generic",
    credentials: { type: "OAUTH2", client_id: "client", client_secret: "secret of the fixture" },
    integration_config: {
      authorization_url: "https://harbor.example/authorize",
      token_url: "https://harbor.example/token",
      base_url: "https://harbor.example",
    },
  });
  const { accessToken: access_token, refreshToken: refresh_token } = fixture.oauth;
  await connect(call, "api", { type: "API_KEY", apiKey: fixture.apiKey });
  await connect(call, "harbor", { type: "OAUTH2", access_token, refresh_token });
  await deploy(call, "contacts", "sync", contactsSource());
  await deploy(call, "greet", "action", greetSource());
  await runSync(call);
}

async function connect(call: Call, integration: string, credentials: object): Promise<void> {
  const named = { provider_config_key: integration, connection_id: "acme" };
  await done(call, "POST", "/connections", { ...named, credentials });
}

async function deploy(call: Call, name: string, type: string, code: string): Promise<void> {
  const { id } = await done(call, "POST", "/functions/deployments", {
    type: "function",
    integration_id: "api",
    function_name: name,
    function_type: type,
    code,
  });
  await until(async () => {
    const job = await done(call, "GET", `/functions/deployments/${id}`);
    if (job.status === "failed") throw new Error(JSON.stringify(job));
    return job.status === "success";
  });
}

const syncPath = "/sync/status?provider_config_key=api&connection_id=acme&syncs=contacts";

/** Asks for a run and waits until it has succeeded. */
export async function runSync(call: Call): Promise<void> {
  const before = (await readSync(call))?.finishedAt;
  const trigger = { provider_config_key: "api", connection_id: "acme", syncs: ["contacts"] };
  await done(call, "POST", "/sync/trigger", trigger);
  await until(async () => {
    const sync = await readSync(call);
    return (sync.latestExecutionStatus === "SUCCESS" && sync.finishedAt !== before) || sync;
  });
}

async function readSync(call: Call) {
  const { syncs } = await done(call, "GET", syncPath);
  return syncs[0];
}

/** The body of a successful answer. */
async function done(call: Call, method: string, path: string, sent?: unknown) {
  const { status, body } = await call(method, path, sent);
  if (status >= 200 && status < 300) return body;
  throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
}

const PATIENCE_MS = 20_000;

/** Looks ten times a second; the last answer of `isSo` other than true goes into the error. */
export async function until(isSo: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await isSo();
    if (seen === true) return;
    if (performance.now() > deadline) {
      throw new Error(`not so within ${PATIENCE_MS} ms: ${JSON.stringify(seen)}`);
    }
    await sleep(100);
  }
}

function contactsSource(): string {
  const contacts = fixture.records.map((name, index) => ({ id: String(index), name }));
  return `import { createSync } from "jackfield";
import { z } from "zod";
export default createSync({
  description: "Contacts that never change.",
  frequency: "every hour",
  models: { Contact: z.object({ id: z.string(), name: z.string() }) },
  exec: async (svc) => {
    await svc.batchSave(${JSON.stringify(contacts)}, "Contact");
  },
});
`;
}

function greetSource(): string {
  return `import { createAction } from "jackfield";
import { z } from "zod";
export default createAction({
  description: "Greets.",
  input: z.object({ name: z.string() }),
  output: z.string(),
  exec: async (_svc, { name }) => "Hello, " + name,
});
`;
}
