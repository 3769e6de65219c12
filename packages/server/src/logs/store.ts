import { sql } from "kysely";
import { addMs, type EnvironmentId, type OperationId } from "#foundation";
import { type Db, hotStatement, inIndexOrder, runHot } from "#foundation/db";
import { roundMs } from "./call-timing.ts";

import type { UsageRow } from "./writing/day-usage.ts";
import { type LeftOutNote, totalOf, wordNote } from "./writing/left-out.ts";

/** A row as JSON text, complete, so that many can be written as one parameter. */
export type RowJson = string;

const insertOperationRows = hotStatement(
  "insert_operations",
  `insert into operations
   select * from jsonb_populate_recordset(null::operations, $1::jsonb)
   on conflict do nothing`,
);

const insertMessageRows = hotStatement(
  "insert_operation_messages",
  `insert into operation_messages
   select * from jsonb_populate_recordset(null::operation_messages, $1::jsonb)
   on conflict do nothing`,
);

/** Rows name their environment themselves; those that were written before, as by a batch whose answer was lost, stay. */
export async function insertOperations(db: Db, rows: readonly RowJson[]): Promise<void> {
  await runHot(db, insertOperationRows([`[${rows.join(",")}]`]));
}

export async function insertMessages(db: Db, rows: readonly RowJson[]): Promise<void> {
  await runHot(db, insertMessageRows([`[${rows.join(",")}]`]));
}

/** What the calls of one caller over one connection have in common. */
export interface CallTemplate {
  readonly environmentId: EnvironmentId;
  /** By name. */
  readonly integration: string | undefined;
  readonly integrationJson: string;
  readonly connectionJson: string;
  readonly actorJson: string;
}

/** A call to a provider that was answered; times in milliseconds since 1970. */
export interface CallRow {
  readonly template: CallTemplate;
  readonly id: OperationId;
  readonly state: string;
  readonly level: string;
  readonly message: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Until the provider began to answer; 0 where it was not measured. */
  readonly upstreamMs: number;
}

// Columns instead of JSON: half of the database's time.
const insertCallRows = hotStatement(
  "insert_calls",
  `insert into operations (id, environment_id, type, action, state, level, message, integration,
          connection, actor, request, response, meta, created_at, started_at, ended_at)
   select call.id, template.environment_id, 'proxy', 'call', call.state, call.level, call.message,
          template.integration, template.connection, template.actor,
          jsonb_build_object('method', call.method, 'url', call.url),
          jsonb_build_object('code', call.status),
          case when call.upstream > 0 then
               jsonb_build_object('timing', jsonb_build_object('upstream', call.upstream)) end,
          to_timestamp(call.started / 1000), to_timestamp(call.started / 1000),
          to_timestamp(call.ended / 1000)
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[],
                 $8::float8[], $9::float8[], $10::bigint[], $11::float8[])
            as call(id, state, level, message, method, url, status, started, ended, template, upstream)
     join unnest($12::uuid[], $13::jsonb[], $14::jsonb[], $15::jsonb[]) with ordinality
            as template(environment_id, integration, connection, actor, number)
       on template.number = call.template
   on conflict do nothing`,
);

export async function insertCalls(db: Db, rows: readonly CallRow[]): Promise<void> {
  const templates = [...new Set(rows.map(({ template }) => template))];
  const numbers = new Map(templates.map((template, index) => [template, index + 1]));
  await runHot(
    db,
    insertCallRows([
      rows.map(({ id }) => id),
      rows.map(({ state }) => state),
      rows.map(({ level }) => level),
      rows.map(({ message }) => message),
      rows.map(({ method }) => method),
      rows.map(({ url }) => url),
      rows.map(({ status }) => status),
      rows.map(({ startedMs }) => startedMs),
      rows.map(({ endedMs }) => endedMs),
      rows.map(({ template }) => numbers.get(template)),
      rows.map(({ upstreamMs }) => roundMs(upstreamMs)),
      templates.map(({ environmentId }) => environmentId),
      templates.map(({ integrationJson }) => integrationJson),
      templates.map(({ connectionJson }) => connectionJson),
      templates.map(({ actorJson }) => actorJson),
    ]),
  );
}

/** One row for each note, which grows with what is left out. */
export async function upsertNotes(db: Db, notes: readonly LeftOutNote[]): Promise<void> {
  const ofLines = notes.filter(({ operationId }) => operationId !== undefined);
  const ofOperations = notes.filter(({ operationId }) => operationId === undefined);
  await runHot(db, upsertMessageNotes([JSON.stringify(ofLines.map(toMessageNote))]));
  await runHot(db, upsertOperationNotes([JSON.stringify(ofOperations.map(toOperationNote))]));
}

const upsertMessageNotes = hotStatement(
  "upsert_message_notes",
  `insert into operation_messages (id, operation_id, environment_id, source, level, type, message, meta, created_at)
   select id, operation_id, environment_id, 'internal', 'warn', 'log', message, meta, created_at
     from jsonb_populate_recordset(null::operation_messages, $1::jsonb)
   on conflict on constraint operation_messages_pkey do update set message = excluded.message, meta = excluded.meta`,
);

const upsertOperationNotes = hotStatement(
  "upsert_operation_notes",
  `insert into operations (id, environment_id, type, action, state, level, message, meta, created_at, started_at, ended_at)
   select id, environment_id, 'admin', 'logs_left_out', 'failed', 'warn', message, meta,
          created_at, created_at, created_at
     from jsonb_populate_recordset(null::operations, $1::jsonb)
   on conflict on constraint operations_pkey do update set message = excluded.message, meta = excluded.meta`,
);

function toMessageNote(note: LeftOutNote): Readonly<Record<string, unknown>> {
  return {
    ...toOperationNote(note),
    operation_id: note.operationId,
    message: wordNote(note, "log lines"),
  };
}

function toOperationNote(note: LeftOutNote): Readonly<Record<string, unknown>> {
  return {
    id: note.id,
    environment_id: note.environmentId,
    message: wordNote(note, "operations or lines of operations"),
    meta: { left_out: totalOf(note.counts), reasons: note.counts },
    created_at: note.createdAt,
  };
}

const addUsageRows = hotStatement(
  "add_log_usage",
  `insert into log_usage (environment_id, day, message_bytes, operation_bytes)
   select added.environment_id, date '1970-01-01' + added.day, added.messages, added.operations
     from unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[])
            as added(environment_id, day, messages, operations)
     join environments on environments.id = added.environment_id
    order by 1
   on conflict (environment_id, day) do update
      set message_bytes = log_usage.message_bytes + excluded.message_bytes,
          operation_bytes = log_usage.operation_bytes + excluded.operation_bytes
   returning environment_id as "environmentId", day - date '1970-01-01' as day,
             message_bytes::float8 as messages, operation_bytes::float8 as operations`,
);

/** Adds to what each environment has logged in a day; resolves to the totals of all processes. */
export async function addUsage(db: Db, rows: readonly UsageRow[]): Promise<UsageRow[]> {
  return await runHot<UsageRow>(
    db,
    addUsageRows([
      rows.map(({ environmentId }) => environmentId),
      rows.map(({ day }) => day),
      rows.map(({ messages }) => messages),
      rows.map(({ operations }) => operations),
    ]),
  );
}

export async function deleteOldUsage(db: Db, before: string): Promise<void> {
  await sql`delete from log_usage where day < ${before}::date`.execute(db);
}

// The row is whole: where its beginning never got into the log, its end does. One that has ended stays as it is.
const endOperationRows = hotStatement(
  "end_operations",
  `insert into operations
   select * from jsonb_populate_recordset(null::operations, $1::jsonb)
   on conflict on constraint operations_pkey do update
      set state = excluded.state, level = excluded.level, ended_at = excluded.ended_at,
          error = excluded.error, response = excluded.response,
          meta = nullif(coalesce(operations.meta, '{}') || coalesce(excluded.meta, '{}'), '{}')
    where operations.state in ('waiting', 'running')
      and operations.environment_id = excluded.environment_id`,
);

/** Ends of operations that may be in the log as running; each id once. */
export async function endOperations(db: Db, rows: readonly RowJson[]): Promise<void> {
  await runHot(db, endOperationRows([`[${rows.join(",")}]`]));
}

/** What an operation that has just ended was. */
export interface EndedRow {
  readonly environmentId: EnvironmentId;
  readonly type: string;
  readonly action: string;
  readonly integration: string | null;
  readonly function: string | null;
  readonly startedAt: Date;
}

/** Ends what has been open for too long, in every environment: the oldest, and at most `limit`. */
export async function expireOpenOperations(
  db: Db,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<EndedRow[]> {
  const { rows: open } = await findOpen(db, { before, limit });
  const [first, last] = [open[0], open.at(-1)];
  if (first === undefined || last === undefined) return [];
  const error = JSON.stringify({
    type: "timeout",
    message: "The server that worked on it ended without a word.",
  });
  const { rows } = await sql<EndedRow>`
    update operations set state = 'timeout', level = 'error', ended_at = ${now}, error = ${error}
     where state in ('waiting', 'running') and id = any(${open.map(({ id }) => id)}::uuid[])
       and created_at >= ${first.createdAt} and created_at < ${addMs(last.createdAt, 1)}
    returning environment_id as "environmentId", type, action, integration ->> 'name' as integration,
              function ->> 'name' as function, coalesce(started_at, created_at) as "startedAt"`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

interface OpenRow {
  readonly id: OperationId;
  readonly createdAt: Date;
}

function findOpen(db: Db, { before, limit }: { before: Date; limit: number }) {
  const query = sql<OpenRow>`
    select id, date_trunc('milliseconds', created_at) as "createdAt" from operations
     where state in ('waiting', 'running') and created_at < ${before}
     order by created_at limit ${limit}`;
  return inIndexOrder(db, async (db) => await query.execute(db.withoutPlugins()));
}
