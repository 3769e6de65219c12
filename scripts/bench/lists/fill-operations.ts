import pg from "pg";
import { createDays } from "../../../packages/server/src/foundation/db/day-partitions/index.ts";
import { openDatabase } from "../../../packages/server/src/foundation/db/index.ts";
import { logTables } from "../../../packages/server/src/logs/ensure-log-partitions.ts";
import { DURATION_COUNTS } from "../../../packages/server/src/logs/metrics/durations.ts";

const DAYS = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Operations of the last ten days: one in 97 has failed, one in 1,000 is of the rare integration, each of 500 connections
 * has as many. Every tenth is a sync's. Ids begin with the time, as the server makes them (UUID version 7, RFC 9562).
 */
export async function fillOperations(connectionString: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await using database = openDatabase({
    ...{ connectionString, maxConnections: 1, pooled: false, onError: () => {} },
  });
  const start = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS);
  const days = Array.from({ length: DAYS }, (_, day) =>
    new Date(start.getTime() + day * DAY_MS).toISOString().slice(0, 10),
  );
  for (const table of logTables) await createDays(database.db, table, days);
  await client.query(
    `insert into operations (id, environment_id, type, action, state, level, message, integration, connection, error,
       created_at, started_at, ended_at)
     select (lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
              || '8' || substr(md5(n::text), 4, 15))::uuid, e.id, case when n % 10 = 0 then 'sync' else 'proxy' end,
       case when n % 10 = 0 then 'run' else 'call' end, case when n % 97 = 0 then 'failed' else 'success' end,
       case when n % 97 = 0 then 'error' else 'info' end, 'GET /v1/contacts/' || n,
       case when n % 1000 = 0 then '{"id":2,"name":"rare","provider":"p"}' else '{"id":1,"name":"bench","provider":"p"}' end::jsonb,
       jsonb_build_object('id', n % 500, 'name', 'c-' || n % 500),
       case when n % 97 = 0 then '{"type":"upstream_timeout","message":"no answer in time"}'::jsonb end,
       t.at, t.at, t.at + (n % 3000) * interval '1 millisecond'
       from environments e, generate_series(0, $2::int - 1) n,
            lateral (select date_trunc('milliseconds', $1::timestamptz + n * ((now() - $1::timestamptz) / $2::int)) as at) t
      where e.id = (select environment_id from integrations where unique_key = 'bench')`,
    [start, count],
  );
  for (const unit of ["minute", "hour"] as const) await countBy(client, unit);
  await client.query("vacuum analyze operations");
  await client.end();
}

/** What the server counts of them while it writes them; all in the first class of durations, with the room of the longest. */
async function countBy(client: pg.Client, unit: "minute" | "hour"): Promise<void> {
  await client.query(
    `insert into operation_${unit}s (environment_id, at, type, action, integration, function, success, failed, timeout,
       cancelled, duration_ms, durations)
     select environment_id, date_trunc('${unit}', ended_at), type, action, integration ->> 'name', '',
       count(*) filter (where state = 'success'), count(*) filter (where state = 'failed'), 0, 0,
       sum(extract(epoch from ended_at - started_at) * 1000)::bigint,
       array[count(*)::int] || array_fill(0, array[${DURATION_COUNTS - 1}])
       from operations where ended_at < date_trunc('${unit}', now()) group by 1, 2, 3, 4, 5
     on conflict do nothing`,
  );
  await client.query(`vacuum analyze operation_${unit}s`);
}
