import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  isPreparedSchema,
  migrate,
  openDatabase,
  readMigrations,
} from "../../packages/server/src/foundation/db/index.ts";
import {
  type Migration,
  toMigration,
} from "../../packages/server/src/foundation/db/migrations/migration-files.ts";
import { ServerStates } from "../../packages/server/src/foundation/index.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { groups } from "./distributed-tables.ts";
import { readDeployed } from "./prepared-database.ts";
import { findUnmet } from "./read-catalogue.ts";

// Promise U10: a cluster is upgraded by `jackfield migrate`. What prepare.sql removed once no later migration may make again.

/** The last migration of the first schema that prepare.sql could prepare as it is now. */
const FIRST_DISTRIBUTED = "0249";

let resources: AsyncDisposableStack;
let url: string;
let client: pg.Client;
let later: readonly Migration[];
beforeEach(async () => {
  resources = new AsyncDisposableStack();
  url = resources.use(await createEmptyDatabase()).connectionString;
  client = new pg.Client({ connectionString: url });
  await client.connect();
  resources.defer(async () => await client.end());
  const own = await readMigrations();
  later = own.filter(({ name }) => name.slice(0, 4) > FIRST_DISTRIBUTED);
  await migrate(
    url,
    own.filter((migration) => !later.includes(migration)),
  );
  await client.query(await readDeployed("prepare.sql"));
});
afterEach(async () => await resources.disposeAsync());

async function isPrepared(): Promise<boolean> {
  const options = { maxConnections: 1, pooled: false, onError: () => undefined };
  await using database = openDatabase({ connectionString: url, ...options });
  return await isPreparedSchema({ db: database.db, state: new ServerStates() });
}

test("migrations since then run on a prepared schema, and leave it as Citus needs it", async () => {
  const { applied } = await migrate(url);

  expect(applied).toEqual(later.map(({ name }) => name));
  expect(await findUnmet(client, groups)).toEqual([]);
  expect(await isPrepared()).toBe(true);
});

test("one that makes a trigger on a distributed table is found, and changes no statement of the server", async () => {
  const header = "-- compatible since: 0001";
  const text = `create trigger own after update on webhook_deliveries
    for each row execute function announce_change('id', '')`;

  await migrate(url, [
    ...(await readMigrations()),
    toMigration("9999_own.sql", `${header}\n${text};`),
  ]);

  expect(await findUnmet(client, groups)).toEqual(["webhook_deliveries has the trigger own"]);
  expect(await isPrepared()).toBe(true);
});
