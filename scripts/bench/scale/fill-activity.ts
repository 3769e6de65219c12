import type pg from "pg";
import { agentDayTables } from "../../../packages/server/src/agents/delete-old.ts";
import { createDays } from "../../../packages/server/src/foundation/db/day-partitions/index.ts";
import { openDatabase } from "../../../packages/server/src/foundation/db/index.ts";
import { webhookDayTables } from "../../../packages/server/src/webhooks-out/delete-old-deliveries.ts";

interface Activity {
  readonly deliveries: number;
  readonly inbox: number;
  readonly audit: number;
  readonly sessions: number;
  readonly calls: number;
}

const DAYS = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Rows of one statement, whose triggers remember each. */
const AT_ONCE = 200_000;
/** An id that begins with the time, as the server makes them (UUID version 7, RFC 9562). */
const timeId = `(lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
  || '8' || substr(md5(n::text), 4, 15))::uuid`;

/** As many as there are, spread over the last ten days; $1 is the first of these, $2 how many, $3 and $4 which. */
const spread = `integrations i cross join generate_series($3::int, $4::int) n
  cross join lateral (
    select date_trunc('milliseconds', $1::timestamptz + n * ((now() - $1::timestamptz) / $2::int)) as at) t
  where i.unique_key = case when n % 1000 = 0 then 'rare' else 'bench' end`;

const person = `jsonb_build_object('kind', 'user', 'id', 'user-' || n % 50, 'name', 'User ' || n % 50,
  'address', '192.0.2.1', 'user_agent', 'Mozilla/5.0')`;

const fills: Readonly<Record<keyof Activity, readonly string[]>> = {
  // One in 97 has failed, at its last attempt; each has one.
  deliveries: [
    `insert into webhook_deliveries (id, environment_id, receiver_id, type, url, body, connection_id, integration_key,
       state, attempts, last_status, last_error, created_at, ended_at)
     select ${timeId}, i.environment_id, r.id, case when n % 10 = 0 then 'auth' else 'sync' end, r.url, '\\x00',
       'c-' || n % 500, i.unique_key, case when n % 97 = 0 then 'failed' else 'delivered' end, 1,
       case when n % 97 = 0 then 500 else 200 end, case when n % 97 = 0 then 'answered 500' end, t.at, t.at
       from webhook_receivers r, ${spread} and r.environment_id = i.environment_id`,
    `insert into webhook_attempts (id, environment_id, delivery_id, status, duration_ms, created_at)
     select gen_random_uuid(), i.environment_id, ${timeId}, case when n % 97 = 0 then 500 else 200 end, n % 300, t.at
       from ${spread}`,
  ],
  // One in 97 has failed; requests of what was handled are gone.
  inbox: [
    `insert into inbound_webhooks (id, environment_id, integration_id, body_bytes, is_verified, types, completes, state,
       attempts, error, received_at, handled_at)
     select ${timeId}, i.environment_id, i.id, 500, true,
       case when n % 10 = 0 then '["contact.deleted"]' else '["contact.updated"]' end::jsonb, false,
       case when n % 97 = 0 then 'failed' else 'handled' end, 1, case when n % 97 = 0 then 'the function threw' end,
       t.at, t.at
       from ${spread}`,
  ],
  // Sealed, so that no server spends the measured time with that.
  audit: [
    `insert into audit_events (id, account_id, environment_id, at, actor, via, action, target, fields, outcome, mac, seal_id)
     select ${timeId}, e.account_id, e.id, t.at, ${person}, 'api',
       case when n % 1000 = 0 then 'deleteIntegration' else 'createConnection' end,
       jsonb_build_object('connection_id', 'c-' || n), '{}', case when n % 97 = 0 then 'refused' else 'done' end, '\\x00', 0
       from environments e, ${spread} and e.id = i.environment_id`,
  ],
  // One in 100 is open.
  sessions: [
    `insert into agent_sessions (id, environment_id, token_hash, toolset_id, toolset, toolset_version, end_user_id, policy,
       calls, created_at, expires_at, ended_at)
     select ${timeId}, i.environment_id, decode(md5('session ' || n), 'hex'), s.id, s.name, s.version, 'u' || n % 10000,
       '{}', 10, t.at, now() + interval '20 days', case when n % 100 > 0 then t.at + interval '1 hour' end
       from agent_toolsets s, ${spread} and s.environment_id = i.environment_id`,
  ],
  calls: [
    `insert into agent_calls (id, at, environment_id, session_id, end_user_id, toolset, toolset_version, tool, integration,
       connection_id, effect, outcome, code, duration_ms)
     select ${timeId}, t.at, i.environment_id, md5('session ' || n / 10)::uuid, 'u' || n % 10000, s.name, s.version,
       'bench__find-contacts', i.unique_key, 'c-' || n % 500, 'read',
       case when n % 97 = 0 then 'failed' else 'success' end, case when n % 97 = 0 then 'upstream_timeout' end, n % 300
       from agent_toolsets s, ${spread} and s.environment_id = i.environment_id`,
  ],
};

/** Webhooks both ways, audit events, and what agents did, of the last ten days. There is a toolset. */
export async function fillActivity(
  { client, connectionString }: { client: pg.Client; connectionString: string },
  activity: Activity,
): Promise<void> {
  await using database = openDatabase({
    ...{ connectionString, maxConnections: 1, pooled: false, onError: () => {} },
  });
  const start = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS);
  const days = Array.from({ length: DAYS }, (_, day) =>
    new Date(start.getTime() + day * DAY_MS).toISOString().slice(0, 10),
  );
  for (const table of [...webhookDayTables, ...agentDayTables]) {
    await createDays(database.db, table, days);
  }
  await client.query(
    `insert into webhook_receivers (id, environment_id, url)
     select gen_random_uuid(), environment_id, 'https://hooks.example.com/svc' from integrations where unique_key = 'bench'`,
  );
  const counts = new Map(Object.entries(activity));
  for (const [name, statements] of Object.entries(fills)) {
    const count = counts.get(name) ?? 0;
    for (let first = 0; first < count; first += AT_ONCE) {
      const last = Math.min(count, first + AT_ONCE) - 1;
      for (const statement of statements) {
        await client.query(statement, [start, count, first, last]);
      }
    }
  }
}
