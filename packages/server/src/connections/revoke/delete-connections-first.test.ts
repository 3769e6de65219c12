import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, on } from "#foundation";
import { withTransaction } from "#foundation/db";
import { getIntegration, integrationLeaving } from "#integrations";
import { type KeyedServer, startKeyedServer } from "#testing";
import { connectionDeletingWatched } from "../hooks.ts";
import { deleteConnectionsFirst } from "./delete-connections-first.ts";

let server: KeyedServer;
beforeAll(async () => {
  server = await startKeyedServer({
    hooks: [
      on(integrationLeaving, deleteConnectionsFirst),
      on(connectionDeletingWatched, async () => false),
    ],
  });
});
afterAll(async () => await server[Symbol.asyncDispose]());

/** An integration `crm` with so many connections. */
async function fill(ctx: EnvironmentContext, count: number): Promise<string> {
  const key = await server.newKey(ctx, "environment:*");
  const integration_config = { base_url: "http://127.0.0.1:9" };
  await server.call(key, "POST", "/integrations", {
    ...{ provider: "unauthenticated", unique_key: "crm", integration_config },
  });
  await server.call(key, "POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "first", credentials: { type: "NONE" } },
  });
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at,
                             updated_at)
    select gen_random_uuid(), environment_id, integration_id, 'more ' || n, auth_mode, credentials, created_at, updated_at
      from connections, generate_series(2, ${count}) n where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  return key;
}

async function countLeft(ctx: EnvironmentContext): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from connections
     where environment_id = ${ctx.environment.id} and deleted_at is null`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

test("an integration with many connections goes page by page, and its deletion continues where it ended", async () => {
  const ctx = await server.installation.addEnvironment();
  const key = await fill(ctx, 250);
  const integration = await getIntegration(ctx, "crm");

  const isDone = await deleteConnectionsFirst(ctx, { integration, withinMs: 0 });
  const left = await countLeft(ctx);
  const { status } = await server.call(key, "DELETE", "/integrations/crm");

  expect([isDone, left, status]).toEqual([false, 50, 200]);
  await expect(getIntegration(ctx, "crm")).rejects.toThrow('no integration "crm"');
  expect(await countLeft(ctx)).toBe(0);
});

test("few connections go with their integration, or not at all", async () => {
  const ctx = await server.installation.addEnvironment();
  await fill(ctx, 100);
  const integration = await getIntegration(ctx, "crm");

  const isDone = await deleteConnectionsFirst(ctx, { integration, withinMs: 0 });

  expect([isDone, await countLeft(ctx)]).toEqual([true, 100]);
});

test("what another transaction holds is passed over, and goes once it is free", async () => {
  const ctx = await server.installation.addEnvironment();
  await fill(ctx, 250);
  const integration = await getIntegration(ctx, "crm");
  const held = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = withTransaction(ctx, async ({ db }) => {
    await sql`
      select from connections where environment_id = ${ctx.environment.id} and connection_id in ('first', 'more 9')
         for key share`.execute(db);
    isHeld.resolve();
    await held.promise;
  });
  await isHeld.promise;

  const deleting = deleteConnectionsFirst(ctx, { integration, withinMs: undefined });
  await expect.poll(async () => await countLeft(ctx)).toBe(2);
  held.resolve();

  expect(await deleting).toBe(true);
  await holding;
  expect(await countLeft(ctx)).toBe(0);
});
