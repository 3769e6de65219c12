import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate, readMigrations } from "../../packages/server/src/foundation/db/index.ts";
import { newTimeId } from "../../packages/server/src/foundation/index.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/empty-database.ts";

// Attempts, and notes of which connections a webhook was passed on for, get the environment of what they belong to: those
// that are there, and those that the release before still writes.

const ADDED = ["0189", "0190", "0191", "0192"];
const ROWS = 3000;

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let client: pg.Client;
const [account, environment] = [randomUUID(), randomUUID()];
beforeAll(async () => {
  database = await createEmptyDatabase();
  const migrations = await readMigrations();
  await migrate(
    database.connectionString,
    migrations.filter(({ name }) => !ADDED.includes(name.slice(0, 4))),
  );
  client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query("insert into accounts values ($1, 'own', now())", [account]);
  await client.query(
    "insert into environments (id, account_id, name, created_at) values ($1, $2, 'dev', now())",
    [environment, account],
  );
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

/** As the release before writes them; ids of deliveries tell their time, or, of an earlier release, do not. */
async function write(count: number): Promise<void> {
  const receiver = randomUUID();
  const insertReceiver =
    "insert into webhook_receivers (id, environment_id, url) values ($1, $2, '')";
  await client.query(insertReceiver, [receiver, environment]);
  const now = new Date();
  const ids = Array.from({ length: count }, (_, n) =>
    n % 2 === 0 ? newTimeId(now) : randomUUID(),
  );
  await client.query(
    `insert into webhook_deliveries (id, environment_id, receiver_id, type, url, body, state, created_at)
     select id, $2, $3, 'sync', '', '', 'delivered', $4 from unnest($1::uuid[]) as d (id)`,
    [ids, environment, receiver, now],
  );
  await client.query(
    `insert into webhook_attempts (id, delivery_id, status, duration_ms, created_at)
     select gen_random_uuid(), id, 200, 1, now() from unnest($1::uuid[]) as d (id)`,
    [ids],
  );
  const webhooks = ids.map(() => randomUUID());
  await client.query(
    `insert into inbound_webhooks (id, environment_id, integration_id, body_bytes, is_verified, types, completes, state, received_at)
     select id, $2, 1, 0, true, '[]', false, 'handled', now() from unnest($1::uuid[]) as w (id)`,
    [webhooks, environment],
  );
  await client.query(
    `insert into inbound_webhook_connections (webhook_id, connection_uuid, received_at)
     select id, gen_random_uuid(), now() from unnest($1::uuid[]) as w (id)`,
    [webhooks],
  );
}

async function countByEnvironment(table: string): Promise<unknown> {
  const { rows } = await client.query(
    `select environment_id, count(*)::int as count from ${table} group by environment_id`,
  );
  return rows;
}

test("rows that are there, and rows that the release before adds, have their environment", async () => {
  await write(ROWS);

  await migrate(database.connectionString);
  const filled = [
    await countByEnvironment("webhook_attempts"),
    await countByEnvironment("inbound_webhook_connections"),
  ];
  await write(2);

  const all = (count: number) => [{ environment_id: environment, count }];
  expect(filled).toEqual([all(ROWS), all(ROWS)]);
  expect(await countByEnvironment("webhook_attempts")).toEqual(all(ROWS + 2));
  expect(await countByEnvironment("inbound_webhook_connections")).toEqual(all(ROWS + 2));
});
