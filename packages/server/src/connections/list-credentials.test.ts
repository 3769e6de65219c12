import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, type KeyedServer, startKeyedServer } from "#testing";

let server: KeyedServer;
let call: KeyedServer["call"];
let full: string;

beforeAll(async () => {
  server = await startKeyedServer();
  ({ call } = server);
  full = await server.newKey(server.installation.ctx, "environment:*");
  await call(full, "POST", "/integrations", {
    provider: "private-api-bearer",
    unique_key: "plain",
    integration_config: { base_url: "http://127.0.0.1:9" },
  });
  await call(full, "POST", "/integrations", {
    provider: "github",
    unique_key: "gh",
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "s" },
  });
});
afterAll(async () => await server[Symbol.asyncDispose]());

test("the list holds credentials for a key that names list_credentials, and for a full key on request, 100 a page", async () => {
  await call(full, "POST", "/connections", {
    provider_config_key: "plain",
    connection_id: "c-1",
    tags: { set: "c" },
    credentials: { type: "API_KEY", apiKey: "canary of c-1" },
  });
  server.installation.clock.advance(1);
  await call(full, "POST", "/connections", {
    provider_config_key: "gh",
    connection_id: "c-2",
    tags: { set: "c" },
    credentials: { type: "OAUTH2", access_token: "a", refresh_token: "r" },
  });
  const lister = await server.newKey(server.installation.ctx, "environment:connections:list");
  const trusted = await server.newKey(
    server.installation.ctx,
    "environment:connections:list_credentials",
  );
  const url = "/connections?tags[set]=c";
  const credentialsOf = ({ body }: { body: Answer }) =>
    body.connections.map(({ credentials }: Answer) => credentials);

  const own = credentialsOf(await call(trusted, "GET", url));
  const withRefresh = credentialsOf(await call(trusted, "GET", `${url}&refresh_token=true`));
  const legacy = credentialsOf(await call(trusted, "GET", "/connection?tags[set]=c"));
  const plain = credentialsOf(await call(full, "GET", url));
  const asked = credentialsOf(await call(full, "GET", `${url}&include=credentials,error_details`));
  const refused = await call(lister, "GET", `${url}&include=credentials`);
  const tooMany = [
    await call(full, "GET", `${url}&include=credentials&limit=101`),
    await call(trusted, "GET", `${url}&limit=101`),
  ];

  const [oauth, apiKey] = own;
  expect(apiKey).toEqual({ type: "API_KEY", apiKey: "canary of c-1" });
  expect(oauth).toMatchObject({ access_token: "a" });
  expect(JSON.stringify(oauth)).not.toContain("refresh_token");
  expect(withRefresh[0]).toMatchObject({ refresh_token: "r" });
  expect(asked).toEqual(own);
  expect([...legacy, ...plain]).toEqual([undefined, undefined, undefined, undefined]);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  for (const answer of tooMany) {
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_query_params" } },
    });
  }
});
