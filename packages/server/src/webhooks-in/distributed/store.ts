import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import type { InboxQueue, NewWebhook } from "../store.ts";

// Where tables are distributed, what `inbox_insert` does at once is two statements: of the webhooks, whose rows lie on
// several servers, and of what the first server has of them.

const insert = hotStatement(
  "inbox_insert_distributed",
  `insert into inbound_webhooks
     (id, environment_id, integration_id, request, body_bytes, is_verified, types, completes,
      received_at, next_attempt_at)
   select id, environment_id, integration_id, request, body_bytes, is_verified, types, completes,
          received_at, received_at
     from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::int[], $6::bool[], $7::jsonb[],
                 $8::bool[], $9::timestamptz[])
          with ordinality as t (id, environment_id, integration_id, request, body_bytes, is_verified,
                                types, completes, received_at, place)
    order by place`,
);

/** Stores webhooks of any environments in their order, and nothing else. */
export async function insertDistributed(db: Db, rows: readonly NewWebhook[]): Promise<void> {
  await runHot(
    db,
    insert([
      rows.map(({ id }) => id),
      rows.map(({ environmentId }) => environmentId),
      rows.map(({ integrationId }) => integrationId),
      rows.map(({ request }) => request),
      rows.map(({ bodyBytes }) => bodyBytes),
      rows.map(({ isVerified }) => isVerified),
      rows.map(({ types }) => JSON.stringify(types)),
      rows.map(({ completes }) => completes),
      rows.map(({ receivedAt }) => receivedAt),
    ]),
  );
}

export interface AddedBytes {
  readonly environmentId: EnvironmentId;
  /** Below zero: deleted. */
  readonly bytes: number;
}

/** Counts what inboxes keep, as the triggers do elsewhere; what goes with its environment needs no count. */
export async function countBytes(db: Db, counts: readonly AddedBytes[]): Promise<void> {
  const changed = counts.filter(({ bytes }) => bytes !== 0);
  if (changed.length === 0) return;
  await sql`
    insert into inbox_usage (environment_id, bytes)
    select c.environment_id, sum(c.bytes)
      from unnest(${changed.map(({ environmentId }) => environmentId)}::uuid[],
                  ${changed.map(({ bytes }) => bytes)}::bigint[]) as c (environment_id, bytes)
     where exists (select from environments e where e.id = c.environment_id)
     group by c.environment_id`.execute(db);
}

/** When the first that waits in a queue is due; undefined where none waits. */
export async function findNextDue(
  db: Db,
  { environmentId, integrationId }: InboxQueue,
): Promise<Date | undefined> {
  const { rows } = await sql<{ nextAttemptAt: Date }>`
    select next_attempt_at from inbound_webhooks
     where environment_id = ${environmentId} and integration_id = ${integrationId} and state = 'waiting'
       and next_attempt_at is not null
     order by next_attempt_at limit 1`.execute(db);
  return rows[0]?.nextAttemptAt;
}
