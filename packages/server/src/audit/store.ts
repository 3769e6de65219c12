import { sql } from "kysely";
import type { KeysetPosition } from "#foundation";
import { type Db, inIndexOrder } from "#foundation/db";
import type { AuditEvent, DetailDigests } from "./event.ts";

export async function insertEvent(
  db: Db,
  event: AuditEvent & DetailDigests & { mac: Buffer },
): Promise<void> {
  const before = event.before && JSON.stringify(event.before);
  await sql`
    insert into audit_events
      (id, account_id, environment_id, at, actor, via, action, target, fields, before, request_id, outcome,
       code, actor_digest, subject_digest, mac)
    values (${event.id}, ${event.accountId}, ${event.environmentId}, ${event.at},
            ${JSON.stringify(event.actor)}, ${event.via}, ${event.action}, ${JSON.stringify(event.target)},
            ${JSON.stringify(event.fields)}, ${before}, ${event.requestId},
            ${event.outcome}, ${event.code}, ${event.actorDigest}, ${event.subjectDigest}, ${event.mac})`.execute(
    db,
  );
}

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actorId?: string | undefined;
  readonly environmentId?: string | undefined;
  /** A value of the target, and what details that name it are found by. */
  readonly target?: { readonly value: string; readonly lookups: readonly string[] } | undefined;
  readonly outcome?: "done" | "refused" | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface AuditRow extends AuditEvent, DetailDigests {
  readonly sequence: number;
  readonly sealId: number | null;
}

export const eventColumns = sql`
  sequence, id, account_id, environment_id, at, actor, via, action, target, fields, before, request_id, outcome, code,
  actor_digest, subject_digest, seal_id`;

/** Newest first. */
export async function listEvents(
  db: Db,
  accountId: string,
  page: { filter: AuditFilter; after: KeysetPosition | undefined; limit: number },
): Promise<AuditRow[]> {
  const { action, actorId, environmentId, target, outcome, from, to } = page.filter;
  const wanted = [sql`account_id = ${accountId}`];
  if (action !== undefined) wanted.push(sql`action = ${action}`);
  if (environmentId !== undefined) wanted.push(sql`environment_id = ${environmentId}`);
  if (actorId !== undefined) wanted.push(sql`actor ->> 'id' = ${actorId}`);
  if (target !== undefined) {
    wanted.push(sql`(jsonb_path_query_array(target, '$.*') @> ${JSON.stringify([target.value])} or id in
      (select event_id from audit_details where lookups && ${target.lookups}::text[]))`);
  }
  if (outcome !== undefined) wanted.push(sql`outcome = ${outcome}`);
  if (from !== undefined) wanted.push(sql`at >= ${from}`);
  if (to !== undefined) wanted.push(sql`at < ${to}`);
  if (page.after !== undefined) {
    wanted.push(sql`(at, id) < (${page.after.createdAt}, ${page.after.id}::uuid)`);
  }
  const query = sql<AuditRow>`
    select ${eventColumns} from audit_events where ${sql.join(wanted, sql` and `)}
     order by at desc, id desc limit ${page.limit}`;
  // Few events have one target: an index finds them, in any order.
  if (target !== undefined) return (await query.execute(db)).rows;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows);
}

export interface ChangeRow extends AuditRow {
  /** A field that was sent, or the target's name; null for an event without either. */
  readonly name: string | null;
}

/**
 * The last change of each name by each of these actions; with `byTarget` names are those of targets, otherwise of fields.
 * Of each action only so many events of the account are looked at, however many there are.
 */
export async function listLastEvents(
  db: Db,
  { accountId, environmentId }: { accountId: string; environmentId: string },
  wanted: {
    readonly actions: readonly string[];
    readonly byTarget: readonly string[];
    readonly searched: number;
    readonly limit: number;
  },
): Promise<ChangeRow[]> {
  const query = sql<ChangeRow>`
    select ${eventColumns}, name from (
      select distinct on (e.action, named.name) e.*, named.name
        from unnest(${wanted.actions}::text[]) as wanted (action)
       cross join lateral (
         select * from audit_events
          where account_id = ${accountId} and action = wanted.action
          order by at desc, id desc limit ${wanted.searched}) e
        left join lateral (
          select case when e.action = any(${wanted.byTarget}::text[]) then e.target ->> 'name' else field end as name
            from jsonb_object_keys(case when e.action = any(${wanted.byTarget}::text[]) then '{"-": 0}' else e.fields end) field
        ) named on true
       where e.outcome = 'done'
         and (e.environment_id = ${environmentId} or e.target ->> 'environment_id' = ${environmentId}::text)
       order by e.action, named.name, e.at desc, e.id desc) last
     order by at desc, id desc limit ${wanted.limit}`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows);
}
