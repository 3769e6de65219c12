import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connections, connectionsRemoved } from "#connections";
import { DAY, on } from "#foundation";
import { functions } from "#functions";
import { integrations } from "#integrations";
import { type KeyedServer, startKeyedServer } from "#testing";
import { deleteSequencesOf } from "#webhooks-out";
import { environments } from "../slice.ts";

let server: KeyedServer;
beforeAll(async () => {
  server = await startKeyedServer({ hooks: [on(connectionsRemoved, deleteSequencesOf)] });
});
afterAll(async () => await server[Symbol.asyncDispose]());

const allScopes = ["environment:integrations:*", "environment:connections:*"];

/** An integration with a connection, a function, its schedule and the number of its last webhook; and an API key. */
async function addOneOfEach(name: string): Promise<void> {
  const { ctx } = server.installation;
  const { id } = ctx.environment;
  const key = await server.newKey(ctx, ...allScopes);
  await sql`
    insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
    values (${id}, ${name}, 'unauthenticated', now(), now())`.execute(ctx.db);
  const saved = await server.call(key, "POST", "/connections", {
    ...{ provider_config_key: name, connection_id: name, credentials: { type: "NONE" } },
  });
  expect(saved.status).toBe(201);
  await sql`
    insert into function_bundles (environment_id, sha256, code, source, created_at)
    values (${id}, ${Buffer.from(name)}, '', '', now())`.execute(ctx.db);
  await sql`
    insert into functions (environment_id, integration_id, type, name, version, source, definition, bundle_sha256,
      deployed_at, created_at)
    select ${id}, id, 'sync', ${name}, '1', 'repo', '{}', ${Buffer.from(name)}, now(), now()
      from integrations where unique_key = ${name}`.execute(ctx.db);
  await sql`
    insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms, anchored_at,
      created_at, updated_at)
    select ${randomUUID()}, ${id}, c.uuid, f.id, ${name}, false, 60000, now(), now(), now()
      from connections c, functions f where c.connection_id = ${name} and f.name = ${name}`.execute(
    ctx.db,
  );
  await sql`
    insert into webhook_sequences (connection_uuid, environment_id, last)
    select uuid, ${id}, 7 from connections where connection_id = ${name}`.execute(ctx.db);
  await sql`
    insert into api_keys (id, account_id, environment_id, display_name, scopes, lookup_hash, created_at)
    values (${randomUUID()}, ${ctx.environment.accountId}, ${id}, ${name}, '{}', ${Buffer.from(name)}, now())`.execute(
    ctx.db,
  );
}

/** As the routes do it, which leaves the rows; schedules go a week later. */
async function deleteAll(name: string, at: Date): Promise<void> {
  const { db } = server.installation.ctx;
  await sql`
    update connections set deleted_at = ${at}, credentials = '' where connection_id = ${name}`.execute(
    db,
  );
  await sql`update functions set deleted_at = ${at} where name = ${name}`.execute(db);
  await sql`update integrations set deleted_at = ${at} where unique_key = ${name}`.execute(db);
  await sql`update api_keys set deleted_at = ${at} where display_name = ${name}`.execute(db);
}

async function runDaily(): Promise<void> {
  const { ctx } = server.installation;
  for (const { daily } of [functions, connections, integrations, environments]) {
    for (const chore of daily) await chore(ctx);
  }
}

async function listLeft(name: string): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    select 'connection' as kind from connections where connection_id = ${name}
    union all select 'function' from functions where name = ${name}
    union all select 'integration' from integrations where unique_key = ${name}
    union all select 'key' from api_keys where display_name = ${name}
    union all select 'sequence' from webhook_sequences s
      left join connections c on c.uuid = s.connection_uuid where c.connection_id = ${name} or c.uuid is null
    order by kind`.execute(server.installation.ctx.db);
  return rows.map(({ kind }) => kind);
}

test("rows of what was deleted are removed when nothing speaks of it any more, and not before", async () => {
  const { ctx, clock } = server.installation;
  const all = ["connection", "function", "integration", "key", "sequence"];
  await addOneOfEach("gone");
  await addOneOfEach("live");
  await deleteAll("gone", clock.now());
  clock.advance(401 * DAY);

  await runDaily();
  const withSchedule = await listLeft("gone");
  await sql`delete from syncs where name = 'gone'`.execute(ctx.db);
  await sql`
    update environment_settings set settings = jsonb_set(settings, '{retention}', '{"webhooks_days": 500}')`.execute(
    ctx.db,
  );
  await runDaily();
  const withWebhooks = await listLeft("gone");
  clock.advance(100 * DAY);
  await runDaily();

  // A schedule that is still there keeps what it is of.
  expect(withSchedule).toEqual(all.filter((kind) => kind !== "key"));
  expect(withWebhooks).toEqual(withSchedule);
  expect(await listLeft("gone")).toEqual([]);
  expect(await listLeft("live")).toEqual(all);
});
