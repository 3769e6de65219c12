import { sql } from "kysely";
import type { KeysetPosition } from "#platform";
import { type Db, inIndexOrder } from "#platform/db";
import type { AuditEvent } from "./event.ts";

export async function insertEvent(db: Db, event: AuditEvent & { mac: Buffer }): Promise<void> {
  await sql`
    insert into audit_events
      (id, account_id, environment_id, at, actor, via, action, target, fields, request_id, outcome, code, mac)
    values (${event.id}, ${event.accountId}, ${event.environmentId}, ${event.at},
            ${JSON.stringify(event.actor)}, ${event.via}, ${event.action}, ${JSON.stringify(event.target)},
            ${JSON.stringify(event.fields)}, ${event.requestId}, ${event.outcome}, ${event.code},
            ${event.mac})`.execute(db);
}

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actorId?: string | undefined;
  readonly environmentId?: string | undefined;
  readonly outcome?: "done" | "refused" | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface AuditRow extends AuditEvent {
  readonly sequence: number;
  readonly sealId: number | null;
}

export const eventColumns = sql`
  sequence, id, account_id, environment_id, at, actor, via, action, target, fields, request_id, outcome, code,
  seal_id`;

/** Newest first. */
export async function listEvents(
  db: Db,
  accountId: string,
  page: { filter: AuditFilter; after: KeysetPosition | undefined; limit: number },
): Promise<AuditRow[]> {
  const { action, actorId, environmentId, outcome, from, to } = page.filter;
  const wanted = [sql`account_id = ${accountId}`];
  if (action !== undefined) wanted.push(sql`action = ${action}`);
  if (environmentId !== undefined) wanted.push(sql`environment_id = ${environmentId}`);
  if (actorId !== undefined) wanted.push(sql`actor ->> 'id' = ${actorId}`);
  if (outcome !== undefined) wanted.push(sql`outcome = ${outcome}`);
  if (from !== undefined) wanted.push(sql`at >= ${from}`);
  if (to !== undefined) wanted.push(sql`at < ${to}`);
  if (page.after !== undefined) {
    wanted.push(sql`(at, id) < (${page.after.createdAt}, ${page.after.id}::uuid)`);
  }
  const query = sql<AuditRow>`
    select ${eventColumns} from audit_events where ${sql.join(wanted, sql` and `)}
     order by at desc, id desc limit ${page.limit}`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows);
}
