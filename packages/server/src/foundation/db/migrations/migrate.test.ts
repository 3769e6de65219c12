import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEmptyDatabase } from "#foundation/testing";
import { readFingerprint } from "./check-history.ts";
import { migrate } from "./migrate.ts";
import { type Migration, readMigrations, toMigration } from "./migration-files.ts";

const resources: AsyncDisposable[] = [];
let url: string;
let client: pg.Client;
let own: readonly Migration[];

beforeEach(async () => {
  const database = await createEmptyDatabase();
  resources.push(database);
  url = database.connectionString;
  client = new pg.Client({ connectionString: url });
  await client.connect();
  resources.push({ [Symbol.asyncDispose]: async () => await client.end() });
  own = await readMigrations();
});

afterEach(async () => {
  for (const resource of resources.splice(0).reverse()) await resource[Symbol.asyncDispose]();
});

/** What the database would be had its owner stopped at the first release. */
async function migrateToFoundation(): Promise<void> {
  await migrate(url, own.slice(0, 1));
}

test("an empty database gets each migration once, also when two processes start together", async () => {
  const [one, two] = await Promise.all([migrate(url), migrate(url)]);
  expect([...one.applied, ...two.applied]).toEqual(own.map(({ name }) => name));
  const { rows } = await client.query("select name, checksum from schema_migrations order by name");
  expect(rows).toEqual(own.map(({ name, checksum }) => ({ name, checksum })));
  expect(await migrate(url)).toEqual({ applied: [] });
});

test("a migration that was changed after it ran is refused, and nothing is written", async () => {
  await migrateToFoundation();
  const changed = toMigration("0001_foundation.sql", `${own[0]?.sql} -- changed`);
  const later = toMigration("0002_later.sql", "-- compatible since: 0001\ncreate table later ();");
  await expect(migrate(url, [changed, later])).rejects.toThrow(
    /0001_foundation\.sql is not the one/,
  );
  expect((await client.query("select to_regclass('later') as later")).rows).toEqual([
    { later: null },
  ]);
});

test("a database of the other text of a migration is brought to the same schema", async () => {
  const name = "0156_agent_approvals.sql";
  const until = own.findIndex((migration) => migration.name === name);
  const shipped = own[until];
  const columns = ["(session_id, call_digest)", "(call_digest, session_id)"] as const;
  const other = toMigration(name, shipped?.sql.replace(...columns) ?? "");
  await migrate(url, [...own.slice(0, until), other]);

  await migrate(url);

  expect(other.checksum).not.toBe(shipped?.checksum);
  const { rows } = await client.query(
    "select indexdef from pg_indexes where indexname = 'agent_approvals_open'",
  );
  expect(rows).toEqual([{ indexdef: expect.stringContaining("(call_digest, session_id)") }]);
});

test("no transaction of ours is open while the queue's own migrations run", async () => {
  await migrate(url);
  await client.query(
    "delete from graphile_worker.migrations where id = (select max(id) from graphile_worker.migrations)",
  );
  await client.query("begin");
  await client.query("lock table graphile_worker.migrations in exclusive mode");
  const { rows: holders } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const holder = holders[0]?.pid;
  const stopping = new AbortController();
  const migrating = migrate(url, own, stopping.signal);
  const others = new pg.Client({ connectionString: url });
  await others.connect();
  resources.push({ [Symbol.asyncDispose]: async () => await others.end() });
  await waitUntilBlocked(others, "graphile_worker.migrations");

  const { rows } = await others.query(
    `select query from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
        and query not like '%graphile_worker%' and pid <> $1`,
    [holder],
  );

  expect(rows).toEqual([]);
  stopping.abort();
  await expect(migrating).rejects.toThrow("stopped before the schema was up to date");
  await client.query("rollback");
});

test.each(["a table in use", "the lock of another process"])(
  "what waits for %s ends when it is stopped, and nothing waits on in the database",
  async (what) => {
    await migrateToFoundation();
    await client.query("begin");
    await client.query("lock table connections in access share mode");
    // Without a limit for how long it waits.
    const text =
      "-- compatible since: 0001\n-- mode: concurrently\nalter table connections add late text;";
    const late = toMigration("0002_late.sql", text);
    const first = new AbortController();
    const second = new AbortController();
    const migrations = [...own.slice(0, 1), late];
    const one = migrate(url, migrations, first.signal);
    const others = new pg.Client({ connectionString: url });
    await others.connect();
    resources.push({ [Symbol.asyncDispose]: async () => await others.end() });
    await waitUntilBlocked(others);
    const two = migrate(url, migrations, second.signal);
    two.catch(() => undefined);
    const stopped = "stopped before the schema was up to date";

    if (what === "the lock of another process") {
      second.abort();
      await expect(two).rejects.toThrow(stopped);
    }
    first.abort();
    await expect(one).rejects.toThrow(stopped);
    second.abort();
    await expect(two).rejects.toThrow(stopped);

    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await others.query(waiting)).rowCount).toBe(0);
    await client.query("rollback");
  },
);

test("a newer schema is worked on as long as it says that this version may", async () => {
  await migrateToFoundation();
  const near = toMigration("8000_near.sql", "-- compatible since: 0001\ncreate table near ();");
  await migrate(url, [...own.slice(0, 1), near]);
  await expect(migrate(url)).resolves.toEqual({ applied: own.slice(1).map(({ name }) => name) });
  const far = toMigration("9000_far.sql", "-- compatible since: 8000\ncreate table far ();");
  await migrate(url, [...own, near, far]);
  await expect(migrate(url)).rejects.toThrow(/newer Jackfield \(9000_far\.sql\)/);
});

test("a database from before checksums is taken over when its schema is the released one", async () => {
  await migrateToFoundation();
  await client.query(
    "alter table schema_migrations drop column checksum, drop column compatible_since",
  );
  await migrate(url);
  const { rows } = await client.query("select name from schema_migrations where checksum is null");
  expect(rows).toEqual([]);
});

test("a database of a development version is refused with the cure, and nothing is written", async () => {
  await migrateToFoundation();
  await client.query(
    "alter table schema_migrations drop column checksum, drop column compatible_since",
  );
  await client.query("alter table connections drop column metadata");
  const before = await readFingerprint(client);
  await expect(migrate(url)).rejects.toThrow(/development version .* SVC_DATA_DIR/);
  expect(await readFingerprint(client)).toBe(before);
  const { rows } = await client.query("select name from schema_migrations");
  expect(rows).toEqual([{ name: "0001_foundation.sql" }]);
});

test("a migration waits for a table in use without making others wait behind it", async () => {
  await migrateToFoundation();
  await client.query("begin");
  await client.query("lock table connections in access share mode");
  const widen = toMigration(
    "0002_widen.sql",
    "-- compatible since: 0001\nalter table connections add column widened text;",
  );
  const migrating = migrate(url, [...own.slice(0, 1), widen]);
  const others = new pg.Client({ connectionString: url });
  await others.connect();
  resources.push({ [Symbol.asyncDispose]: async () => await others.end() });
  await others.query("set statement_timeout = '20s'");
  await waitUntilBlocked(others);
  await others.query("select 1 from connections limit 1");
  await client.query("commit");
  expect(await migrating).toEqual({ applied: ["0002_widen.sql"] });
});

test("statements run one by one, or until nothing is left, where their file says so", async () => {
  await migrateToFoundation();
  const rows = toMigration(
    "0002_rows.sql",
    "-- compatible since: 0001\ncreate table things (id int, kind text);\ninsert into things select generate_series(1, 2500);",
  );
  const fill = toMigration(
    "0003_fill.sql",
    "-- compatible since: 0001\n-- mode: batches\nupdate things set kind = 'old' where id in (select id from things where kind is null limit 1000);\n",
  );
  const index = toMigration(
    "0004_index.sql",
    "-- compatible since: 0001\n-- mode: concurrently\ndrop index concurrently if exists things_kind;\ncreate index concurrently things_kind on things (kind);\n",
  );
  await migrate(url, [...own.slice(0, 1), rows, fill, index]);
  const counted = await client.query("select count(*)::int as old from things where kind = 'old'");
  expect(counted.rows).toEqual([{ old: 2500 }]);
  const valid = await client.query(
    "select indisvalid from pg_index where indexrelid = 'things_kind'::regclass",
  );
  expect(valid.rows).toEqual([{ indisvalid: true }]);
});

test("each partition gets its index concurrently where a file generates the statements", async () => {
  await migrateToFoundation();
  const parts = toMigration(
    "0002_parts.sql",
    "-- compatible since: 0001\ncreate table days (day int, n int) partition by list (day);\ncreate table day_1 partition of days for values in (1);\ncreate table day_2 partition of days for values in (2);",
  );
  const indexes = toMigration(
    "0003_indexes.sql",
    `-- compatible since: 0001
-- mode: generated
select 'create index concurrently on gone (n)', format('create index concurrently %I on %s (n)', relid || '_n', relid)
  from pg_partition_tree('days') where isleaf;
`,
  );
  const whole = toMigration(
    "0004_whole.sql",
    "-- compatible since: 0001\ncreate index days_n on days (n);",
  );

  await migrate(url, [...own.slice(0, 1), parts, indexes, whole]);

  const { rows } = await client.query(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'days_n'::regclass order by 1",
  );
  expect(rows).toEqual([{ name: "day_1_n" }, { name: "day_2_n" }]);
});

test("a migration says since when servers work next to it", () => {
  expect(() => toMigration("0002_mute.sql", "create table mute ();")).toThrow(/compatible since/);
  expect(() => toMigration("0002_odd.sql", "-- compatible since: 0001\n-- mode: fast\n")).toThrow(
    /unknown mode/,
  );
});

/** Until the migration waits for a lock; it does so again and again. */
async function waitUntilBlocked(observer: pg.Client, table = "connections"): Promise<void> {
  for (;;) {
    const { rowCount } = await observer.query(
      "select 1 from pg_locks where not granted and locktype = 'relation' and relation = $1::regclass",
      [table],
    );
    if (rowCount !== 0) return;
    await sleep(20);
  }
}
