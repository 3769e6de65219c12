import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, on } from "#foundation";
import { providerStats, providers } from "#providers";
import { type KeyedServer, startKeyedServer } from "#testing";
import { countForProviders } from "./count-states.ts";

let server: KeyedServer;
let key: string;

beforeAll(async () => {
  server = await startKeyedServer({
    slices: [providers],
    hooks: [on(providerStats, countForProviders)],
  });
  const { ctx } = server.installation;
  key = await server.newKey(ctx, "environment:*");
  await addIntegrations(ctx);
  await addIntegrations(server.other);
  await connect(ctx, "first", 3);
  await connect(ctx, "second", 2);
  await connect(server.other, "first", 5);
  await sql`update connections set deleted_at = now() where connection_id = 'second-1'`.execute(
    ctx.db,
  );
  await sql`
    update connections set needs_reauthorization_at = now() where connection_id = 'first-1'`.execute(
    ctx.db,
  );
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function addIntegrations(place: EnvironmentContext): Promise<void> {
  const own = await server.newKey(place, "environment:*");
  for (const [unique_key, provider] of [
    ["first", "private-api-bearer"],
    ["second", "private-api-bearer"],
    ["unused", "private-api-basic"],
  ]) {
    const made = await server.call(own, "POST", "/integrations", { unique_key, provider });
    expect(made.status).toBe(200);
  }
}

async function connect(
  { db, environment }: EnvironmentContext,
  integration: string,
  count: number,
): Promise<void> {
  await sql`
    insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
    select gen_random_uuid(), ${environment.id}, id, ${integration}::text || '-' || n, 'NONE', ''::bytea, now(), now()
      from integrations, generate_series(1, ${count}) n
     where environment_id = ${environment.id} and unique_key = ${integration}`.execute(db);
}

test("integrations are listed with their counts when asked for", async () => {
  const { body } = await server.call(key, "GET", "/integrations?include=stats");
  const plain = await server.call(key, "GET", "/integrations");

  const none = { ok: 0, refreshing: 0, backoff: 0, needs_reauthorization: 0, pending: 0 };
  const stats = body.data.map((each: { unique_key: string; stats: object }) => [
    each.unique_key,
    each.stats,
  ]);
  expect(stats).toEqual([
    [
      "first",
      { connections: 3, connections_by_state: { ...none, ok: 2, needs_reauthorization: 1 } },
    ],
    ["second", { connections: 1, connections_by_state: { ...none, ok: 1 } }],
    ["unused", { connections: 0, connections_by_state: none }],
  ]);
  expect(plain.body.data[0]).not.toHaveProperty("stats");
});

test.each(["", "&fields=summary"])(
  "providers are listed with their counts when asked for (%s)",
  async (fields) => {
    const { body } = await server.call(
      key,
      "GET",
      `/providers?search=private-api&include=stats${fields}`,
    );
    const plain = await server.call(key, "GET", `/providers?search=private-api${fields}`);

    const stats = body.data.map(({ name, stats }: { name: string; stats: object }) => [
      name,
      stats,
    ]);
    expect(Object.fromEntries(stats)).toMatchObject({
      "private-api-bearer": { integrations: 2, connections: 4 },
      "private-api-basic": { integrations: 1, connections: 0 },
    });
    expect(plain.body.data[0]).not.toHaveProperty("stats");
  },
);

test("counts of a provider that is not used are zero", async () => {
  const { body } = await server.call(key, "GET", "/providers?search=hubspot&include=stats");

  expect(body.data[0].stats).toEqual({ integrations: 0, connections: 0 });
});

test("counts are refused to keys that may not list connections, and to unknown words", async () => {
  const { ctx } = server.installation;
  const less = await server.newKey(ctx, "environment:integrations:list");

  const integrations = await server.call(less, "GET", "/integrations?include=stats");
  const providers = await server.call(less, "GET", "/providers?include=stats");
  const unknown = await server.call(key, "GET", "/integrations?include=counts");
  const unknownOfProviders = await server.call(key, "GET", "/providers?include=counts");

  for (const { status, body } of [integrations, providers]) {
    expect([status, body.error.code]).toEqual([403, "forbidden"]);
    expect(body.error.message).toContain("environment:connections:list");
  }
  expect([unknown.status, unknownOfProviders.status]).toEqual([400, 400]);
});
