import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDataFolder, startPlatformProcess } from "@jackfield/simulator";
import pg from "pg";
import { Agent, request } from "undici";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/embedded-postgres/index.ts";
import { administer, withDatabase } from "../../packages/server/src/platform/testing/administer.ts";
import { type Call, deployBenchProject } from "./bench-project.ts";
import { readMemoryMb } from "./read-memory.ts";
import { BATCH, type Floor, makeFloor, RECORDS } from "./records-floor.ts";
import type { BenchRow } from "./row.ts";

const CHANGING_ROUNDS = 3;
/** Of each kind in turn; the best counts. */
const READING_TURNS = 3;

/** Records that functions save and callers read, against plain `pg` on the same database and bytes. */
export async function benchRecords(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  const rows = await (async () => {
    await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
    const measured = await measure(folder.path, postgres.connectionString, "embedded");
    await postgres.stop();
    return measured;
  })();
  // biome-ignore lint/style/noProcessEnv: a server of the operator's choice beside the embedded one
  const external = process.env["TEST_DATABASE_URL"];
  if (external === undefined) return rows;
  const name = `jackfield_bench_${randomUUID().replaceAll("-", "")}`;
  await administer(external, `create database ${name}`);
  try {
    const url = withDatabase(external, name);
    return [...rows, ...(await measure(join(folder.path, "external"), url, "external"))];
  } finally {
    await administer(external, `drop database ${name} with (force)`);
  }
}

interface Bench {
  readonly url: string;
  readonly key: string;
  readonly client: pg.Client;
  readonly call: Call;
  readonly processId: number;
}

async function measure(dataDir: string, databaseUrl: string, label: string): Promise<BenchRow[]> {
  const key = randomUUID();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const platform = await startPlatformProcess({
    dataDir: join(dataDir, "platform"),
    env: { SVC_BOOTSTRAP_KEY: key, SVC_DATABASE_URL: databaseUrl },
  });
  try {
    const call = await deployBenchProject(platform.url, key);
    const bench = { url: platform.url, key, client, call, processId: platform.processId };
    const speed = await measureSpeed(bench, await makeFloor(client));
    return [...speed, ...(await measureLarge(bench))].map((row) => ({
      ...row,
      name: `${row.name}, ${label} Postgres`,
    }));
  } finally {
    await platform.stop();
    await client.end();
  }
}

async function measureSpeed(bench: Bench, floor: Floor): Promise<BenchRow[]> {
  const { client } = bench;
  const floorNew = await floor.save(0);
  const floorSame = await floor.save(0);
  const ours = await runSync(bench, "save");
  await client.query("vacuum analyze");
  const disk = await diskPerRecord(client);
  const same = await runSync(bench, "save");
  const floorReads: number[] = [];
  const reads: number[] = [];
  for (let turn = 0; turn < READING_TURNS; turn += 1) {
    floorReads.push(await floor.read());
    reads.push(await readAll(bench));
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

/** The functions' records depend on it. */
async function setRound({ call }: Bench, round: number): Promise<void> {
  await call("POST", "/connections/metadata", {
    connection_id: "bench",
    provider_config_key: "bench",
    metadata: { round },
  });
}

/** Milliseconds from start to end of the run, by the platform's own rows. */
async function runSync({ call, client }: Bench, sync: string): Promise<number> {
  const { rows: before } = await client.query("select count(*)::int as n from runs");
  await call("POST", "/sync/trigger", {
    provider_config_key: "bench",
    connection_id: "bench",
    syncs: [sync],
  });
  for (;;) {
    const { rows } = await client.query(
      `select state, error, extract(epoch from ended_at - started_at)::float8 * 1000 as ms
         from runs order by created_at desc limit 1`,
    );
    const { rows: now } = await client.query("select count(*)::int as n from runs");
    if (now[0].n > before[0].n && rows[0].state === "success") return rows[0].ms;
    if (rows[0]?.state === "failed") throw new Error(JSON.stringify(rows[0].error));
    await sleep(50);
  }
}

/** Milliseconds to read the whole model by GET /records. */
async function readAll(bench: Bench): Promise<number> {
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

async function getRecords(
  { url, key }: Bench,
  dispatcher: Agent,
  { model, cursor }: { model: string; cursor: string | undefined },
): Promise<{ bytes: number; nextCursor: string | undefined }> {
  const query = new URLSearchParams({ model, limit: String(BATCH) });
  if (cursor !== undefined) query.set("cursor", cursor);
  const response = await request(`${url}/records?${query}`, {
    dispatcher,
    headers: {
      authorization: `Bearer ${key}`,
      "connection-id": "bench",
      "provider-config-key": "bench",
    },
  });
  const body = Buffer.from(await response.body.arrayBuffer());
  if (response.statusCode !== 200) throw new Error(body.toString("utf8", 0, 1000));
  const tail = body.toString("latin1", Math.max(0, body.byteLength - 100));
  return { bytes: body.byteLength, nextCursor: /"next_cursor":"([^"]+)"\}$/.exec(tail)?.[1] };
}

/** Table, indexes and what is beside them, per record. */
async function diskPerRecord(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('records')`,
  );
  return rows[0].bytes / RECORDS;
}

const LARGE_TURNS = 3;

/**
 * Memory that the platform takes on while records of 5 MB are saved and, apart from that, read; each is done
 * three times over, and what the last time adds to the peak shows whether it grows with their number.
 */
async function measureLarge(bench: Bench): Promise<BenchRow[]> {
  return [
    await measureLargeTurns(bench, "saving", async (turn) => {
      await setRound(bench, turn + CHANGING_ROUNDS + 1);
      await runSync(bench, "save-large");
    }),
    await measureLargeTurns(bench, "reading", async () => await readLarge(bench)),
  ];
}

async function measureLargeTurns(
  { processId }: Bench,
  verb: string,
  take: (turn: number) => Promise<void>,
): Promise<BenchRow> {
  const before = readMemoryMb(processId).peak;
  const peaks = [before];
  for (let turn = 0; turn < LARGE_TURNS; turn += 1) {
    await take(turn);
    peaks.push(readMemoryMb(processId).peak);
  }
  const gains = peaks.slice(1).map((peak, index) => Math.round(peak - (peaks[index] ?? peak)));
  return {
    name: `peak memory gained by ${verb} records of 5 MB`,
    value: (peaks.at(-1) ?? before) - before,
    unit: "MB",
    note: `${LARGE_TURNS} times 150 MB: ${gains.join(", ")} MB; peak before ${Math.round(before)} MB`,
  };
}

async function readLarge(bench: Bench): Promise<void> {
  await using agent = {
    inner: new Agent(),
    [Symbol.asyncDispose]: async () => await agent.inner.close(),
  };
  let cursor: string | undefined;
  do {
    const page = await getRecords(bench, agent.inner, { model: "Large", cursor });
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
