import { type RawBuilder, sql } from "kysely";
import { addMs, DAY, MINUTE } from "#foundation";
import { type ReadSources, sourceOf } from "../distributed/store.ts";
import { causeOf, latestOf } from "../one/store.ts";

const UNUSED_MS = 90 * DAY;

/** Of what comes in and goes out, and of the keys of both. */
export function causesOfWebhooksAndKeys(now: Date, read?: ReadSources): RawBuilder<unknown>[] {
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
        nextAt: "next_at",
      },
      sql`
      from ${sourceOf("receivers", now, read)} r`,
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
        ...{ since: "min(w.since)", lastAt: "max(w.last_at)", count: "sum(w.count)" },
        cause: latestOf("w.error", "w.last_at"),
      },
      sql`
      from ${sourceOf("failedWebhooks", now, read)} w join integrations i on i.id = w.integration_id
     group by w.environment_id, i.unique_key`,
    ),
    causeOf(
      {
        ...{ environment: "s.environment_id", kind: "'webhooks_silent'" },
        ...{ integration: "i.unique_key", count: "s.silent" },
        ...{ since: "s.since", lastAt: "s.last_at", sample: "s.sample" },
        cause:
          "format('The last webhook for one of them came at %s.', to_char(s.received_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI \"UTC\"'))",
      },
      sql`
      from webhook_silences s join integrations i on i.id = s.integration_id
     where s.silent > 0`,
    ),
    causeOf(
      {
        ...{ environment: "w.environment_id", kind: "'webhooks_unverified'" },
        ...{ integration: "i.unique_key", count: "coalesce(r.count, 1)" },
        ...{ since: "w.unverified_since", lastAt: "w.unverified_at" },
        cause: `'Webhooks arrive, but none is verified: ' || case w.unverified_reason
          when 'no_secret' then 'the integration has no signing secret.'
          when 'missing_signature' then 'they carry no signature, and the integration has a signing secret.'
          else 'their signature does not fit the signing secret of the integration, or is too old.' end`,
      },
      sql`
      from webhook_intake w join integrations i on i.id = w.integration_id and i.deleted_at is null
      left join lateral (
        select sum(count) as count from webhook_rejections
         where integration_id = w.integration_id and environment_id = w.environment_id
           and hour > ${addMs(now, -DAY)} and reason in ('no_secret', 'missing_signature', 'invalid_signature')) r on true
     where w.unverified_since is not null and w.unverified_at >= ${addMs(now, -DAY)}
       and (w.verified_at is null or w.verified_at < ${addMs(now, -DAY)})`,
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
