import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  MINUTE,
  newTimeId,
  type RunId,
} from "#foundation";
import { createEmptyDatabase } from "#foundation/testing";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { deleteRecords, saveRecords } from "#records/testing";
import { type TestApp, testApp } from "#testing";
import { deliver } from "./delivering/deliver.ts";
import { destinations } from "./index.ts";
import { claimDestinations, findDestination } from "./store.ts";
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

async function create(): Promise<string> {
  const payload = { name: "warehouse", type: "postgres", url: relay.url, table };
  const response = await app.server.inject({
    method: "POST",
    url: "/records/destinations",
    payload,
  });
  expect(response.statusCode, response.body).toBe(201);
  return response.json().data.id;
}

/** One delivery, as a worker makes it; false when nothing was due. */
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
  readonly data: { text?: string } | null;
  readonly deleted_at: Date | null;
}

async function rows(): Promise<Row[]> {
  return (await pool.query<Row>(`select * from ${table} order by model, id`)).rows;
}

test("a process that comes late with what it has read writes nothing over what came since", async () => {
  const id = await create();
  await save("Contact", ["1"], "old");
  const late = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const found = await findDestination(app.ctx.db, ctx.environment.id, id);
  if (found === undefined) throw new Error("there is none");
  // It has prepared the table, and read the old record; then it stands still, and loses its lease.
  const slow = {
    ...ctx,
    http: {
      ...ctx.http,
      createSocket() {
        const socket = ctx.http.createSocket();
        const write = socket.write.bind(socket);
        Reflect.set(socket, "write", (...given: Parameters<typeof write>) => {
          // The transaction with the batch begins after the one that prepares the table.
          if (!String(given[0]).includes("insert into") || !String(given[0]).includes("unnest"))
            return write(...given);
          reached.resolve();
          void late.promise.then(() => write(...given));
          return true;
        });
        return socket;
      },
    },
  };
  const lateDelivery = deliver(slow, found);
  await Promise.race([reached.promise, lateDelivery]);
  await save("Contact", ["1"], "new");
  // The late one holds the lock of the state: its session ends as a killed process's does.
  relay.cut();
  await turn();
  late.resolve();
  await lateDelivery;

  expect((await rows()).map(({ data }) => data?.text)).toEqual(["new"]);
});

test("sessions that are killed at any point, by two workers at once: nothing is lost, and the last state is equal", async () => {
  await create();
  await turn();
  // Notes each row that goes back to an earlier change.
  await pool.query(`create table steps_back (id text)`);
  await pool.query(`create function note_step_back() returns trigger language plpgsql as
    $$ begin insert into steps_back values (new.id); return null; end $$`);
  await pool.query(`create trigger no_step_back after update on ${table} for each row
    when (new.sequence < old.sequence) execute function note_step_back()`);
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const truth = new Map<string, string>();
  let kills = 0;
  let isDone = false;
  const chaotic = {
    ...ctx,
    failpoints: {
      hit() {
        if (isDone || random() > 0.3) return;
        kills += 1;
        relay.cut();
      },
    },
  };
  const worker = async () => {
    while (!isDone) {
      app.clock.advance(5 * MINUTE);
      await deliverOnce(chaotic);
      await sleep(5);
    }
  };
  const workers = [worker(), worker()];
  for (let round = 0; round < 200; round += 1) {
    const ids = Array.from({ length: 80 }, () => String(Math.floor(random() * 300)));
    const unique = [...new Set(ids)];
    await save("Contact", unique, `round ${round}`);
    for (const id of unique) truth.set(id, `round ${round}`);
    const gone = unique.slice(0, 5);
    await deleteRecords(ctx, { connection, model: "Contact", writer, ids: gone });
    for (const id of gone) truth.set(id, "deleted");
    await sleep(10);
  }
  isDone = true;
  await Promise.all(workers);
  // What a killed process had is taken over when its lease ends.
  for (let attempt = 0; attempt < 3; attempt += 1) await turn();

  const found = (await rows()).map(({ id, data, deleted_at: deleted }): [string, string] => [
    id,
    deleted === null ? String(data?.text) : "deleted",
  ]);
  expect(kills).toBeGreaterThan(10);
  expect(new Map(found)).toEqual(truth);
  expect((await pool.query("select * from steps_back")).rows).toEqual([]);
}, 120_000);
