import { type RawBuilder, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, inIndexOrder, MOST_SCANNED, smallBytes } from "#foundation/db";
import type { InboundWebhook, InboxState } from "../inbox/inbox.ts";

export interface ListedWebhook extends Omit<InboundWebhook, "request" | "isReplay"> {
  /** False once the request was deleted to make room. */
  readonly hasRequest: boolean;
  /** Null where the integration was deleted. */
  readonly uniqueKey: string | null;
}

type Unnamed = Omit<ListedWebhook, "uniqueKey">;

export interface InboxPage {
  readonly integrationId: number | undefined;
  /** For which they were passed on. */
  readonly connection?: ConnectionUuid | undefined;
  readonly state: InboxState | undefined;
  readonly type?: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly after: { readonly receivedAt: Date; readonly id: string } | undefined;
  readonly limit: number;
  /** Whether the inbox is made ready for distribution. */
  readonly isPrepared?: boolean;
}

const listedColumns = sql`
  w.id, w.environment_id, w.integration_id::int, w.body_bytes, w.is_verified, w.types, w.completes, w.state,
  w.attempts, w.error, w.operation_id, w.received_at, w.handled_at,
  w.request is not null as has_request`;

/** Newest first. */
export async function listWebhookRows(
  db: Db,
  environmentId: EnvironmentId,
  page: InboxPage,
): Promise<ListedWebhook[]> {
  const { integrationId, state, type, limit } = page;
  const { rows, order } = sourceOf(environmentId, page);
  const query = sql<Unnamed>`
    select ${listedColumns}
      from ${rows}
     where ${integrationId === undefined ? sql`true` : sql`w.integration_id = ${integrationId}`}
       and ${state === undefined ? sql`true` : sql`w.state = ${state}`}
       and ${type === undefined ? sql`true` : sql`w.types @> ${JSON.stringify([type])}::jsonb`}
     order by ${order} limit ${limit}`;
  const listed = await inIndexOrder(db, async (db) => (await query.execute(db)).rows);
  return await withNames(db, listed);
}

/** Names are read by themselves: webhooks may lie on other servers. */
async function withNames<Row extends Unnamed>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & Pick<ListedWebhook, "uniqueKey">)[]> {
  const ids = [...new Set(rows.map(({ integrationId }) => integrationId))];
  if (ids.length === 0) return [];
  const { rows: names } = await sql<{ id: number; uniqueKey: string }>`
    select id, unique_key from integrations where id = any(${ids}::bigint[])`.execute(db);
  const byId = new Map(names.map(({ id, uniqueKey }) => [id, uniqueKey]));
  return rows.map((row) => ({ ...row, uniqueKey: byId.get(row.integrationId) ?? null }));
}

/** The last of the webhooks that one page looks at; undefined when it has looked at all. */
export async function findInboxBound(
  db: Db,
  environmentId: EnvironmentId,
  page: InboxPage,
): Promise<{ receivedAt: Date; id: string } | undefined> {
  const query = sql<{ receivedAt: Date; id: string }>`
    select received_at, ${idOf(page)} as id ${scan(environmentId, page)}
    offset ${MOST_SCANNED - 1} limit 1`;
  return await inIndexOrder(db, async (db) => (await query.execute(db)).rows[0]);
}

/** Where a page is read: in the webhooks, or in the notes of those that were passed on for a connection. */
function sourceOf(environmentId: EnvironmentId, page: InboxPage) {
  const read = sql`${scan(environmentId, page)} limit ${MOST_SCANNED}`;
  if (page.connection === undefined) {
    return { rows: sql`(select * ${read}) as w`, order: sql`w.received_at desc, w.id desc` };
  }
  // Unless the key has the environment, an index that begins with it may look as short a way as the key.
  const own = sql`w.environment_id = ${environmentId}`;
  const isOwn = page.isPrepared ? own : sql`(${own}) is true`;
  return {
    rows: sql`(select received_at, webhook_id ${read}) as k cross join lateral (
      select * from inbound_webhooks w
       where w.id = k.webhook_id and ${isOwn} offset 0) w`,
    order: sql`k.received_at desc, k.webhook_id desc`,
  };
}

function idOf({ connection }: Pick<InboxPage, "connection">): RawBuilder<unknown> {
  return connection === undefined ? sql`id` : sql`webhook_id`;
}

/** The webhooks that an index has in the order of the list: of the filter, the part that passes over most. */
function scan(environmentId: EnvironmentId, page: InboxPage): RawBuilder<unknown> {
  const { connection, integrationId, state, from, to, after } = page;
  const id = idOf(page);
  const isFailed = state === "failed";
  const ofIntegration =
    isFailed || integrationId === undefined ? undefined : sql`integration_id = ${integrationId}`;
  const first =
    connection === undefined
      ? [
          sql`environment_id = ${environmentId}`,
          isFailed ? sql`state = 'failed'` : undefined,
          ofIntegration,
        ]
      : [sql`environment_id = ${environmentId}`, sql`connection_uuid = ${connection}`];
  const parts = [
    ...first,
    from && sql`received_at >= ${from}`,
    to && sql`received_at < ${to}`,
    after && sql`(received_at, ${id}) < (${after.receivedAt}::timestamptz, ${after.id}::uuid)`,
  ].filter((part) => part !== undefined);
  const table = connection === undefined ? sql`inbound_webhooks` : sql`inbound_webhook_connections`;
  return sql`from ${table} where ${sql.join(parts, sql` and `)}
             order by received_at desc, ${id} desc`;
}

/** With its sealed request, unless that is large. */
export async function findWebhook(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<(ListedWebhook & { readonly request: Buffer | null }) | undefined> {
  const { rows } = await sql<Unnamed & { readonly request: Buffer | null }>`
    select ${listedColumns}, ${smallBytes("w.request")} as request
      from inbound_webhooks w
     where w.environment_id = ${environmentId} and w.id = ${id}`.execute(db);
  const [found] = await withNames(db, rows);
  return found;
}
