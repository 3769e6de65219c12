import { type RawBuilder, sql } from "kysely";
import { type EnvironmentId, type OperationId, SECOND } from "#foundation";
import { type Db, inIndexOrder } from "#foundation/db";
import type { LoggedMessage, LoggedOperation, OperationFilter, Position } from "./logged.ts";
import { isUnusual, type OperationRange, SLOW_FROM_MS } from "./ranges.ts";

const operationColumns = sql.raw(
  `o.id, o.type, o.action, o.state, o.level, o.message, o.integration, o.connection, o.function, o.actor,
   o.request, o.response, o.error, o.meta, o.created_at as "createdAt", o.started_at as "startedAt",
   o.ended_at as "endedAt"`,
);

// As the index operations_words and operation_messages_words have it, to the letter.
const wordsOf = (row: string) =>
  sql.raw(
    `log_words(${row}.message, ${row}.error ->> 'type', ${row}.error ->> 'message', ${row}.response ->> 'code')`,
  );
const operationWords = wordsOf("o");
const messageWords = wordsOf("m");

/** Words of a search as a query: one after the other, the last one begun only. Null without any word. */
const phrase = (search: string) => sql<string | null>`
  nullif((select string_agg(quote_literal(word), ' <-> ' order by place) || ':*'
    from (select lexeme as word, unnest(positions) as place from unnest(log_words(${search}))) words), ':*')`;

export interface OperationPage {
  readonly filter: OperationFilter;
  /** From, and up to but not including. */
  readonly from: Date;
  readonly to: Date;
  /** Only operations after this one in the list, which goes back in time. */
  readonly after: Position | undefined;
  readonly limit: number;
}

export interface RangePage extends Omit<OperationPage, "filter">, OperationRange {
  /** How many operations the page looks at. */
  readonly mostScanned: number;
}

/** Newest first. */
export async function listOperationRows(
  db: Db,
  environmentId: EnvironmentId,
  page: RangePage,
): Promise<LoggedOperation[]> {
  const query = listQuery(environmentId, page);
  return await inIndexOrder(db, async (db) => (await query.execute(db.withoutPlugins())).rows);
}

/** As a query, so that its plan can be looked at. */
export function listQuery(
  environmentId: EnvironmentId,
  page: RangePage,
): RawBuilder<LoggedOperation> {
  return sql<LoggedOperation>`
    select ${operationColumns}
      from (select * ${scan(environmentId, page)} limit ${page.mostScanned}) o
     where ${matching(page.filter)}
     order by o.created_at desc, o.id desc limit ${page.limit}`;
}

/** The last of the operations that a page looks at; undefined when it looks at all. */
export async function findListBound(
  db: Db,
  environmentId: EnvironmentId,
  page: RangePage,
): Promise<Position | undefined> {
  const query = sql<Position>`
    select s.created_at as "createdAt", s.id ${scan(environmentId, page)}
    offset ${page.mostScanned - 1} limit 1`;
  return await inIndexOrder(db, async (db) => (await query.execute(db.withoutPlugins())).rows[0]);
}

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** The operations that an index has in the order of the list, before any filter that no index has. */
function scan(
  environmentId: EnvironmentId,
  { filter, only, from, to, after }: RangePage,
): RawBuilder<unknown> {
  const isAfterEarlier = after !== undefined && after.createdAt < to;
  const end = isAfterEarlier ? after : { createdAt: to, id: FIRST_ID };
  const parts = [
    sql`s.environment_id = ${environmentId}`,
    // Compared with the id, for a range of times alone passes for a few rows while there are no statistics.
    sql`(s.created_at, s.id) < (${end.createdAt}, ${end.id}::uuid)`,
    from.getTime() === 0 ? undefined : sql`s.created_at >= ${from}`,
    // The indexes of what did not go well are used by those who ask for nothing else.
    isUnusual(filter) ? sql`s.state <> 'success'` : undefined,
    only && isOf(only),
  ].filter((part) => part !== undefined);
  return sql`from operations s where ${sql.join(parts, sql` and `)} order by s.created_at desc, s.id desc`;
}

const durationOf = (row: string) =>
  `(${row}.ended_at - coalesce(${row}.started_at, ${row}.created_at))`;
const slowFrom = SLOW_FROM_MS.map((ms) => `${ms / SECOND} s`);

/** As the index of that part has it; of durations as text, for only then Postgres finds that index. */
function isOf(only: NonNullable<OperationRange["only"]>): RawBuilder<unknown> {
  if (only.part === "duration") {
    const slowness = `width_bucket(${durationOf("s")}, '{${slowFrom.join(",")}}'::interval[])`;
    return sql.raw(
      `${slowness} = ${only.slowness} and ${durationOf("s")} >= interval '${slowFrom[0]}'`,
    );
  }
  const name = only.part === "type" ? sql`s.type` : sql`s.${sql.ref(only.part)} ->> 'name'`;
  return sql`${name} = ${only.name}`;
}

/** Messages of one operation that a walk looks at. */
const MESSAGES_WALKED = 200;
/** A message of an operation is not written later. */
const LONGEST_OPERATION = "2 days";

export interface WalkedOperation extends Position {
  /** It says the phrase, or one of its messages does; null where that was not looked at. */
  readonly says: boolean | null;
  /** It has more messages than were looked at, and none of these says it. */
  readonly isUnsure: boolean;
  /** It fits the filter. */
  readonly fits: boolean;
}

export interface WalkPage extends RangePage {
  readonly phrase: string;
  /** Whether words are looked at in operations too that do not fit the filter: says how frequent they are. */
  readonly readsAll: boolean;
}

/** The next operations in the order of the list, each with whether it is one that is searched for. */
export async function walkOperations(
  db: Db,
  environmentId: EnvironmentId,
  page: WalkPage,
): Promise<WalkedOperation[]> {
  const query = walkQuery(environmentId, page);
  return await inIndexOrder(db, async (db) => (await query.execute(db.withoutPlugins())).rows);
}

/** As a query, so that its plan can be looked at. */
export function walkQuery(
  environmentId: EnvironmentId,
  page: WalkPage,
): RawBuilder<WalkedOperation> {
  const query = sql`${page.phrase}::tsquery`;
  const fits = sql`(${matching(page.filter)}) is true`;
  // Words cost far more than any filter: with `offset 0` they are looked for once, not for each partition of messages.
  const isRead = page.readsAll ? sql`true` : fits;
  return sql<WalkedOperation>`
    select o.id, o.created_at as "createdAt", o.says or coalesce(m.says, false) as says,
           not o.says and not coalesce(m.says, false) and m.are_many as "isUnsure", o.fits
      from (select o.*, ${fits} as fits, case when ${isRead} then (${operationWords} @@ ${query}) is true end as says
              from (select * ${scan(environmentId, page)} limit ${page.mostScanned}) o offset 0) o
     cross join lateral (
       select bool_or(says) as says, count(*) > ${MESSAGES_WALKED} as are_many from (
         select ${messageWords} @@ ${query} as says from operation_messages m
          where not o.says and m.environment_id = ${environmentId} and m.operation_id = o.id and m.created_at >= o.created_at
            and m.created_at < o.created_at + ${LONGEST_OPERATION}::interval
          limit ${MESSAGES_WALKED + 1}) m) m
     order by o.created_at desc, o.id desc`;
}

/** Those operations, newest first. */
export async function listOperationsById(
  db: Db,
  environmentId: EnvironmentId,
  positions: readonly Position[],
): Promise<LoggedOperation[]> {
  const ids = positions.map(({ id }) => id);
  const times = positions.map(({ createdAt }) => createdAt);
  const { rows } = await sql<LoggedOperation>`
    select ${operationColumns} from unnest(${ids}::uuid[], ${times}::timestamptz[]) as wanted (id, created_at)
     cross join lateral (
       select * from operations
        where environment_id = ${environmentId} and id = wanted.id and created_at >= wanted.created_at
          and created_at < wanted.created_at + interval '1 millisecond' offset 0) o
     order by o.created_at desc, o.id desc`.execute(db.withoutPlugins());
  return rows;
}

/** The text of a search as Postgres has it; undefined when it has no word. */
export async function toPhrase(db: Db, search: string): Promise<string | undefined> {
  const { rows } = await sql<{ query: string | null }>`select ${phrase(search)} as query`.execute(
    db,
  );
  return rows[0]?.query ?? undefined;
}

/** Operations that say the phrase, or have a message that does. `messagesTo`: when the last of these were written. */
export async function searchOperationRows(
  db: Db,
  environmentId: EnvironmentId,
  page: SearchPage,
): Promise<LoggedOperation[]> {
  return (await searchQuery(environmentId, page).execute(db.withoutPlugins())).rows;
}

type SearchPage = OperationPage & { readonly phrase: string; readonly messagesTo: Date };

/**
 * As a query, so that its plan can be looked at. Each part names the environment, for its rows may lie on a server of
 * their own; `is true` leaves Postgres the words and the ids to find rows by, rather than a filter. Ids are looked up as
 * a list: where a day has no statistics yet, the worst is to pass over the index of the environment's day once.
 */
export function searchQuery(
  environmentId: EnvironmentId,
  page: SearchPage,
): RawBuilder<LoggedOperation> {
  const { from, to, messagesTo, filter, limit } = page;
  const query = sql`${page.phrase}::tsquery`;
  const within = sql`o.environment_id = ${environmentId} and o.created_at >= ${from} and o.created_at < ${to}`;
  const fits = sql`(${withinPage(page)} and ${matching(filter)}) is true`;
  return sql<LoggedOperation>`
    with own as materialized (
      select o.id, o.created_at from operations o
       where ${within} and ${operationWords} @@ ${query} and ${fits}
    ), telling as materialized (
      select distinct m.operation_id as id from operation_messages m
       where m.environment_id = ${environmentId} and m.created_at >= ${from} and m.created_at < ${messagesTo}
         and ${messageWords} @@ ${query}
    ), told as materialized (
      select o.id, o.created_at from operations o
       where ${within} and o.id = any(array(select id from telling)) and ${fits}
    ), hits as materialized (
      select id, created_at from own union select id, created_at from told
       order by created_at desc, id desc limit ${limit}
    )
    select ${operationColumns} from operations o
     where ${within} and o.id = any(array(select id from hits))
       and o.created_at >= (select min(created_at) from hits) and o.created_at <= (select max(created_at) from hits)
     order by o.created_at desc, o.id desc`;
}

function withinPage({ from, to, after }: OperationPage): RawBuilder<unknown> {
  const within = sql`o.created_at >= ${from} and o.created_at < ${to}`;
  if (after === undefined) return within;
  return sql`${within} and (o.created_at, o.id) < (${after.createdAt}, ${after.id}::uuid)`;
}

function matching(filter: OperationFilter): RawBuilder<unknown> {
  const parts = [
    filter.states && sql`o.state = any(${filter.states})`,
    filter.levels && sql`o.level = any(${filter.levels})`,
    filter.types &&
      sql`(o.type = any(${filter.types}) or o.type || ':' || o.action = any(${filter.types}))`,
    filter.integrations && sql`o.integration ->> 'name' = any(${filter.integrations})`,
    filter.connections && sql`o.connection ->> 'name' = any(${filter.connections})`,
    filter.functions && sql`o.function ->> 'name' = any(${filter.functions})`,
    filter.actors &&
      sql`(o.actor ->> 'id' = any(${filter.actors})
           or o.actor ->> 'type' = any(${filter.actors})
           or o.actor ->> 'operation_id' = any(${filter.actors}))`,
    filter.status_codes &&
      sql`(o.response ->> 'code' = any(${filter.status_codes})
           or left(o.response ->> 'code', 1) || 'xx' = any(${filter.status_codes}))`,
    filter.min_duration_ms === undefined
      ? undefined
      : sql`${sql.raw(durationOf("o"))} >= ${filter.min_duration_ms} * interval '1 ms'`,
    filter.max_duration_ms === undefined
      ? undefined
      : sql`${sql.raw(durationOf("o"))} <= ${filter.max_duration_ms} * interval '1 ms'`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `);
}

const nameColumns = {
  integrations: "integration",
  connections: "connection",
  functions: "function",
} as const;

/** What of an operation has a name. */
export type NamedPart = keyof typeof nameColumns;

/** Of the newest operations, so that a crowd of them costs a bounded time. */
const MOST_COUNTED = 100_000;

/** Names that begin with a prefix, in either case, with how many operations each has; the most frequent first. */
export async function countOperationNames(
  db: Db,
  environmentId: EnvironmentId,
  wanted: {
    readonly of: NamedPart;
    readonly prefix: string;
    readonly from: Date;
    readonly to: Date;
    readonly limit: number;
  },
): Promise<{ name: string; count: number }[]> {
  const { prefix, from, to, limit } = wanted;
  const column = sql.ref(nameColumns[wanted.of]);
  const { rows } = await sql<{ name: string; count: number }>`
    with newest as (
      select ${column} ->> 'name' as name from operations
       where environment_id = ${environmentId} and created_at >= ${from} and created_at < ${to}
       order by created_at desc, id desc limit ${MOST_COUNTED}
    )
    select name, count(*)::int as count from newest
     where name is not null and starts_with(lower(name), lower(${prefix}))
     group by name order by count desc, name limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

/** Position of the oldest operation of an environment; undefined when there is none. */
export async function findOldestTime(
  db: Db,
  environmentId: EnvironmentId,
): Promise<Date | undefined> {
  const { rows } = await sql<{ time: Date | null }>`
    select created_at as time from operations where environment_id = ${environmentId}
     order by created_at limit 1`.execute(db);
  return rows[0]?.time ?? undefined;
}

export async function findOperationRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, createdAt }: { id: OperationId; createdAt: Date },
): Promise<LoggedOperation | undefined> {
  const { rows } = await sql<LoggedOperation>`
    select ${operationColumns} from operations o
     where o.environment_id = ${environmentId} and o.id = ${id} and o.created_at = ${createdAt}
  `.execute(db.withoutPlugins());
  return rows[0];
}

export interface MessagePage {
  readonly operationId: OperationId;
  /** No message of the operation is older. */
  readonly from: Date;
  readonly levels: readonly string[] | undefined;
  readonly phrase: string | undefined;
  readonly order: "asc" | "desc";
  readonly after: Position | undefined;
  readonly limit: number;
}

export async function listMessageRows(
  db: Db,
  environmentId: EnvironmentId,
  page: MessagePage,
): Promise<LoggedMessage[]> {
  const { operationId, from, levels, phrase: query, order, after, limit } = page;
  const direction = sql.raw(order);
  const comparison = sql.raw(order === "asc" ? ">" : "<");
  const parts = [
    sql`m.environment_id = ${environmentId} and m.operation_id = ${operationId} and m.created_at >= ${from}`,
    levels && sql`m.level = any(${levels})`,
    query === undefined ? undefined : sql`${messageWords} @@ ${query}::tsquery`,
    after && sql`(m.created_at, m.id) ${comparison} (${after.createdAt}, ${after.id}::uuid)`,
  ].filter((part) => part !== undefined);
  const messages = sql<LoggedMessage>`
    select m.id, m.operation_id as "operationId", m.source, m.level, m.type, m.message, m.context, m.request,
           m.response, m.error, m.meta, m.duration_ms as "durationMs", m.created_at as "createdAt"
      from operation_messages m
     where ${sql.join(parts, sql` and `)}
     order by m.created_at ${direction}, m.id ${direction} limit ${limit}`;
  // By a word, the index of words may be the better one.
  const run = async (db: Db) => (await messages.execute(db.withoutPlugins())).rows;
  return query === undefined ? await inIndexOrder(db, run) : await run(db);
}
