import type pg from "pg";
import type { BenchRow } from "../meters/row.ts";

/** In a transaction, as workers that are busy change them: so many small ones are too slow here, few large ones untrue. */
const CHANGED_AT_ONCE = 100;
/** Of the schedules; the share of versions that stay on their page is that of them all. */
const MOST_CHANGED = 20_000;

interface HotTable {
  readonly table: string;
  readonly what: string;
  /** Names the rows to change, which are `$1::uuid[]` or `$1::bigint[]`; each is done in this order. */
  readonly changes: readonly string[];
  readonly ids: string;
}

/** What an hour of hourly schedules changes, in the columns that the server's own statements change. */
const hot: readonly HotTable[] = [
  {
    ...{
      table: "syncs",
      what: "schedules that run",
      ids: "select id from syncs order by md5(id::text)",
    },
    changes: [
      `update syncs set running_run_id = gen_random_uuid(), fence = fence + 1, follow_up = null,
              next_run_at = now() + interval '1 hour', updated_at = now() where id = any($1::uuid[])`,
      `update syncs set running_run_id = null, next_run_at = now() + interval '1 hour', last_sync_date = now(),
              consecutive_failures = 0, updated_at = now() where id = any($1::uuid[])`,
    ],
  },
  {
    ...{ table: "record_models", what: "models that are written to" },
    ids: "select id from record_models order by md5(id::text)",
    changes: [
      `update record_models set sequence = sequence + 1, bytes_sequence = bytes_sequence + 1, bytes = bytes + 1,
              last_modified_at = now() where id = any($1::bigint[])`,
    ],
  },
  {
    ...{ table: "connections", what: "tokens that are refreshed" },
    ids: "select id from connections order by md5(id::text)",
    changes: [
      `update connections set refresh_lease_until = now() + interval '1 minute', refresh_fence = refresh_fence + 1
        where id = any($1::bigint[])`,
      `update connections set credential_version = credential_version + 1, refresh_lease_until = null,
              credentials_issued_at = now(), credentials_expire_at = now() + interval '1 hour',
              next_refresh_at = now() + interval '12 hours', updated_at = now() where id = any($1::bigint[])`,
    ],
  },
];

/** New versions of rows that stay on the page of the old ones, what is left for a vacuum, and how long that takes. */
export async function measureVacuum(client: pg.Client): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const each of hot) {
    await client.query(`vacuum ${each.table}`);
    const before = await readVersions(client, each);
    const changed = await change(client, each);
    const after = await readVersions(client, each);
    const startedAt = performance.now();
    await client.query(`vacuum ${each.table}`);
    const ms = performance.now() - startedAt;
    const vacuumed = await readVersions(client, each);
    const updates = after.updates - before.updates;
    rows.push(
      {
        name: `scale: ${each.what}: versions that stay on their page (HOT)`,
        value: (100 * (after.hot - before.hot)) / updates,
        unit: "%",
        note: `${changed.toLocaleString("en")} rows of ${each.table}, ${updates.toLocaleString("en")} updates`,
      },
      {
        name: `scale: ${each.what}: dead versions that wait for a vacuum`,
        value: after.dead / changed,
        unit: "for each row",
        note: `vacuum: ${ms.toFixed(0)} ms, then ${vacuumed.dead.toLocaleString("en")} dead; the table and its indexes grew by ${(100 * (vacuumed.bytes / before.bytes - 1)).toFixed(1)} %`,
      },
    );
  }
  return rows;
}

async function change(client: pg.Client, { ids, changes }: HotTable): Promise<number> {
  const { rows } = await client.query<{ id: string }>(`${ids} limit ${MOST_CHANGED}`);
  for (let first = 0; first < rows.length; first += CHANGED_AT_ONCE) {
    const some = rows.slice(first, first + CHANGED_AT_ONCE).map(({ id }) => id);
    for (const statement of changes) await client.query(statement, [some]);
  }
  return rows.length;
}

async function readVersions(client: pg.Client, { table }: HotTable) {
  await client.query("select pg_stat_force_next_flush()");
  const { rows } = await client.query<Record<"updates" | "hot" | "dead" | "bytes", number>>(
    `select n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot, n_dead_tup::float8 as dead,
            pg_total_relation_size(relid)::float8 as bytes
       from pg_stat_user_tables where relid = $1::text::regclass`,
    [table],
  );
  const [found] = rows;
  if (found === undefined) throw new Error(`there is no table ${table}`);
  return found;
}
