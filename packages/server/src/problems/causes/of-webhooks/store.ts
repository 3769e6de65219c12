import { type RawBuilder, sql } from "kysely";
import { addMs, DAY, MINUTE } from "#platform";
import { causeOf, latestOf, sampleOf } from "../one/store.ts";

const UNUSED_MS = 90 * DAY;

/** Of what comes in and goes out, and of the keys of both. */
export function causesOfWebhooksAndKeys(now: Date): RawBuilder<unknown>[] {
  const ofKeys = { environment: "environment_id", count: "count(*)" };
  const names = "string_agg(display_name, ', ' order by display_name)";
  const usedAt = "coalesce(last_used_at, created_at)";
  return [
    causeOf(
      {
        environment: "environment_id",
        kind: "case when disabled_at is null then 'receiver_failing' else 'receiver_disabled' end",
        ...{ receiver: "url", since: "failing_since", count: "1" },
        lastAt: "coalesce(disabled_at, failing_since)",
        nextAt: "due.at",
      },
      sql`
      from webhook_receivers r
      left join lateral (
        select min(next_attempt_at) as at from delivery_turns t
         where t.receiver_id = r.id and t.next_attempt_at > '-infinity' and r.disabled_at is null) due on true
     where failing_since is not null`,
    ),
    causeOf(
      {
        ...{ environment: "d.environment_id", kind: "'destination_failing'", place: "d.name" },
        ...{ since: "d.failing_since", lastAt: "d.error_at", count: "1" },
        ...{ cause: "d.error_message", nextAt: "d.due_at" },
      },
      sql`
      from record_destinations d
     where d.failing_since <= ${addMs(now, -2 * MINUTE)} and d.due_at is not null`,
    ),
    causeOf(
      {
        ...{ environment: "environment_id", kind: "'sql_access_suspended'", count: "1" },
        ...{ since: "suspended_at", lastAt: "suspended_at" },
        cause: "format('%s held an advisory lock, or SQL access was turned off.', role_name)",
      },
      sql`
      from record_sql_access
     where suspended_at is not null and ended_at is null`,
    ),
    causeOf(
      {
        ...{ environment: "w.environment_id", kind: "'inbox_failed'", integration: "i.unique_key" },
        ...{ since: "min(w.received_at)", lastAt: "max(w.received_at)", count: "count(*)" },
        cause: latestOf("w.error", "w.received_at"),
      },
      sql`
      from inbound_webhooks w join integrations i on i.id = w.integration_id
     where w.state = 'failed' and w.received_at >= ${addMs(now, -DAY)}
     group by w.environment_id, i.unique_key`,
    ),
    causeOf(
      {
        ...{ environment: "a.environment_id", kind: "'webhooks_silent'" },
        ...{ integration: "i.unique_key", count: "count(*)" },
        ...{ since: "min(a.silent_since)", lastAt: "max(a.silent_since)" },
        sample: sampleOf("c.connection_id", "a.silent_since"),
        cause:
          "format('The last webhook for one of them came at %s.', to_char(max(a.last_at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI \"UTC\"'))",
      },
      sql`
      from webhook_arrivals a
      -- By its key: without statistics all connections would be read.
     cross join lateral (
        select * from connections where uuid = a.connection_uuid and environment_id = a.environment_id offset 0) c
      join integrations i on i.id = c.integration_id
     where a.silent_since is not null and c.deleted_at is null and c.frozen_at is null
       and c.needs_reauthorization_at is null
     group by a.environment_id, i.unique_key`,
    ),
    causeOf(
      {
        ...{ ...ofKeys, kind: "'key_expiring'", cause: names, nextAt: "min(expires_at)" },
        since: "min(expires_at) - interval '7 days'",
        lastAt: "max(expires_at) - interval '7 days'",
      },
      sql`
      from api_keys
     where environment_id is not null and deleted_at is null
       and expires_at > ${now} and expires_at <= ${addMs(now, 7 * DAY)}
     group by environment_id`,
    ),
    causeOf(
      {
        ...{ ...ofKeys, kind: "'key_unused'", cause: names },
        since: `min(${usedAt}) + interval '90 days'`,
        lastAt: `max(${usedAt}) + interval '90 days'`,
      },
      sql`
      from api_keys
     where environment_id is not null and deleted_at is null and (expires_at is null or expires_at > ${now})
       and coalesce(last_used_at, created_at) <= ${addMs(now, -UNUSED_MS)}
     group by environment_id`,
    ),
    causeOf(
      {
        ...{ environment: "old.environment_id", kind: "'signing_key_rotating'", count: "count(*)" },
        ...{ since: "max(newer.created_at)", lastAt: "max(newer.created_at)" },
        nextAt: "max(old.expires_at)",
      },
      sql`
      from webhook_signing_keys old
      join lateral (
        select created_at from webhook_signing_keys key
         where key.environment_id = old.environment_id and key.expires_at is null) newer on true
     where old.expires_at > ${now}
     group by old.environment_id`,
    ),
  ];
}
