import type pg from "pg";
import { Agent, request } from "undici";
import type { BenchRow } from "../meters/row.ts";
import {
  getRecords,
  onEachPostgres,
  type RecordsBench,
  runSync,
  setRound,
} from "./records-bench.ts";
import { BATCH, makeFloor, RECORDS } from "./records-floor.ts";

const CHANGING_ROUNDS = 3;
/** Of each kind in turn; the best counts. */
const READING_TURNS = 3;

/** Records that functions save and callers read, against plain `pg` on the same database and bytes. */
export async function benchRecords(): Promise<BenchRow[]> {
  return await onEachPostgres(measureSpeed);
}

async function measureSpeed(bench: RecordsBench): Promise<BenchRow[]> {
  const { client } = bench;
  const floor = await makeFloor(client);
  const floorNew = await floor.save(0);
  const floorSame = await floor.save(0);
  const ours = await runSync(bench, "save");
  await client.query("vacuum analyze");
  const disk = await diskPerRecord(client);
  const same = await runSync(bench, "save");
  const floorReads: number[] = [];
  const reads: number[] = [];
  const fed: number[] = [];
  for (let turn = 0; turn < READING_TURNS; turn += 1) {
    floorReads.push(await floor.read());
    reads.push(await readAll(bench));
    fed.push(await readFeed(bench));
  }
  const changed: number[] = [];
  for (let round = 1; round <= CHANGING_ROUNDS; round += 1) {
    await setRound(bench, round);
    changed.push(await runSync(bench, "save"));
    // As autovacuum does within a minute, for which the bench does not wait.
    await client.query("vacuum records");
  }
  const diskChanged = await diskPerRecord(client);
  return [
    speedRow("records saved by a function, new", ours, "a plain batched upsert", floorNew),
    speedRow("records saved, unchanged", same, "the plain upsert of unchanged rows", floorSame),
    speedRow(
      "records saved, a tenth changed",
      Math.min(...changed),
      "the plain upsert of unchanged rows",
      floorSame,
    ),
    speedRow(
      "records read by pages of 1000",
      Math.min(...reads),
      "a keyset read with JSON.stringify",
      Math.min(...floorReads),
    ),
    speedRow(
      "records read by the feed",
      Math.min(...fed),
      "a keyset read with JSON.stringify",
      Math.min(...floorReads),
    ),
    { name: "disk per record of 1 KB", value: disk, unit: "bytes" },
    {
      name: `disk per record after ${CHANGING_ROUNDS} rounds that change a tenth`,
      value: diskChanged,
      unit: "bytes",
      note: "vacuumed after each round",
    },
  ];
}

function speedRow(name: string, ms: number, baseline: string, baselineMs: number): BenchRow {
  return {
    name,
    value: (1000 * RECORDS) / ms,
    unit: "records/s",
    baseline: { name: baseline, value: (1000 * RECORDS) / baselineMs },
    note: `${RECORDS} of 1 KB in batches of ${BATCH}`,
  };
}

/** Milliseconds to read all records of the environment by GET /records/feed. */
async function readFeed({ url, key }: RecordsBench): Promise<number> {
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${key}` };
  await using agent = {
    inner: new Agent(),
    [Symbol.asyncDispose]: async () => await agent.inner.close(),
  };
  const { body } = await request(`${url}/records/feed`, { dispatcher: agent.inner, headers });
  let bytes = 0;
  let tail = "";
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    tail = (tail + chunk.toString("latin1", Math.max(0, chunk.byteLength - 100))).slice(-100);
  }
  if (bytes < RECORDS * 1000 || !tail.includes('{"type":"end"')) {
    throw new Error(`the feed ended after ${bytes} bytes`);
  }
  return performance.now() - startedAt;
}

/** Milliseconds to read the whole model by GET /records. */
async function readAll(bench: RecordsBench): Promise<number> {
  await using agent = {
    inner: new Agent(),
    [Symbol.asyncDispose]: async () => await agent.inner.close(),
  };
  const startedAt = performance.now();
  let cursor: string | undefined;
  let bytes = 0;
  do {
    const page = await getRecords(bench, agent.inner, { model: "Row", cursor });
    bytes += page.bytes;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  if (bytes < RECORDS * 1000) throw new Error(`only ${bytes} bytes were read`);
  return performance.now() - startedAt;
}

/** Table, indexes and what is next to them, per record. */
async function diskPerRecord(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('records')`,
  );
  return rows[0].bytes / RECORDS;
}
