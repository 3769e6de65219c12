import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, OperationId } from "#platform";
import type { Db } from "#platform/db";

export interface NewDelivery {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly body: Buffer;
  /** JSON text. */
  readonly headers: string;
  readonly connectionUuid: ConnectionUuid | null;
  readonly operationId: OperationId | null;
  readonly nextAttemptAt: Date;
  readonly createdAt: Date;
}

type WebhookTables = {
  webhookDeliveries: NewDelivery & {
    environmentId: EnvironmentId;
    state: "waiting" | "delivered" | "failed";
    attempts: number;
    leasedUntil: Date | null;
    fence: number;
    lastStatus: number | null;
    lastError: string | null;
    deliveredAt: Date | null;
  };
};

export async function insertDeliveries(
  db: Db,
  environmentId: EnvironmentId,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const rows = deliveries.map((delivery) => ({
    ...delivery,
    environmentId,
    state: "waiting" as const,
    attempts: 0,
    fence: 0,
  }));
  await db.withTables<InsertTables>().insertInto("webhookDeliveries").values(rows).execute();
}

// Columns that the database fills by itself may be left out of an insert.
type InsertTables = {
  webhookDeliveries: Omit<
    WebhookTables["webhookDeliveries"],
    "leasedUntil" | "lastStatus" | "lastError" | "deliveredAt"
  >;
};

export interface ClaimedDelivery {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly url: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly operationId: OperationId | null;
  readonly attempts: number;
  readonly fence: number;
}

export interface ClaimQuery {
  readonly now: Date;
  readonly limit: number;
  readonly leaseMs: number;
  /** Receivers that have enough on their hands. */
  readonly busyUrls: readonly string[];
}

/** Leases what is due, of all environments; a lease that ran out belongs to a sender that died. */
export async function claimDeliveries(db: Db, query: ClaimQuery): Promise<ClaimedDelivery[]> {
  const result = await sql<ClaimedDelivery>`
    update webhook_deliveries
       set fence = fence + 1,
           leased_until = now() + make_interval(secs => ${query.leaseMs / 1000}::float8)
     where id in (
       select id from webhook_deliveries
        where state = 'waiting' and next_attempt_at <= ${query.now}
          and (leased_until is null or leased_until < now())
          and url <> all(${query.busyUrls}::text[])
        order by next_attempt_at limit ${query.limit}
          for update skip locked
     )
    returning id, environment_id, url, body, headers, operation_id, attempts, fence
  `.execute(db);
  return result.rows;
}

/** When to look again, by the clock of `now`: the next attempt that is due, or a lease's end. */
export async function findNextDue(
  db: Db,
  { now, busyUrls }: Pick<ClaimQuery, "now" | "busyUrls">,
): Promise<Date | undefined> {
  const result = await sql<{ nextDueAt: Date | null }>`
    select min(greatest(next_attempt_at, ${now}::timestamptz + (leased_until - now()))) as next_due_at
      from webhook_deliveries
     where state = 'waiting' and url <> all(${busyUrls}::text[])
  `.execute(db);
  return result.rows[0]?.nextDueAt ?? undefined;
}

export interface DeliveryOutcome {
  readonly id: string;
  readonly fence: number;
  readonly state: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly deliveredAt: Date | null;
}

/** False when another sender has taken the delivery over meanwhile. */
export async function storeOutcome(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence, ...outcome }: DeliveryOutcome,
): Promise<boolean> {
  const result = await db
    .withTables<OutcomeTables>()
    .updateTable("webhookDeliveries")
    .set({ ...outcome, leasedUntil: null })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("fence", "=", fence)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

type OutcomeTables = {
  webhookDeliveries: Omit<WebhookTables["webhookDeliveries"], "nextAttemptAt"> & {
    nextAttemptAt: Date | null;
  };
};

/** The delivery is due again at once; the attempt does not count. */
export async function giveBack(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: { id: string; fence: number },
): Promise<void> {
  await db
    .withTables<WebhookTables>()
    .updateTable("webhookDeliveries")
    .set({ leasedUntil: null })
    .where("environmentId", "=", environmentId)
    .where("id", "=", id)
    .where("fence", "=", fence)
    .execute();
}
