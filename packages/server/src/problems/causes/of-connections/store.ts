import { type RawBuilder, sql } from "kysely";
import { addMs, MINUTE } from "#platform";
import { causeOf, latestOf, sampleOf } from "../one/store.ts";

/** Without a call for so long nothing is known of a host any more. */
const QUIET_MS = 15 * MINUTE;

export function causesOfConnections(now: Date): RawBuilder<unknown>[] {
  const failedAt = "(c.refresh_error ->> 'at')::timestamptz";
  const failsSince = "coalesce(c.refresh_error ->> 'since', c.refresh_error ->> 'at')::timestamptz";
  const refused = "c.needs_reauthorization_at";
  const refusedAt = "coalesce(m.refused_at, m.last_modified_at)";
  const words = "c.refresh_error ->> 'message'";
  const place = { environment: "c.environment_id", integration: "i.unique_key", count: "count(*)" };
  return [
    causeOf(
      {
        ...{ ...place, kind: "'needs_reauthorization'" },
        ...{ since: `min(${refused})`, lastAt: `max(${refused})` },
        ...{ sample: sampleOf("c.connection_id", refused), cause: latestOf(words, refused) },
      },
      sql`
      from connections c join integrations i on i.id = c.integration_id
     where c.deleted_at is null and c.needs_reauthorization_at is not null
     group by c.environment_id, i.unique_key`,
    ),
    causeOf(
      {
        ...place,
        kind: "case when c.refresh_error ->> 'kind' = 'misconfigured' then 'client_refused' else 'refresh_backoff' end",
        ...{ since: `min(${failsSince})`, lastAt: `max(${failedAt})` },
        ...{ sample: sampleOf("c.connection_id", failedAt), cause: latestOf(words, failedAt) },
        nextAt: "min(c.refresh_not_before)",
      },
      sql`
      from connections c join integrations i on i.id = c.integration_id
     where c.deleted_at is null and c.needs_reauthorization_at is null and c.refresh_not_before is not null
       and c.refresh_error is not null
     group by c.environment_id, i.unique_key, 2`,
    ),
    causeOf(
      {
        ...{ environment: "m.environment_id", kind: "'delete_guard'" },
        ...{ integration: "i.unique_key", function: "m.model", count: "count(*)" },
        ...{ since: `min(${refusedAt})`, lastAt: `max(${refusedAt})` },
        sample: sampleOf("c.connection_id", refusedAt),
        cause: `format('The provider no longer has %s of %s stored records (%s %%).', sum(m.refused_deletes),
                       greatest(sum(m.live_count), sum(m.refused_deletes)),
                       round(100.0 * sum(m.refused_deletes) / greatest(sum(m.live_count), sum(m.refused_deletes)), 1))`,
      },
      sql`
      from record_models m
      join connections c on c.uuid = m.connection_uuid
      join integrations i on i.id = c.integration_id
     where m.refused_deletes is not null and c.deleted_at is null
     group by m.environment_id, i.unique_key, m.model`,
    ),
    causeOf(
      {
        ...{ environment: "m.environment_id", kind: "'records_quarantined'" },
        ...{ integration: "i.unique_key", function: "m.model", count: "count(*)" },
        ...{ since: "min(m.quarantined_since)", lastAt: "max(m.quarantined_since)" },
        sample: sampleOf("c.connection_id", "m.quarantined_since"),
        cause:
          "format('%s records do not match the schema and were not saved.', sum(m.quarantined))",
      },
      sql`
      from record_models m
      join connections c on c.uuid = m.connection_uuid
      join integrations i on i.id = c.integration_id
     where m.quarantined > 0 and c.deleted_at is null
     group by m.environment_id, i.unique_key, m.model`,
    ),
    causeOf(
      {
        ...{
          environment: "o.environment_id",
          kind: "'provider_down'",
          integration: "i.unique_key",
        },
        ...{ since: "min(o.since)", lastAt: "max(o.last_at)", count: "sum(o.calls)" },
        ...{ cause: latestOf("o.reason", "o.last_at"), nextAt: "max(o.held_until)" },
      },
      sql`
      from provider_outages o
      join integrations i on i.id = o.integration_id and i.environment_id = o.environment_id
     where o.last_at >= ${addMs(now, -QUIET_MS)} and (o.reached_at is null or o.reached_at < o.last_at)
     group by o.environment_id, i.unique_key`,
    ),
  ];
}
