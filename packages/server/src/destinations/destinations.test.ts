import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  MINUTE,
  newTimeId,
  type RunId,
  SECOND,
} from "#foundation";
import { createEmptyDatabase } from "#foundation/testing";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { clearRecords, renewFeeds } from "#records";
import { deleteRecords, saveRecords } from "#records/testing";
import { type TestApp, testApp } from "#testing";
import { deliver } from "./delivering/deliver.ts";
import { destinations } from "./index.ts";
import { claimDestinations, pauseDestinations } from "./store.ts";
import { type DatabaseRelay, startDatabaseRelay } from "./testing/database-relay.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;
let customer: Awaited<ReturnType<typeof createEmptyDatabase>>;
let relay: DatabaseRelay;
let pool: pg.Pool;
let tables = 0;
let table: string;

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

beforeAll(async () => {
  app = await testApp({
    slices: [destinations],
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
  customer = await createEmptyDatabase();
  relay = await startDatabaseRelay(customer.connectionString);
  pool = new pg.Pool({ connectionString: customer.connectionString });
  // Killed sessions of the pool itself are none of the tests' business.
  pool.on("error", () => {});
});
afterAll(async () => {
  await pool.end();
  await relay[Symbol.asyncDispose]();
  await customer[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
  await app.database.pool.query("delete from record_destinations");
  tables += 1;
  table = `records_${tables}`;
  const integration = await insertTestIntegration(ctx, "crm");
  connection = (await insertTestConnection(ctx, integration, "customer-1")).uuid;
});

async function save(model: string, ids: readonly string[], text = "", of = connection) {
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text })));
  await saveRecords(ctx, { connection: of, model, writer, ids, lines });
}

async function call(method: "GET" | "POST" | "PATCH" | "DELETE", path = "", payload?: object) {
  const url = `/records/destinations${path}`;
  const response = await app.server.inject({ method, url, ...(payload && { payload }) });
  return {
    status: response.statusCode,
    text: response.body,
    body: response.body === "" ? undefined : response.json(),
  };
}

async function create(more: object = {}): Promise<string> {
  const payload = { name: "warehouse", type: "postgres", url: relay.url, table, ...more };
  const { status, body, text } = await call("POST", "", payload);
  expect(status, text).toBe(201);
  return body.data.id;
}

/** One turn, as a worker takes it; false when nothing was due. */
async function deliverOnce(inside = ctx): Promise<boolean> {
  const options = { now: ctx.clock.now(), limit: 1, heldMs: 2 * MINUTE, crowded: [] };
  const [claimed] = await claimDestinations(app.ctx.db, options);
  if (claimed === undefined) return false;
  await deliver(inside, claimed);
  return true;
}

async function turn(inside = ctx): Promise<void> {
  app.clock.advance(10 * MINUTE);
  await deliverOnce(inside);
}

interface Row {
  readonly id: string;
  readonly model: string;
  readonly data: { text?: string } | null;
  readonly deleted_at: Date | null;
}

async function rows(): Promise<Row[]> {
  return (await pool.query<Row>(`select * from ${table} order by model, id`)).rows;
}

test("changes arrive in a table that is made for them: what is added, changed, deleted and removed", async () => {
  const id = await create();
  await save("Contact", ["1", "2", "3"], "first");
  await save("Deal", ["1"]);
  await turn();
  const first = await rows();
  await save("Contact", ["2"], "second");
  await deleteRecords(ctx, { connection, model: "Contact", writer, ids: ["3"] });
  await clearRecords(ctx, { connection, models: ["Deal"] });
  await turn();

  expect(first.map(({ model, id }) => `${model} ${id}`)).toEqual([
    "Contact 1",
    "Contact 2",
    "Contact 3",
    "Deal 1",
  ]);
  const second = await rows();
  expect(second.map(({ id, data }) => `${id} ${data?.text}`)).toEqual([
    "1 first",
    "2 second",
    "3 first",
  ]);
  expect(second.map(({ deleted_at: deleted }) => deleted !== null)).toEqual([false, false, true]);
  expect(second[0]).toMatchObject({
    integration: "crm",
    connection_id: "customer-1",
    variant: "base",
  });
  const { data } = (await call("GET", `/${id}`)).body;
  expect(data).toMatchObject({ state: "active", delivered: 7, lag_seconds: 0, last_error: null });
});

test("the URL is never shown, and only what filters name is delivered", async () => {
  await save("Contact", ["1"]);
  await save("Deal", ["1"]);
  const id = await create({ models: ["Deal"], integrations: ["crm"] });
  await turn();
  const only = await rows();
  const shown = await call("GET");
  const changed = await call("PATCH", `/${id}`, { models: null });
  await turn();

  expect(only.map(({ model }) => model)).toEqual(["Deal"]);
  expect((await rows()).map(({ model }) => model)).toEqual(["Contact", "Deal"]);
  const { password, hostname, port, pathname } = new URL(relay.url);
  expect(shown.text + changed.text).not.toContain(password);
  expect(shown.body.data[0].address).toBe(`${hostname}:${port || 5432}${pathname}`);
});

test.each([
  ["a file of certificates", "?sslrootcert=/etc/passwd"],
  ["a socket", "?host=/var/run/postgresql"],
  ["options", "?options=-csearch_path=x"],
])("a URL that names %s is refused", async (_name, query) => {
  const url = `postgres://u:hidden-password@db.example.com/app${query}`;

  const answer = await call("POST", "", { name: "w", type: "postgres", url, table });

  expect(answer.status).toBe(400);
  expect(answer.text).not.toContain("hidden-password");
});

test.each(["10.0.0.1", "169.254.169.254", "[::ffff:10.0.0.1]", "%2Fvar%2Frun"])(
  "a database at %s is refused",
  async (host) => {
    const url = `postgres://u:p@${host}/app`;

    const { status } = await call("POST", "", { name: "w", type: "postgres", url, table });

    expect(status).toBe(400);
  },
);

test("a name and a table that are taken are refused, and so is a name that needs quoting", async () => {
  await pool.query(`create table ${table} (id text)`);
  const id = await create();
  await turn();

  expect((await call("GET", `/${id}`)).body.data).toMatchObject({
    state: "failing",
    last_error: { code: "table_taken" },
  });
  const again = { name: "warehouse", type: "postgres", url: relay.url, table };
  expect((await call("POST", "", again)).status).toBe(409);
  for (const name of [
    'a"; drop table x',
    "A",
    "pg table",
    "jackfield_destinations",
    "x".repeat(64),
  ]) {
    expect((await call("POST", "", { ...again, name: "other", table: name })).status).toBe(400);
  }
});

test("while the database is away, attempts get rarer, the error is shown, and nothing is lost", async () => {
  const id = await create({ url: "postgres://u:a-secret-word@127.0.0.1:1/app?sslmode=disable" });
  await save("Contact", ["1"]);
  await turn();
  const { data: first } = (await call("GET", `/${id}`)).body;
  for (let attempt = 0; attempt < 10; attempt += 1) await turn();
  const { data: last } = (await call("GET", `/${id}`)).body;
  const pauseMs = Date.parse(last.next_attempt_at) - app.clock.now().getTime();
  await call("PATCH", `/${id}`, { url: relay.url });
  await turn();

  expect(first).toMatchObject({
    state: "failing",
    failures: 1,
    last_error: { code: "upstream_unreachable" },
  });
  expect(JSON.stringify(last)).not.toContain("a-secret-word");
  expect(last.failures).toBe(11);
  expect(pauseMs).toBeGreaterThan(2 * MINUTE);
  expect(pauseMs).toBeLessThan(7 * MINUTE);
  expect(last.lag_seconds).toBeGreaterThan(0);
  expect(await rows()).toHaveLength(1);
  expect((await call("GET", `/${id}`)).body.data).toMatchObject({ state: "active", failures: 0 });
});

test("a paused destination gets nothing, and continues where it stopped", async () => {
  const id = await create();
  await save("Contact", ["1"]);
  await turn();
  await call("PATCH", `/${id}`, { paused: true });
  await save("Contact", ["2"]);
  app.clock.advance(10 * MINUTE);
  const wasDue = await deliverOnce();
  const paused = (await call("GET", `/${id}`)).body.data;
  const during = await rows();
  await call("PATCH", `/${id}`, { paused: false });
  await turn();

  expect(wasDue).toBe(false);
  expect(paused).toMatchObject({
    state: "paused",
    pause_reason: "requested",
    next_attempt_at: null,
  });
  expect(during).toHaveLength(1);
  expect(await rows()).toHaveLength(2);
});

test("of a copy all are paused, and once resumed the table is emptied and filled again", async () => {
  const id = await create();
  await save("Contact", ["1", "2"]);
  await turn();
  await pool.query(`insert into ${table} select 'of the original', id, integration, connection_id, model, variant, data,
    first_seen_at, changed_at, deleted_at, pruned_at, sequence, error from ${table}`);
  await renewFeeds(app.ctx.db);
  await pauseDestinations(app.ctx.db);
  const paused = (await call("GET", `/${id}`)).body.data;
  await call("PATCH", `/${id}`, { paused: false });
  await turn();

  expect(paused).toMatchObject({ state: "paused", pause_reason: "restored_copy" });
  expect(await rows()).toHaveLength(2);
});

test("what Postgres cannot hold is left out of its row, and holds nothing else up", async () => {
  await create();
  const odd = Buffer.from('{"id":"2","number":1e400000}');
  const plain = Buffer.from('{"id":"1"}');
  await saveRecords(ctx, {
    connection,
    model: "Contact",
    writer,
    ids: ["1", "2"],
    lines: [plain, odd],
  });
  await save("Deal", ["1"]);
  await turn();

  const written = (
    await pool.query(`select model, id, data is null as empty, error from ${table} order by 1, 2`)
  ).rows;
  expect(written).toMatchObject([
    { model: "Contact", id: "1", empty: false, error: null },
    { model: "Contact", id: "2", empty: true, error: "Postgres cannot hold this record as jsonb." },
    { model: "Deal", id: "1", empty: false },
  ]);
});

test("after a restart the table is emptied and filled again, and a deleted destination leaves it as it is", async () => {
  const id = await create();
  await save("Contact", ["1", "2"]);
  await turn();
  await pool.query(`update ${table} set data = '{}'`);
  await call("POST", `/${id}/restart`);
  app.clock.advance(SECOND);
  await turn();
  const again = await rows();
  const deleted = await call("DELETE", `/${id}`);
  app.clock.advance(DAY);

  expect(again.map(({ data }) => data)).toMatchObject([{ id: "1" }, { id: "2" }]);
  expect(deleted.status).toBe(204);
  expect(await deliverOnce()).toBe(false);
  expect(await rows()).toHaveLength(2);
});
