import { type RawBuilder, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, runNamed } from "#foundation/db";
import { hasId } from "#foundation/db/day-partitions";
import type { KeyedTaskChange } from "#tasks";

export interface NewAsyncAction {
  readonly id: string;
  readonly functionId: number;
  readonly connectionUuid: ConnectionUuid;
  /** Sealed; null for none. */
  readonly input: Buffer | null;
  readonly maxRetries: number;
  readonly createdAt: Date;
}

/** Stores the action and queues it under the key of its connection. */
export async function insertAsyncAction(
  db: Db,
  environmentId: EnvironmentId,
  row: NewAsyncAction,
  entering: KeyedTaskChange,
): Promise<void> {
  const query = sql`
    with added as (
      insert into async_actions (id, environment_id, function_id, connection_uuid, state, input, max_retries, created_at)
      values (${row.id}, ${environmentId}, ${row.functionId}, ${row.connectionUuid}, 'waiting', ${row.input},
              ${row.maxRetries}, ${row.createdAt})
      returning 1)
    select ${entering} from added`;
  await runNamed(db, "async_action_insert", query);
}

export interface BegunAction {
  readonly id: string;
  readonly functionId: number;
  readonly connectionUuid: ConnectionUuid;
  readonly input: Buffer | null;
  readonly fence: number;
  /** Since the last failure of the function, this one included. */
  readonly attempts: number;
  readonly failures: number;
  readonly maxRetries: number;
  readonly hasEffects: boolean;
  readonly createdAt: Date;
}

/** A new attempt; undefined when the action has ended. The queue gives a job again only after its worker died. */
export async function beginAsyncAction(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<BegunAction | undefined> {
  const query = sql<BegunAction>`
    update async_actions set state = 'running', fence = fence + 1, attempts = attempts + 1
     where environment_id = ${environmentId} and ${hasId("async_actions", id)} and state in ('waiting', 'running')
    returning id, function_id, connection_uuid, input, fence, attempts, failures, max_retries, has_effects,
           created_at`;
  const [action] = await runNamed(db, "async_action_begin", query);
  return action;
}

interface Attempt {
  readonly id: string;
  readonly fence: number;
}

/** False when another attempt has taken the action over. */
export async function noteEffect(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Attempt,
): Promise<boolean> {
  const { rows } = await sql`
    update async_actions set has_effects = true
     where environment_id = ${environmentId} and ${hasId("async_actions", id)} and fence = ${fence} and state = 'running'
    returning 1`.execute(db);
  return rows.length === 1;
}

/** Waits for its next attempt; false when another has taken the action over. */
export async function awaitAttempt(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence, failures }: Attempt & { failures: number },
): Promise<boolean> {
  const { rows } = await sql`
    update async_actions set state = 'waiting', has_effects = false, failures = ${failures}, attempts = 0
     where environment_id = ${environmentId} and ${hasId("async_actions", id)} and fence = ${fence} and state = 'running'
    returning 1`.execute(db);
  return rows.length === 1;
}

/** The worker stops: what the attempt has done stays noted. */
export async function giveBack(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence }: Attempt,
): Promise<boolean> {
  const { rows } = await sql`
    update async_actions set state = 'waiting', attempts = attempts - 1
     where environment_id = ${environmentId} and ${hasId("async_actions", id)} and fence = ${fence} and state = 'running'
    returning 1`.execute(db);
  return rows.length === 1;
}

export type EndedState = "success" | "failed";

export async function endAsyncAction(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence, ...end }: Attempt & { state: EndedState; outcome: Buffer; endedAt: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update async_actions
       set state = ${end.state}, outcome = ${end.outcome}, input = null, ended_at = ${end.endedAt}
     where environment_id = ${environmentId} and ${hasId("async_actions", id)} and fence = ${fence} and state = 'running'
    returning 1`.execute(db);
  return rows.length === 1;
}

/**
 * Ends an action without a webhook, and completes its keyed task, in one statement; false, and nothing has happened, when
 * another attempt has taken it over, or the environment has an address for webhooks.
 */
export async function endUntoldAction(
  db: Db,
  environmentId: EnvironmentId,
  { id, fence, ...end }: Attempt & { state: EndedState; outcome: Buffer; endedAt: Date },
  leaving: KeyedTaskChange,
): Promise<boolean> {
  const query = sql`
    with ended as (
      update async_actions
         set state = ${end.state}, outcome = ${end.outcome}, input = null, ended_at = ${end.endedAt}
       where environment_id = ${environmentId} and ${hasId("async_actions", id)} and fence = ${fence}
         and state = 'running'
         and not exists (select from webhook_settings w
                          where w.environment_id = ${environmentId} and (w.primary_url <> '' or w.secondary_url <> ''))
      returning 1)
    select ${leaving} from ended`;
  return (await runNamed(db, "async_action_end", query)).length === 1;
}

export interface KeptAction {
  readonly state: "waiting" | "running" | EndedState;
  readonly outcome: Buffer | null;
  readonly endedAt: Date | null;
}

export async function findAsyncAction(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<KeptAction | undefined> {
  const { rows } = await sql<KeptAction>`
    select state, outcome, ended_at from async_actions
     where environment_id = ${environmentId} and ${hasId("async_actions", id)}`.execute(db);
  return rows[0];
}

/** Of an action `t`: it has not ended, or after a time. */
export function isKept(time: Date): RawBuilder<boolean> {
  return sql<boolean>`(t.ended_at is null or t.ended_at >= ${time})`;
}

/** Of those of every environment that were accepted before a time. */
export async function deleteEndedBefore(
  db: Db,
  { accepted, ended }: { accepted: Date; ended: Date },
): Promise<void> {
  await sql`
    delete from async_actions where created_at < ${accepted} and ended_at < ${ended}`.execute(db);
}
