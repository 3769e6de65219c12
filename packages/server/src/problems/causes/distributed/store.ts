import { type RawBuilder, sql } from "kysely";
import { addMs, DAY, type EnvironmentId, SECOND } from "#foundation";
import { type Db, WorkerAway, withTimeout } from "#foundation/db";
import { environmentsWith, latestOf } from "../one/store.ts";

/** Rows that something is wrong with, of tables that may lie on other servers than all else: no statement joins the two. */
interface Source {
  /** Columns and their types. */
  readonly columns: string;
  /** Of problems that are found by them. */
  readonly kinds: readonly string[];
  /** What a row is known by within its environment, and the types of these columns. */
  readonly key: readonly (readonly [column: string, type: string])[];
  /** Of all environments. */
  rowsAt(now: Date): RawBuilder<unknown>;
  /** The same with a bound for each environment; a cluster refuses such statements. */
  boundedAt?(now: Date): RawBuilder<unknown>;
  /** The same with that bound, in pages, where tables are distributed; default: pages of `rowsAt`. */
  readonly readPages?: (db: Db, from: From) => Promise<SourcePages>;
}

interface From {
  readonly now: Date;
  /** The environment that was read last. */
  readonly after: string | null;
}

/** Models of an environment that are read of each kind; and rows of one page where tables are distributed. */
const MOST_OF_ENVIRONMENT = 1000;

const refusalColumns = sql.raw(
  `environment_id, connection_uuid, model, refused_deletes, live_count,
   coalesce(refused_at, last_modified_at) as refused_at`,
);
const quarantineColumns = sql.raw(
  "environment_id, connection_uuid, model, quarantined, quarantined_since",
);

/** Where tables are not distributed: those that are read lie in the order of an index. */
function modelsWith(condition: string, columns: RawBuilder<unknown>) {
  return sql`
      select bounded.* from ${environmentsWith("record_models", condition, "id desc")} en
       cross join lateral (
         select ${columns} from record_models where environment_id = en.id and ${sql.raw(condition)}
          order by environment_id, id desc limit ${MOST_OF_ENVIRONMENT}) bounded`;
}

/** Failed webhooks of an environment that are counted; and those of one page where tables are distributed. */
const MOST_COUNTED = 10_000;

/** Where tables are not distributed: the newest of each environment, by integration. */
function failedWebhooks(now: Date) {
  return sql`
      select bounded.* from ${environmentsWith("inbound_webhooks", "state = 'failed'", "received_at desc, id desc")} en
       cross join lateral (
         select environment_id, integration_id, min(received_at) as since, max(received_at) as last_at,
                count(*) as count, ${sql.raw(latestOf("error", "received_at"))} as error
           from (
             select environment_id, integration_id, received_at, error from inbound_webhooks
              where environment_id = en.id and state = 'failed' and received_at >= ${addMs(now, -DAY)}
              order by received_at desc, id desc limit ${MOST_COUNTED}) failed
          group by environment_id, integration_id) bounded`;
}

interface FailedWebhook {
  readonly environment_id: string;
  readonly integration_id: number;
  readonly received_at: Date;
  readonly error: string | null;
}

/**
 * The same from pages, each counted by the newest of an environment: a cluster refuses a bound for each environment in
 * one statement. An environment that a page has cut off is read again by the next; one that fills a page is counted so far.
 */
async function countFailedWebhooks(db: Db, { now, after }: From): Promise<SourcePages> {
  const counted: SourceRow[] = [];
  let until = after;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { rows } = await sql<FailedWebhook>`
      select environment_id, integration_id, received_at, error from inbound_webhooks
       where state = 'failed' and received_at >= ${addMs(now, -DAY)}
         and ${until === null ? sql`true` : sql`environment_id > ${until}::uuid`}
       order by environment_id, received_at desc, id desc limit ${MOST_COUNTED}`.execute(
      db.withoutPlugins(),
    );
    const last = rows.at(-1)?.environment_id;
    const isFull = rows.length === MOST_COUNTED;
    const isCut = isFull && rows[0]?.environment_id !== last;
    const whole = isCut ? rows.filter((row) => row.environment_id !== last) : rows;
    counted.push(...countByIntegration(whole));
    if (!isFull) return { rows: counted, until: null };
    until = whole.at(-1)?.environment_id ?? null;
  }
  return { rows: counted, until };
}

function keyOfFailed({ environment_id, integration_id }: FailedWebhook): string {
  return `${environment_id} ${integration_id}`;
}

/** Of webhooks of which the newest of an environment comes first. */
function countByIntegration(failed: readonly FailedWebhook[]): SourceRow[] {
  return [...Map.groupBy(failed, keyOfFailed).values()].flatMap((each) => {
    const [newest, oldest] = [each[0], each.at(-1)];
    if (newest === undefined || oldest === undefined) return [];
    const { environment_id, integration_id, received_at: last_at, error } = newest;
    const since = oldest.received_at;
    return [{ environment_id, integration_id, since, last_at, count: each.length, error }];
  });
}

export type SourceName = "refusals" | "quarantines" | "receivers" | "failedWebhooks";

const sources: Readonly<Record<SourceName, Source>> = {
  refusals: {
    columns: `environment_id uuid, connection_uuid uuid, model text, refused_deletes int8, live_count int8,
      refused_at timestamptz`,
    kinds: ["delete_guard"],
    key: [
      ["connection_uuid", "uuid"],
      ["model", "text"],
    ],
    rowsAt: () => sql`
      select ${refusalColumns} from record_models where refused_deletes is not null`,
    boundedAt: () => modelsWith("refused_deletes is not null", refusalColumns),
  },
  quarantines: {
    columns: `environment_id uuid, connection_uuid uuid, model text, quarantined int8, quarantined_since timestamptz`,
    kinds: ["records_quarantined"],
    key: [
      ["connection_uuid", "uuid"],
      ["model", "text"],
    ],
    rowsAt: () => sql`select ${quarantineColumns} from record_models where quarantined > 0`,
    boundedAt: () => modelsWith("quarantined > 0", quarantineColumns),
  },
  receivers: {
    columns: `environment_id uuid, url text, failing_since timestamptz, disabled_at timestamptz, next_at timestamptz`,
    kinds: ["receiver_failing", "receiver_disabled"],
    key: [["url", "text"]],
    rowsAt: () => sql`
      select r.environment_id, r.url, r.failing_since, r.disabled_at, due.at as next_at
        from webhook_receivers r
        left join lateral (
          select min(next_attempt_at) as at from delivery_turns t
           where t.environment_id = r.environment_id and t.receiver_id = r.id and t.next_attempt_at > '-infinity'
             and r.disabled_at is null) due on true
       where r.failing_since is not null`,
  },
  failedWebhooks: {
    columns: `environment_id uuid, integration_id int8, since timestamptz, last_at timestamptz, count int8, error text`,
    kinds: ["inbox_failed"],
    key: [["integration_id", "int8"]],
    rowsAt: failedWebhooks,
    readPages: countFailedWebhooks,
  },
};

/** Rows of each source that were read before, as JSON. */
export type ReadSources = Readonly<Partial<Record<SourceName, string>>>;

/** Where a cause finds its rows: in the tables, or in what was read of them. */
export function sourceOf(
  name: SourceName,
  now: Date,
  read: ReadSources | undefined,
): RawBuilder<unknown> {
  const { columns, rowsAt, boundedAt = rowsAt } = sources[name];
  // Read once, in any order that the rest is joined in.
  if (read === undefined) {
    return sql`(with source as materialized (${boundedAt(now)}) select * from source)`;
  }
  return sql`(select * from jsonb_to_recordset(${read[name] ?? "[]"}::jsonb) as s (${sql.raw(columns)}))`;
}

/** Of a source no more is read than so many pages: what comes of them is in memory. */
const MOST_PAGES = 50;
const ANSWERED_WITHIN_MS = 3 * SECOND;

export interface ReadCauses {
  readonly sources: ReadSources;
  /** Kinds of problems that nothing is known of now, since a server did not answer. */
  readonly unknownKinds: readonly string[];
  /** Sources that were read of some environments only. */
  readonly read: readonly ReadRange[];
}

/** Which environments a source was read of, where its pages did not suffice for all. */
export interface ReadRange {
  readonly name: SourceName;
  readonly kinds: readonly string[];
  /** The last environment before those that were read; null where they are the first ones. */
  readonly after: string | null;
  /** The last one that was read; null where nothing is left behind it. */
  readonly until: string | null;
}

/** Where the next sweep begins to read a source: after this environment. */
export type SourcePositions = ReadonlyMap<SourceName, string>;

/** Those of the next sweep: it reads what this one did not reach, and then begins again. */
export function positionsAfter(read: readonly ReadRange[]): SourcePositions {
  return new Map(read.flatMap(({ name, until }) => (until === null ? [] : [[name, until]])));
}

/** What a sweep has to do without: a server of it is away, or does not answer. */
export class PartAway extends Error {
  override name = "PartAway";
  readonly part: SourceName | { readonly environmentId: EnvironmentId };

  constructor(part: PartAway["part"], cause: WorkerAway) {
    super(cause.message, { cause });
    this.part = part;
  }
}

/** Reads the sources in the sweep's transaction, but those that are `left`. Throws `PartAway`. */
export async function readSources(
  db: Db,
  now: Date,
  left: ReadonlySet<PartAway["part"]>,
  positions: SourcePositions = new Map(),
): Promise<ReadCauses> {
  const read: Partial<Record<SourceName, string>> = {};
  const ranges: ReadRange[] = [];
  for (const name of sourceNames.filter((name) => !left.has(name))) {
    try {
      const after = positions.get(name) ?? null;
      const { rows, until } = await withTimeout(
        db,
        ANSWERED_WITHIN_MS,
        async () => await readPages(db, sources[name], { now, after }),
      );
      read[name] = JSON.stringify(rows);
      if (after !== null || until !== null) {
        ranges.push({ name, kinds: sources[name].kinds, after, until });
      }
    } catch (error) {
      throw error instanceof WorkerAway ? new PartAway(name, error) : error;
    }
  }
  const unread = sourceNames.filter((name) => left.has(name));
  const unknownKinds = unread.flatMap((name) => sources[name].kinds);
  return { sources: read, unknownKinds, read: ranges };
}

const sourceNames = ["refusals", "quarantines", "receivers", "failedWebhooks"] as const;

type SourceRow = Readonly<Record<string, unknown>> & { readonly environment_id: string };

interface SourcePages {
  readonly rows: readonly SourceRow[];
  /** The last environment that was read, where there are more. */
  readonly until: string | null;
}

/**
 * In the order of environments; of one that fills a page alone the rest is passed over, so that it leaves room for others.
 * Where the pages do not suffice, the next sweep continues.
 */
async function readPages(db: Db, source: Source, { now, after }: From): Promise<SourcePages> {
  if (source.readPages !== undefined) return await source.readPages(db, { now, after });
  const read: SourceRow[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { rows } = await pageQuery(source, { now, after, read }).execute(db.withoutPlugins());
    read.push(...rows);
    if (rows.length < MOST_OF_ENVIRONMENT) return { rows: read, until: null };
  }
  return { rows: read, until: read.at(-1)?.environment_id ?? null };
}

function pageQuery(
  { key, rowsAt }: Source,
  { now, after, read }: { now: Date; after: string | null; read: readonly SourceRow[] },
) {
  const last = read.at(-1) ?? (after === null ? undefined : { environment_id: after });
  const fills = last?.environment_id === read.at(-MOST_OF_ENVIRONMENT)?.environment_id;
  const position = [
    ["environment_id", "uuid"] as const,
    ...(fills || read.length === 0 ? [] : key),
  ];
  const columns = sql.join(position.map(([column]) => sql.ref(column)));
  const values = position.map(([column, type]) => sql`${last?.[column]}::${sql.raw(type)}`);
  const behind = last === undefined ? sql`true` : sql`(${columns}) > (${sql.join(values)})`;
  const order = sql.join(
    ["environment_id", ...key.map(([column]) => column)].map((c) => sql.ref(c)),
  );
  return sql<SourceRow>`
    select * from (${rowsAt(now)}) s where ${behind} order by ${order} limit ${MOST_OF_ENVIRONMENT}`;
}
