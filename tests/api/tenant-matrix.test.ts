import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiOf } from "../journeys/api.ts";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";
import { type Ids, operations, type SampleRequest, sampleRequest } from "./sample-request.ts";

// Promise A2: a request that names a thing of another environment is answered as if the thing did not exist,
// and the other environment stays as it was.

let api: ApiUnderTest;
let strangerKey = "";
let theirs: Ids = {};
beforeAll(async () => {
  api = await startApi();
  strangerKey = await api.keyOf("prod", ["environment:*"]);
  theirs = await seed(await api.keyOf("dev", ["environment:*"]));
});
afterAll(async () => await api[Symbol.asyncDispose]());

/** One of each thing that a caller can name, in the environment dev. */
async function seed(key: string): Promise<Ids> {
  const dev = apiOf(api.url, key);
  const integration = `crm-${randomUUID()}`;
  const connection = `acme-${randomUUID()}`;
  await dev("POST", "/integrations", {
    body: { provider: "private-api-bearer", unique_key: integration },
  });
  await dev("POST", "/connections", {
    body: {
      provider_config_key: integration,
      connection_id: connection,
      credentials: { type: "API_KEY", apiKey: "canary" },
      tags: { end_user_id: "u1" },
    },
  });
  const session = await dev("POST", "/connect/sessions", { body: { tags: {} } });
  const { rows } = await api.database.pool.query("select id from environments where name = 'dev'");
  return {
    ...namesOf(integration, connection),
    environment_id: rows[0].id,
    environmentId: rows[0].id,
    session: session.body.data.token,
  };
}

function namesOf(integration: string, connection: string): Ids {
  return {
    uniqueKey: integration,
    providerConfigKey: integration,
    provider_config_key: integration,
    "provider-config-key": integration,
    integration_id: integration,
    integrationId: integration,
    connectionId: connection,
    connection_id: connection,
    "connection-id": connection,
    syncs: "contacts",
    model: "Contact",
    action_name: "create",
  };
}

const environmentRoutes = operations.filter(({ method, path, operation }) => {
  const named = sampleNames(operation);
  // The stranger keeps a history of its own, which the first call ends.
  const isOwn = method === "DELETE" && path === "/records/history/{model}";
  return !path.startsWith("/oauth/") && !isOwn && named.length > 0;
});

function sampleNames(operation: (typeof operations)[number]["operation"]): string[] {
  const known = new Set(Object.keys(namesOf("", "")));
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = Object.keys(Object(Object(schema)["properties"]));
  return [...operation.parameters.map(({ name }) => name), ...body].filter((name) =>
    known.has(name),
  );
}

async function send(request: SampleRequest): Promise<{ status: number; text: string }> {
  const response = await fetch(`${api.url}${request.path}`, {
    method: request.method,
    redirect: "manual",
    headers: {
      authorization: `Bearer ${strangerKey}`,
      ...request.headers,
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function fingerprint(): Promise<string> {
  const { rows } = await api.database.pool.query(`
    select md5(string_agg(row_text, '|' order by row_text)) as sum from (
      select i::text as row_text from integrations i join environments e on e.id = i.environment_id where e.name = 'dev'
      union all
      select c::text from connections c join environments e on e.id = c.environment_id where e.name = 'dev'
      union all
      select e::text from environments e where e.name = 'dev') as rows`);
  return rows[0].sum;
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** The same answer regardless of the ids in it and of what it has just made. */
function withoutIds(text: string, ids: Ids): string {
  return Object.values(ids)
    .filter((id) => typeof id === "string" && id.length > 20)
    .reduce((rest: string, id) => rest.replaceAll(String(id), "<id>"), text)
    .replace(UUID, "<made>")
    .replace(INSTANT, "<now>");
}

test.each(
  environmentRoutes.map(
    (described) => [`${described.method} ${described.path}`, described] as const,
  ),
)("%s does not tell a thing of another environment from none", async (_name, described) => {
  const before = await fingerprint();
  const nothing: Ids = {
    ...theirs,
    ...namesOf(`crm-${randomUUID()}`, `acme-${randomUUID()}`),
    environment_id: randomUUID(),
    environmentId: randomUUID(),
  };

  const toTheirs = await send(sampleRequest(described, theirs));
  const toNothing = await send(sampleRequest(described, nothing));

  expect(toTheirs.status).toBe(toNothing.status);
  expect(withoutIds(toTheirs.text, theirs)).toBe(withoutIds(toNothing.text, nothing));
  expect(toTheirs.text).not.toContain("canary");
  expect(toTheirs.status).toBeLessThan(500);
  expect(await fingerprint()).toBe(before);
});

test("the matrix has every route that names an integration or a connection", () => {
  expect(environmentRoutes.length).toBeGreaterThan(20);
});
