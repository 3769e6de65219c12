import { type RawBuilder, sql } from "kysely";
import { addMs, DAY, HOUR, MINUTE } from "#platform";

/** Names of connections that a problem shows. */
const SAMPLE = 5;
/** A sync that is due waits so long before it counts as late: a busy environment takes turns. */
const LATE_MS = 10 * MINUTE;
/** So often a run was begun because its worker ended. */
const TAKEOVERS = 3;
const FAILURES = 3;

const sampleOf = (name: string, time: string) =>
  sql.raw(`to_jsonb((array_agg(${name} order by ${time} desc))[1:${SAMPLE}])`);

/** What is wrong at a time. Each part reads an index of those few rows that something is wrong with. */
export function causesAt(now: Date): RawBuilder<unknown> {
  return sql.join([...ofConnections(), ...ofSyncs(now), ...ofWebhooks(now)], sql` union all `);
}

function ofConnections(): RawBuilder<unknown>[] {
  const failedAt = "(c.refresh_error ->> 'at')::timestamptz";
  const failure = sql.raw(failedAt);
  return [
    sql`
  select c.environment_id, 'needs_reauthorization' as kind, i.unique_key as integration,
         null::text as function, null::text as receiver, min(c.needs_reauthorization_at) as since,
         max(c.needs_reauthorization_at) as last_at, count(*)::int as count,
         ${sampleOf("c.connection_id", "c.needs_reauthorization_at")} as sample
    from connections c join integrations i on i.id = c.integration_id
   where c.deleted_at is null and c.needs_reauthorization_at is not null
   group by c.environment_id, i.unique_key`,
    sql`
  select c.environment_id,
         case when c.refresh_error ->> 'kind' = 'misconfigured' then 'client_refused' else 'refresh_backoff' end,
         i.unique_key, null, null, min(${failure}), max(${failure}), count(*)::int,
         ${sampleOf("c.connection_id", failedAt)}
    from connections c join integrations i on i.id = c.integration_id
   where c.deleted_at is null and c.needs_reauthorization_at is null and c.refresh_not_before is not null
     and c.refresh_error is not null
   group by c.environment_id, i.unique_key, 2`,
    sql`
  select m.environment_id, 'delete_guard', i.unique_key, m.model, null, min(m.last_modified_at),
         max(m.last_modified_at), count(*)::int, ${sampleOf("c.connection_id", "m.last_modified_at")}
    from record_models m
    join connections c on c.uuid = m.connection_uuid
    join integrations i on i.id = c.integration_id
   where m.refused_deletes is not null and c.deleted_at is null
   group by m.environment_id, i.unique_key, m.model`,
  ];
}

function ofSyncs(now: Date): RawBuilder<unknown>[] {
  return [
    sql`
  select s.environment_id, 'sync_failing', i.unique_key, s.name, null, min(s.updated_at),
         max(s.updated_at), count(*)::int, ${sampleOf("c.connection_id", "s.updated_at")}
    from syncs s
    join connections c on c.uuid = s.connection_uuid
    join integrations i on i.id = c.integration_id
   where s.deleted_at is null and not s.paused and s.consecutive_failures > 0
     and s.consecutive_failures >= 2
   group by s.environment_id, i.unique_key, s.name`,
    sql`
  select s.environment_id, 'sync_late', i.unique_key, s.name, null, min(t.next_run_at),
         max(t.next_run_at), count(*)::int, ${sampleOf("c.connection_id", "t.next_run_at")}
    from sync_turns t
    join syncs s on s.id = t.sync_id
    join functions f on f.id = s.function_id
    join connections c on c.uuid = s.connection_uuid
    join integrations i on i.id = c.integration_id
   where t.next_run_at < ${addMs(now, -LATE_MS)} and s.deleted_at is null and s.running_run_id is null
     and not s.paused and f.enabled and f.deleted_at is null and c.needs_reauthorization_at is null
   group by s.environment_id, i.unique_key, s.name`,
    sql`
  select s.environment_id, 'run_stuck', i.unique_key, s.name, null, min(r.started_at),
         max(r.started_at), count(*)::int, ${sampleOf("c.connection_id", "r.started_at")}
    from syncs s
    join runs r on r.id = s.running_run_id
    join connections c on c.uuid = s.connection_uuid
    join integrations i on i.id = c.integration_id
   where s.running_run_id is not null and r.state = 'running' and r.attempts >= ${TAKEOVERS}
   group by s.environment_id, i.unique_key, s.name`,
    sql`
  select f.environment_id, 'function_failing', i.unique_key, f.name, null, min(n.hour),
         max(n.last_at), sum(n.failures)::int, '[]'::jsonb
    from function_run_counts n
    join functions f on f.id = n.function_id and f.environment_id = n.environment_id
    join integrations i on i.id = f.integration_id
   where n.hour >= ${addMs(now, -2 * HOUR)} and f.type <> 'sync' and f.enabled and f.deleted_at is null
   group by f.environment_id, i.unique_key, f.name
  having sum(n.failures) >= ${FAILURES} and not (array_agg(n.last_succeeded order by n.last_at desc))[1]`,
  ];
}

function ofWebhooks(now: Date): RawBuilder<unknown>[] {
  return [
    sql`
  select environment_id, case when disabled_at is null then 'receiver_failing' else 'receiver_disabled' end,
         null, null, url, failing_since, coalesce(disabled_at, failing_since), 1, '[]'::jsonb
    from webhook_receivers where failing_since is not null`,
    sql`
  select w.environment_id, 'inbox_failed', i.unique_key, null, null, min(w.received_at),
         max(w.received_at), count(*)::int, '[]'::jsonb
    from inbound_webhooks w join integrations i on i.id = w.integration_id
   where w.state = 'failed' and w.received_at >= ${addMs(now, -DAY)}
   group by w.environment_id, i.unique_key`,
    sql`
  select environment_id, 'key_expiring', null, null, null, min(expires_at) - interval '7 days',
         max(expires_at) - interval '7 days', count(*)::int, '[]'::jsonb
    from api_keys
   where environment_id is not null and deleted_at is null
     and expires_at > ${now} and expires_at <= ${addMs(now, 7 * DAY)}
   group by environment_id`,
  ];
}
