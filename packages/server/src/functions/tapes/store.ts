import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, OperationId } from "#foundation";
import type { Db } from "#foundation/db";
import type { TapeReason, TapeRule } from "./tape-rule.ts";

export interface TapeSummary {
  readonly operationId: string;
  readonly integrationKey: string;
  readonly functionName: string;
  readonly kind: "sync" | "webhook" | "action" | "on-event";
  readonly reason: TapeReason;
  readonly state: "success" | "failed";
  readonly calls: number;
  readonly bytes: number;
  readonly isCut: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface NewTape extends TapeSummary {
  readonly operationId: OperationId;
  readonly connection: ConnectionUuid;
  /** Sealed. */
  readonly tape: Buffer;
}

/** Stores a tape in place of an earlier one of its operation, unless its connection has gone meanwhile. */
export async function insertTape(
  db: Db,
  environmentId: EnvironmentId,
  row: NewTape,
): Promise<boolean> {
  const { rows } = await sql`
    insert into tapes (environment_id, operation_id, connection_uuid, integration_key, function_name, kind, reason, state,
                       calls, bytes, is_cut, tape, created_at, expires_at)
    select ${environmentId}::uuid, ${row.operationId}::uuid, c.uuid, ${row.integrationKey}, ${row.functionName}, ${row.kind},
           ${row.reason}, ${row.state}, ${row.calls}::int, ${row.bytes}::int, ${row.isCut}::boolean, ${row.tape}::bytea,
           ${row.createdAt}::timestamptz, ${row.expiresAt}::timestamptz
      from connections c
     where c.environment_id = ${environmentId} and c.uuid = ${row.connection} and c.deleted_at is null
       for share of c
    on conflict (environment_id, operation_id) do update
       set tape = excluded.tape, calls = excluded.calls, bytes = excluded.bytes, is_cut = excluded.is_cut,
           reason = excluded.reason, state = excluded.state, created_at = excluded.created_at,
           expires_at = excluded.expires_at
    returning operation_id`.execute(db);
  return rows.length > 0;
}

/** Deletes the oldest tapes of an environment that has more of them, or more bytes, than it may; reads a row of each. */
export async function deleteOldestTapes(
  db: Db,
  environmentId: EnvironmentId,
  most: { readonly bytes: number; readonly tapes: number },
): Promise<void> {
  await sql`
    delete from tapes t using (
      select operation_id, sum(bytes) over newest_first as bytes, row_number() over newest_first as tapes
        from tapes where environment_id = ${environmentId}
      window newest_first as (order by created_at desc, operation_id desc)) aged
     where t.environment_id = ${environmentId} and t.operation_id = aged.operation_id
       and (aged.bytes > ${most.bytes} or aged.tapes > ${most.tapes})`.execute(db);
}

const summaryColumns = sql`
  operation_id as "operationId", integration_key as "integrationKey", function_name as "functionName", kind, reason,
  state, calls, bytes, is_cut as "isCut", created_at as "createdAt", expires_at as "expiresAt"`;

export async function findTape(
  db: Db,
  environmentId: EnvironmentId,
  operationId: string,
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ tape: Buffer }>`
    select tape from tapes
     where environment_id = ${environmentId} and operation_id = ${operationId}`.execute(
    db.withoutPlugins(),
  );
  return rows[0]?.tape;
}

export async function listTapeRows(
  db: Db,
  environmentId: EnvironmentId,
  page: {
    readonly integrationKey: string | undefined;
    readonly functionName: string | undefined;
    readonly operationId: string | undefined;
    readonly after: { readonly createdAt: Date | string; readonly id: string } | undefined;
    readonly limit: number;
  },
): Promise<TapeSummary[]> {
  const { integrationKey, functionName, operationId, after, limit } = page;
  const { rows } = await sql<TapeSummary>`
    select ${summaryColumns} from tapes
     where environment_id = ${environmentId}
       ${integrationKey === undefined ? sql`` : sql`and integration_key = ${integrationKey}`}
       ${functionName === undefined ? sql`` : sql`and function_name = ${functionName}`}
       ${operationId === undefined ? sql`` : sql`and operation_id = ${operationId}`}
       ${after === undefined ? sql`` : sql`and (created_at, operation_id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`}
     order by created_at desc, operation_id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function deleteTapeRow(
  db: Db,
  environmentId: EnvironmentId,
  operationId: string,
): Promise<boolean> {
  const result = await sql`
    delete from tapes where environment_id = ${environmentId} and operation_id = ${operationId}`.execute(
    db,
  );
  return result.numAffectedRows === 1n;
}

/** Resolves to how many there were. */
export async function deleteTapesOfConnections(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<number> {
  const result = await sql`
    delete from tapes
     where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}

/** Of every environment. */
export async function deleteExpiredRows(db: Db, now: Date): Promise<void> {
  await sql`delete from tapes where expires_at < ${now}`.execute(db);
  await sql`delete from tape_rules where ends_at < ${now}`.execute(db);
}

const ruleColumns = sql`
  function_id::int as "functionId", sample, next_failure as "nextFailure", created_at as "createdAt", ends_at as "endsAt"`;

/** Those that have not ended, the newest first. */
export async function listRuleRows(
  db: Db,
  environmentId: EnvironmentId,
  now: Date,
): Promise<TapeRule[]> {
  const { rows } = await sql<TapeRule>`
    select ${ruleColumns} from tape_rules
     where environment_id = ${environmentId} and ends_at > ${now} and (sample > 0 or next_failure)
     order by created_at desc, function_id`.execute(db.withoutPlugins());
  return rows;
}

export async function upsertRule(
  db: Db,
  environmentId: EnvironmentId,
  rule: TapeRule,
): Promise<void> {
  const { functionId, sample, nextFailure, createdAt, endsAt } = rule;
  await sql`
    insert into tape_rules (environment_id, function_id, sample, next_failure, created_at, ends_at)
    values (${environmentId}, ${functionId}, ${sample}, ${nextFailure}, ${createdAt}, ${endsAt})
    on conflict (environment_id, function_id) do update
       set sample = excluded.sample, next_failure = excluded.next_failure, created_at = excluded.created_at,
           ends_at = excluded.ends_at`.execute(db);
}

export async function deleteRule(
  db: Db,
  environmentId: EnvironmentId,
  functionId: number,
): Promise<void> {
  await sql`
    delete from tape_rules
     where environment_id = ${environmentId} and function_id = ${functionId}`.execute(db);
}

/** Whether this run is the failure that was waited for: of several, in any process, one is. */
export async function takeNextFailure(
  db: Db,
  environmentId: EnvironmentId,
  { functionId, now }: { functionId: number; now: Date },
): Promise<boolean> {
  const result = await sql`
    update tape_rules set next_failure = false
     where environment_id = ${environmentId} and function_id = ${functionId} and next_failure
       and ends_at > ${now}`.execute(db);
  return result.numAffectedRows === 1n;
}
