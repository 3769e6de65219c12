import { type RawBuilder, sql } from "kysely";
import { addMs, MINUTE } from "#foundation";
import { type ReadSources, sourceOf } from "../distributed/store.ts";
import { causeOf, connectionOf, latestOf, SAMPLE, sampleOf } from "../one/store.ts";

/** Without a call for so long nothing is known of a host any more. */
const QUIET_MS = 15 * MINUTE;

/** Connections in a back-off that are read, of each integration and kind; how many there are is counted anyway. */
const MOST_READ = 1000;

const countsOf = (state: string) =>
  sql.raw(`(
    select environment_id, integration_id, sum(count) as count from connection_counts
     where state = '${state}' group by environment_id, integration_id having sum(count) > 0)`);

// The first and the latest of an integration are read, however many there are: their count is kept.
const refused = sql`
      from ${countsOf("needs_reauthorization")} n
     cross join lateral (select * from integrations where id = n.integration_id offset 0) i
     cross join lateral (
       select c.needs_reauthorization_at as at from connections c
        where c.environment_id = n.environment_id and c.integration_id = n.integration_id
          and c.deleted_at is null and c.needs_reauthorization_at is not null
        order by c.needs_reauthorization_at limit 1) first
     cross join lateral (
       select max(at) as at, ${sql.raw(sampleOf("connection_id", "at"))} as sample,
              ${sql.raw(latestOf("words", "at"))} as cause
         from (
           select c.connection_id, c.needs_reauthorization_at as at, c.refresh_error ->> 'message' as words
             from connections c
            where c.environment_id = n.environment_id and c.integration_id = n.integration_id
              and c.deleted_at is null and c.needs_reauthorization_at is not null
            order by c.needs_reauthorization_at desc limit ${SAMPLE}) c) latest`;

// To the letter as the index connections_backed_off has it.
const kindOfBackOff = sql.raw(
  "case when c.refresh_error ->> 'kind' = 'misconfigured' then 'client_refused' else 'refresh_backoff' end",
);

const backedOff = sql`
      from (
        select n.environment_id, n.integration_id, n.count as waiting, kind.name as kind, c.*,
               sum(c.count) over (partition by n.environment_id, n.integration_id) - c.count as others
          from ${countsOf("backoff")} n
         cross join (values ('client_refused'), ('refresh_backoff')) kind (name)
         cross join lateral (
           select count(*) as count, min(since) as since, max(at) as last_at, min(next_at) as next_at,
                  ${sql.raw(sampleOf("connection_id", "at"))} as sample,
                  ${sql.raw(latestOf("words", "at"))} as cause
             from (
               select c.connection_id, (c.refresh_error ->> 'at')::timestamptz as at,
                      coalesce(c.refresh_error ->> 'since', c.refresh_error ->> 'at')::timestamptz as since,
                      c.refresh_error ->> 'message' as words, c.refresh_not_before as next_at
                 from connections c
                where c.environment_id = n.environment_id and c.integration_id = n.integration_id
                  and ${kindOfBackOff} = kind.name and c.deleted_at is null and c.needs_reauthorization_at is null
                  and c.refresh_not_before is not null and c.refresh_error is not null
                order by c.refresh_not_before limit ${MOST_READ}) c) c) w
     cross join lateral (select * from integrations where id = w.integration_id offset 0) i
     where w.count > 0`;

export function causesOfConnections(now: Date, read?: ReadSources): RawBuilder<unknown>[] {
  const refusedAt = "m.refused_at";
  return [
    causeOf(
      {
        ...{ environment: "n.environment_id", integration: "i.unique_key", count: "n.count" },
        ...{ kind: "'needs_reauthorization'", since: "first.at", lastAt: "latest.at" },
        ...{ sample: "latest.sample", cause: "latest.cause" },
      },
      refused,
    ),
    causeOf(
      {
        ...{ environment: "w.environment_id", integration: "i.unique_key", kind: "w.kind" },
        ...{ since: "w.since", lastAt: "w.last_at", sample: "w.sample", cause: "w.cause" },
        // Of those that are not read it is not known of which kind they are: of the one that more were read of than that.
        count: `case when w.count < ${MOST_READ} then w.count else greatest(w.count, w.waiting - w.others) end`,
        nextAt: "w.next_at",
      },
      backedOff,
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
      from ${sourceOf("refusals", now, read)} m
      ${connectionOf("m")}
      join integrations i on i.id = c.integration_id
     where c.deleted_at is null
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
      from ${sourceOf("quarantines", now, read)} m
      ${connectionOf("m")}
      join integrations i on i.id = c.integration_id
     where c.deleted_at is null
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
