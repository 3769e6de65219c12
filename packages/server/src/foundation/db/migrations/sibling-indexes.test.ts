import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../testing/index.ts";

// An environment or a model that comes with many rows at once is unknown to statistics that were taken before: Postgres
// then expects one row of it, and any index that begins as a key does looks as short a way as the key. A lookup by the
// key reads all rows that share the beginning. So no index may begin like a key unless its condition is one that such
// lookups do not say (`sequence > 0`), or the lookups are written so that only the key fits.

const harmless: Record<string, string> = {
  "connections_created next to connections_connection_id": "lookups go through connectionByNames",
  "connections_integration next to connections_connection_id":
    "lookups go through connectionByNames",
  "credential_reads_connection next to credential_reads_pkey":
    "the key is only written by, and lists of a connection name the connection",
  "erasures_environment next to erasures_running":
    "an environment has few erasures, and one at a time of each person",
  "problems_list next to problems_fingerprint":
    "the sweep writes by the key, and reads by what is open",
  "function_egress_connection next to function_egress_pkey":
    "rows of a function are added by their whole key, and read by function and days",
  "record_versions_record next to record_versions_pkey":
    "only the rotation of keys looks versions up by their key, page by page in its order",
  "record_versions_replaced next to record_versions_pkey":
    "only the rotation of keys looks versions up by their key, page by page in its order",
  "tapes_age next to tapes_pkey": "an environment has a bounded number of tapes",
  "tapes_connection next to tapes_pkey": "an environment has a bounded number of tapes",
  "webhook_replays_environment next to webhook_replays_running":
    "an environment has few replays, and one at a time of each kind",
};

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

/** Indexes that a lookup by a whole key of several columns may be planned with in the key's place. */
async function listSiblings(): Promise<string[]> {
  const { rows } = await client.query<{ sibling: string }>(
    `with indexes as (
       select x.indrelid, x.indexrelid, c.relname as name, x.indisunique, x.indnkeyatts,
              pg_get_indexdef(x.indexrelid, 1, false) as first,
              pg_get_expr(x.indpred, x.indrelid) as condition
         from pg_index x join pg_class c on c.oid = x.indexrelid join pg_am m on m.oid = c.relam
         join pg_class t on t.oid = x.indrelid
        where t.relnamespace = 'public'::regnamespace and not t.relispartition and m.amname = 'btree')
     select other.name || ' next to ' || key.name as sibling
       from indexes key join indexes other
         on other.indrelid = key.indrelid and other.indexrelid <> key.indexrelid and other.first = key.first
        and (other.condition is null or other.condition = key.condition)
      where key.indisunique and key.indnkeyatts > 1
      order by 1`,
  );
  return rows.map(({ sibling }) => sibling);
}

test("no index begins as a key does, but those that lookups by the key cannot mistake for it", async () => {
  expect(await listSiblings()).toEqual(Object.keys(harmless).sort());
});

test("an index that begins as a key does is found, unless it has a condition of its own", async () => {
  await client.query(
    `create table seen (owner bigint, name text, place bigint, primary key (owner, name));
     create index seen_place on seen (owner, place);
     create index seen_order on seen (owner, place) where place > 0`,
  );

  const siblings = await listSiblings();

  expect(siblings.filter((sibling) => sibling.startsWith("seen"))).toEqual([
    "seen_place next to seen_pkey",
  ]);
});
