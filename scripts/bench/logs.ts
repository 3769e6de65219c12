import { randomUUID } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import * as z from "zod";
import { createDays } from "../../packages/server/src/foundation/db/day-partitions/index.ts";
import {
  type Db,
  MOST_SCANNED,
  openDatabase,
} from "../../packages/server/src/foundation/db/index.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/foundation/embedded-postgres/index.ts";
import type { EnvironmentId } from "../../packages/server/src/foundation/ids.ts";
import { logTables } from "../../packages/server/src/logs/ensure-log-partitions.ts";
import {
  listQuery,
  type RangePage,
  searchQuery,
  toPhrase,
} from "../../packages/server/src/logs/reading/store.ts";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../tests/launcher/platform-process.ts";
import { type BenchRow, median } from "./meters/row.ts";

const DAYS = 10;
const OPERATIONS = 500_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const ROUNDS = 11;

/** Questions to a busy environment's logs, and the index by which the database answers each (EXPLAIN). */
export async function benchLogs(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: join(folder.path, "platform"),
    env: { SVC_BOOTSTRAP_KEY: key, SVC_DATABASE_URL: postgres.connectionString, SVC_ROLES: "api" },
  });
  await using database = openDatabase({
    connectionString: postgres.connectionString,
    maxConnections: 2,
    pooled: false,
    onError: () => {},
  });
  const { db } = database;
  const client = new pg.Client({ connectionString: postgres.connectionString });
  await client.connect();
  const { rows: environments } = await client.query("select id from environments limit 1");
  const environmentId: EnvironmentId = environments[0]?.id;
  const end = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  const start = new Date(end.getTime() - DAYS * DAY_MS);
  try {
    const rows = [await fill({ db, client }, environmentId, start)];
    for (const question of await questions(db, environmentId, { start, end })) {
      rows.push(await ask({ db, client }, question));
    }
    for (const search of searches) rows.push(await searchFor(platform.url, key, search));
    return rows;
  } finally {
    await platform.stop();
    await client.end();
  }
}

interface Connections {
  readonly db: Db;
  readonly client: pg.Client;
}

/** One environment's operations and as many messages, among a tenth of other environments'. */
async function fill(
  { db, client }: Connections,
  environmentId: EnvironmentId,
  start: Date,
): Promise<BenchRow> {
  const days = Array.from({ length: DAYS }, (_, day) =>
    new Date(start.getTime() + day * DAY_MS).toISOString().slice(0, 10),
  );
  for (const table of logTables) await createDays(db, table, days);
  const insert = `
    insert into operations (id, environment_id, type, action, state, level, message, integration, connection, error,
      created_at, started_at, ended_at)
    select gen_random_uuid(), case when n % 11 = 0 then gen_random_uuid() else $1::uuid end,
      'proxy', 'call', case when n % 97 = 0 then 'failed' else 'success' end, 'info',
      'GET /v1/contacts/' || n || case when n = 150000 then ' zebra' else '' end
        || case when n % 10 = 0 then ' tenth' else '' end || case when n % 100 = 0 then ' hundredth' else '' end
        || case when n % 1000 = 0 then ' thousandth' else '' end,
      '{"id":1,"name":"crm","provider":"p"}', jsonb_build_object('id', n % 500, 'name', 'customer-' || n % 500),
      case when n % 97 = 0 then '{"type":"upstream_timeout","message":"no answer in time"}'::jsonb end,
      $2::timestamptz + n * interval '1 day' * ${DAYS} / ${OPERATIONS}, now(), now()
    from generate_series(0, ${OPERATIONS - 1}::int) n`;
  const startedAt = performance.now();
  await client.query(insert, [environmentId, start]);
  const ms = performance.now() - startedAt;
  await client.query(`
    insert into operation_messages (id, operation_id, environment_id, source, level, type, message, created_at)
    select gen_random_uuid(), id, environment_id, 'user', 'info', 'log',
      'page ' || (random() * 1000)::int || ' of contacts was read', created_at from operations`);
  await client.query("vacuum analyze operations");
  await client.query("vacuum analyze operation_messages");
  return {
    name: "operations written, in one statement",
    value: (1000 * OPERATIONS) / ms,
    unit: "rows/s",
    note: `${OPERATIONS} over ${DAYS} days, with all indexes`,
  };
}

interface Search {
  readonly name: string;
  readonly query: string;
}

const searches: readonly Search[] = [
  { name: "a word of every operation", query: "search=contacts" },
  { name: "a word of every message", query: "search=read" },
  { name: "a word of one in ten", query: "search=tenth" },
  { name: "a word of one in a hundred", query: "search=hundredth" },
  { name: "a word of one in a thousand", query: "search=thousandth" },
  { name: "a word of one operation", query: "search=zebra" },
  { name: "a word of none", query: "search=giraffe" },
  {
    name: "a word of every operation, of those that failed",
    query: "search=contacts&states=failed",
  },
  {
    name: "a word of every operation, of one connection",
    query: "search=contacts&connections=customer-7",
  },
  {
    name: "a word of every operation, where no operation fits",
    query: "search=contacts&levels=error",
  },
];

const foundPage = z.object({ data: z.array(z.unknown()) });

/** A page of what a search finds in all that is kept, by the API. */
async function searchFor(url: string, key: string, { name, query }: Search): Promise<BenchRow> {
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/logs/operations?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = foundPage.parse(await answer.json());
    times.push(performance.now() - startedAt);
    found = data.length;
  }
  return {
    name: `logs: searched for ${name}`,
    value: median(times),
    unit: "ms",
    note: `${found} on the first page, slowest ${Math.max(...times).toFixed(0)} ms`,
  };
}

interface Question {
  readonly name: string;
  readonly query: ReturnType<typeof listQuery>;
}

async function questions(
  db: Db,
  environmentId: EnvironmentId,
  { start, end }: { start: Date; end: Date },
): Promise<Question[]> {
  const page: RangePage = {
    ...{ filter: {}, only: undefined, mostScanned: MOST_SCANNED },
    ...{ from: start, to: end, after: undefined, limit: 101 },
  };
  const of = (part: Partial<RangePage>) => listQuery(environmentId, { ...page, ...part });
  const middle = new Date(start.getTime() + (DAYS / 2) * DAY_MS);
  const search = async (text: string) => {
    const phrase = (await toPhrase(db, text)) ?? "";
    const day = { ...page, from: middle, to: new Date(middle.getTime() + DAY_MS) };
    return searchQuery(environmentId, { ...day, phrase, messagesTo: end });
  };
  return [
    { name: "the newest", query: of({}) },
    {
      name: "a page in the middle",
      query: listQuery(environmentId, { ...page, after: { createdAt: middle, id: randomUUID() } }),
    },
    { name: "of one connection", query: of({ only: { part: "connection", name: "customer-7" } }) },
    { name: "those that failed", query: of({ filter: { states: ["failed"] } }) },
    { name: "one day searched for a rare word", query: await search("zebra") },
    { name: "one day searched for a frequent phrase", query: await search("no answer in time") },
  ];
}

async function ask({ db, client }: Connections, { name, query }: Question): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await query.execute(db.withoutPlugins());
    times.push(performance.now() - startedAt);
  }
  const { sql, parameters } = query.compile(db.withoutPlugins());
  const plan = await client.query(`explain (analyze, costs off) ${sql}`, [...parameters]);
  const lines = plan.rows.map((row) => String(row["QUERY PLAN"]));
  const used = lines.flatMap((line) => {
    const match = /(?:using|Index Scan on) (\w+?)(?: on| {1,2}\(|$)/.exec(line.trim());
    return match === null || line.includes("never executed") ? [] : [match[1] ?? ""];
  });
  const scanned = lines.some((line) => /Seq Scan on operation/.test(line) && !/never/.test(line));
  const indexes = [...new Set(used.map((index) => index.replace(/_\d{8}/, "")))].join(", ");
  return {
    name: `logs: ${name}`,
    value: median(times),
    unit: "ms",
    note: `${scanned ? "scans a table; " : ""}${indexes}`,
  };
}
