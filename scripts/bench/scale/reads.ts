import { type Headers, measure, type Question } from "../lists/lists.ts";
import type { BenchRow } from "../meters/row.ts";
import type { Installation } from "./installation.ts";
import { readsOf } from "./table-facts.ts";

/** Calls of a list, so many that what the server reads for itself meanwhile hardly counts. */
const LISTED = 20;
/** Rows read for one that is answered. */
const MOST_READ = 50;
const READ_WITHIN_MS = 20;

interface Read {
  readonly name: string;
  readonly path: string;
  readonly headers?: Headers;
  /** Default: one thing. */
  readonly answered?: number;
}

/** Reads of one thing: how long they take, and how many rows the database reads for one that is answered. */
export async function measureReads({ client, pool, headers }: Installation): Promise<BenchRow[]> {
  const { rows: operations } = await client.query<{ id: string }>(
    "select id from operations where integration ->> 'name' = 'rare' limit 1",
  );
  const filled = { "connection-id": "c-777", "provider-config-key": "bench" };
  const large = { "connection-id": "real-0", "provider-config-key": "bench" };
  const reads: readonly Read[] = [
    { name: "a connection", path: "/connections/c-777?provider_config_key=bench" },
    { name: "an operation", path: `/logs/operations/${operations[0]?.id}` },
    ...[
      { name: "a page of plain records", model: "Contact", headers: filled },
      { name: "a page of sealed records", model: "Large", headers: large },
    ].map(({ model, ...read }) => ({
      ...{ ...read, path: `/records?model=${model}&limit=20`, answered: 20 },
    })),
    {
      name: "the state of a sync",
      path: "/sync/status?provider_config_key=bench&connection_id=c-777&syncs=contacts",
    },
  ];
  const rows: BenchRow[] = [];
  for (const { name, path, headers: more = {}, answered = 1 } of reads) {
    const all = { ...headers, ...more };
    const [times] = await measure(pool, all, [path]);
    if (times === undefined) continue;
    const read = await readsOf(client, async () => {
      await (await pool.request({ method: "GET", path, headers: all })).body.text();
    });
    const note = `median ${times.median.toFixed(1)} ms`;
    const bar = { most: READ_WITHIN_MS };
    rows.push({ name: `scale: ${name}, p95`, value: times.p95, unit: "ms", note, bar });
    rows.push({
      ...{ name: `scale: rows read for one of ${name}`, value: read / answered, unit: "rows" },
      bar: { most: MOST_READ },
    });
  }
  return rows;
}

/** How many rows the database reads for one that a list answers: of those lists that read many, and the most of others. */
export async function measureListReads(
  { client, pool }: Installation,
  asked: readonly (Question & { readonly headers: Headers })[],
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { name, path, headers } of asked) {
    let answered: number | undefined;
    const read = await readsOf(
      client,
      async () => {
        const answer = await pool.request({ method: "GET", path, headers });
        answered = countItems(await answer.body.json());
      },
      LISTED,
    );
    const note = `${read.toFixed(0)} rows read, ${answered ?? "no list"} answered`;
    const value = read / (answered || 1);
    rows.push({
      ...{ name: `scale: rows read for one of ${name}`, value, unit: "rows", note },
      // Where nothing matches, and of what is no list, the quotient means nothing.
      ...(answered ? { bar: { most: MOST_READ } } : {}),
    });
  }
  const few = rows.filter(({ value }) => value <= MOST_READ);
  const most = few.reduce((sum, { value }) => Math.max(sum, value), 0);
  return [
    {
      name: "scale: lists that read few rows, the most for one that is answered",
      ...{ value: most, unit: "rows", note: `${few.length} of ${rows.length} lists` },
    },
    ...rows.filter((row) => !few.includes(row)),
  ];
}

/** Items of a list's answer; undefined of what is none. */
function countItems(answer: unknown): number | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  return Object.values(answer).find((value) => Array.isArray(value))?.length;
}
