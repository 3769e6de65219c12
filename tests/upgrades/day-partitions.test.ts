import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { migrate, readMigrations } from "../../packages/server/src/foundation/db/index.ts";
import { loadTables, openDump } from "../../packages/server/src/foundation/db/transfer/index.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/empty-database.ts";

const ROWS = 20_000;
/** The last migration of the release before. */
const BEFORE = "0008";

interface Upgrade extends AsyncDisposable {
  readonly connectionString: string;
  readonly client: pg.Client;
  readonly environment: string;
  readonly receiver: string;
  /** As a new release does at its first start. */
  readonly migrate: () => Promise<readonly string[]>;
}

/** A database of the release before with an environment. */
async function startUpgrade(): Promise<Upgrade> {
  await using stack = new AsyncDisposableStack();
  const { connectionString } = stack.use(await createEmptyDatabase());
  const migrations = await readMigrations();
  await migrate(
    connectionString,
    migrations.filter(({ name }) => name.slice(0, 4) <= BEFORE),
  );
  const client = new pg.Client({ connectionString });
  await client.connect();
  stack.defer(async () => await client.end());
  const [environment, receiver] = [randomUUID(), randomUUID()];
  const account = randomUUID();
  await client.query("insert into accounts values ($1, 'own', now())", [account]);
  await client.query(
    "insert into environments (id, account_id, name, created_at) values ($1, $2, 'dev', now())",
    [environment, account],
  );
  await client.query(
    "insert into webhook_receivers (id, environment_id, url) values ($1, $2, '')",
    [receiver, environment],
  );
  const made = stack.move();
  return {
    connectionString,
    client,
    environment,
    receiver,
    migrate: async () => (await migrate(connectionString)).applied,
    [Symbol.asyncDispose]: async () => await made.disposeAsync(),
  };
}

/** A deployed function and a connection: their ids. */
async function insertFunction({ client, environment }: Upgrade): Promise<[number, string]> {
  const connection = randomUUID();
  const { rows } = await client.query<{ id: number }>(
    `with integration as (
       insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
       values ($1, 'crm', 'crm', now(), now()) returning id),
     bundle as (
       insert into function_bundles (environment_id, sha256, code, source, created_at)
       values ($1, '\\x00', '', '', now()) returning sha256),
     connection as (
       insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
       select $2, $1, id, 'a', 'NONE', '\\x00', now(), now() from integration)
     insert into functions (environment_id, integration_id, type, name, version, source, definition, bundle_sha256,
                            deployed_at, created_at)
     select $1, integration.id, 'sync', 'f', '1', 'repo', '{}', sha256, now(), now() from integration, bundle
     returning id::int`,
    [environment, connection],
  );
  return [rows[0]?.id ?? 0, connection];
}

/** What the release before says to the database of one delivery, from its birth to its end. */
async function deliver({ client, environment, receiver }: Upgrade): Promise<string> {
  const [id, attempt] = [randomUUID(), randomUUID()];
  await client.query(
    "insert into webhook_receivers (id, environment_id, url) values ($1, $2, '') on conflict do nothing",
    [receiver, environment],
  );
  await client.query(
    `insert into webhook_deliveries (id, receiver_id, type, url, body, next_attempt_at, created_at, environment_id)
     values ($1, $2, 'sync', '', '\\x00', now(), now(), $3)`,
    [id, receiver, environment],
  );
  const claimed = await client.query(
    `with due as materialized (
       select id from webhook_deliveries
        where state = 'waiting' and receiver_id = $1 and next_attempt_at <= now() + interval '1 minute'
          and (leased_until is null or leased_until < now())
        order by next_attempt_at limit 10 for update skip locked)
     update webhook_deliveries d set fence = d.fence + 1, leased_until = now() + interval '30 seconds'
       from due where d.id = due.id returning d.id`,
    [receiver],
  );
  expect(claimed.rows.map((row) => row.id)).toContain(id);
  const stored = await client.query(
    `with outcome as (select $1::uuid as id, $2::uuid as environment_id),
     stored as (
       update webhook_deliveries d set state = 'delivered', attempts = 1, ended_at = now(), leased_until = null
         from outcome o where d.id = o.id and d.environment_id = o.environment_id and d.state = 'waiting'
       returning d.id),
     tried as (
       insert into webhook_attempts (id, delivery_id, status, duration_ms, created_at)
       select $3, o.id, 200, 1, now() from outcome o join stored using (id))
     select id from stored`,
    [id, environment, attempt],
  );
  expect(stored.rows).toEqual([{ id }]);
  return id;
}

/** Until `over`, without a pause; how often, and the longest time that one took. */
async function keepDelivering(upgrade: Upgrade, isOver: () => boolean) {
  const ids: string[] = [];
  let longestMs = 0;
  while (!isOver()) {
    const startedAt = performance.now();
    ids.push(await deliver(upgrade));
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    await sleep(1);
  }
  return { ids, longestMs };
}

async function fill({ client, environment, receiver }: Upgrade): Promise<void> {
  await client.query(
    `with made as (
       insert into webhook_deliveries (id, environment_id, receiver_id, type, url, body, state, created_at, ended_at)
       select gen_random_uuid(), $1, $2, 'sync', '', '\\x00', 'delivered', now() - make_interval(mins => n), now()
         from generate_series(1, ${ROWS}) n returning id, created_at)
     insert into webhook_attempts (id, delivery_id, status, duration_ms, created_at)
     select gen_random_uuid(), id, 200, 1, created_at from made`,
    [environment, receiver],
  );
}

test("the tables of the release before become partitions as they are, while it writes", async () => {
  await using upgrade = await startUpgrade();
  const { client } = upgrade;
  await fill(upgrade);
  const filesOf = async () =>
    await client.query(
      `select c.relkind::text as kind, c.relfilenode as file from pg_class c
        where c.relname ~ '^webhook_(deliveries|attempts)(_until_[0-9]+)?(_environment|_delivery)?$' and c.relfilenode <> 0
        order by 2`,
    );
  const before = (await filesOf()).rows;

  let isOver = false;
  const delivering = keepDelivering(upgrade, () => isOver);
  const applied = await upgrade.migrate();
  // The release before runs for a while longer.
  await sleep(500);
  isOver = true;
  const { ids, longestMs } = await delivering;

  expect(applied.length).toBeGreaterThan(2);
  expect((await filesOf()).rows).toEqual(before);
  const { rows } = await client.query(`
    select count(*)::int as deliveries, count(*) filter (where state = 'delivered')::int as delivered,
           (select count(*)::int from webhook_attempts) as attempts from webhook_deliveries`);
  const count = ROWS + ids.length;
  expect(rows).toEqual([{ deliveries: count, delivered: count, attempts: count }]);
  expect(ids.length).toBeGreaterThan(10);
  // Of many statements together; no lock that a migration holds is long.
  expect(longestMs).toBeLessThan(2000);
  const { rows: places } = await client.query(
    "select distinct tableoid::regclass::text as place from webhook_deliveries",
  );
  expect(places.map(({ place }) => place)).toEqual([
    expect.stringMatching(/^webhook_deliveries_until_\d{8}$/),
  ]);
  const { rows: invalid } = await client.query(
    "select indexrelid::regclass::text as name from pg_index where not indisvalid",
  );
  expect(invalid).toEqual([]);
});

test("a copy of a migrated database has the same partitions with the same rows", async () => {
  await using upgrade = await startUpgrade();
  await fill(upgrade);
  await upgrade.migrate();
  await deliver(upgrade);
  await using copy = await createEmptyDatabase();
  await migrate(copy.connectionString);

  await using source = await openDump(upgrade.connectionString);
  const report = await loadTables(copy.connectionString, source.parts());

  const placesIn = async (connectionString: string) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query(
      `select tableoid::regclass::text as place, count(*)::int from webhook_deliveries group by 1 union all
       select tableoid::regclass::text, count(*)::int from webhook_attempts group by 1 order by 1`,
    );
    await client.end();
    return rows;
  };
  const places = await placesIn(upgrade.connectionString);
  expect(places).toHaveLength(2);
  expect(await placesIn(copy.connectionString)).toEqual(places);
  expect(report.skipped).toEqual([]);
});

test("runs and actions of the release before, and what it asks of them, are the same on the new tables", async () => {
  await using upgrade = await startUpgrade();
  const { client, environment } = upgrade;
  const [fn, connection] = await insertFunction(upgrade);
  const begin = async (): Promise<string[]> => {
    const ids = [randomUUID(), randomUUID()];
    await client.query(
      `insert into async_actions (id, environment_id, function_id, connection_uuid, state, max_retries, created_at)
       values ($1, $2, $3, $4, 'waiting', 0, now())`,
      [ids[0], environment, fn, connection],
    );
    await client.query(
      `insert into runs (id, environment_id, kind, function_id, connection_uuid, state, created_at)
       values ($1, $2, 'sync', $3, $4, 'waiting', now())`,
      [ids[1], environment, fn, connection],
    );
    return ids;
  };
  const end = async (table: string, id = ""): Promise<number | null> => {
    const ended = await client.query(
      `update ${table} set state = 'success', fence = fence + 1, ended_at = now()
        where environment_id = $1 and id = $2 and state in ('waiting', 'running') returning 1`,
      [environment, id],
    );
    return ended.rowCount;
  };
  const before = await begin();
  const applied = await upgrade.migrate();
  const after = await begin();

  const ended = [
    await end("async_actions", before[0]),
    await end("async_actions", after[0]),
    await end("runs", before[1]),
    await end("runs", after[1]),
  ];
  const places = await client.query<{ place: string }>(
    `select tableoid::regclass::text as place from runs union all
     select tableoid::regclass::text from async_actions order by 1`,
  );
  const old = await client.query("delete from async_actions where ended_at < now()");
  const runs = await client.query(
    "delete from runs where id = any(array(select id from runs where ended_at < now() order by id limit 1))",
  );
  await client.query("delete from environments where id = $1", [environment]);

  expect(applied.at(-1)).toBeDefined();
  expect(ended).toEqual([1, 1, 1, 1]);
  expect(places.rows.map(({ place }) => place.replace(/\d+$/, ""))).toEqual(
    ["async_actions_until_", "runs_until_"].flatMap((name) => [name, name]),
  );
  expect([old.rowCount, runs.rowCount]).toEqual([2, 1]);
  expect((await client.query("select from runs")).rows).toEqual([]);
});

test("what the release before asks of old deliveries is done on the new tables", async () => {
  await using upgrade = await startUpgrade();
  const { client, environment } = upgrade;
  await upgrade.migrate();
  const ids = [await deliver(upgrade), await deliver(upgrade), await deliver(upgrade)];

  const replayed = await client.query(
    `update webhook_deliveries set state = 'waiting', attempts = 0, next_attempt_at = now(), ended_at = null,
            fence = fence + 1, leased_until = null where environment_id = $1 and id = $2`,
    [environment, ids[0]],
  );
  const found = await client.query(
    `select d.id, (select count(*)::int from webhook_attempts a where a.delivery_id = d.id) as attempts
       from webhook_deliveries d join webhook_receivers r on r.id = d.receiver_id
      where d.environment_id = $1 and d.id = $2`,
    [environment, ids[0]],
  );
  const deleted = await client.query(
    `delete from webhook_deliveries where id = any(array(
       select id from webhook_deliveries where environment_id = $1 and created_at < now() and id = $2
        order by created_at limit 5000))`,
    [environment, ids[1]],
  );
  const { rows: left } = await client.query("select delivery_id as id from webhook_attempts");
  await client.query("delete from environments where id = $1", [environment]);
  const { rows: rest } = await client.query(
    "select (select count(*)::int from webhook_deliveries) as deliveries, (select count(*)::int from webhook_attempts) as attempts",
  );

  expect(replayed.rowCount).toBe(1);
  expect(found.rows).toEqual([{ id: ids[0], attempts: 1 }]);
  expect(deleted.rowCount).toBe(1);
  // Attempts go with their delivery, though no reference takes them along.
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([ids[0], ids[2]]));
  expect(rest).toEqual([{ deliveries: 0, attempts: 0 }]);
});
