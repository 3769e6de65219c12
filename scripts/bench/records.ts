import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDataFolder, startPlatformProcess } from "@jackfield/simulator";
import pg from "pg";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/embedded-postgres/index.ts";
import { type Call, deployBenchProject } from "./bench-project.ts";
import type { BenchRow } from "./row.ts";

const RECORDS = 20_000;
const BATCH = 1000;

/** Records that a function saves per second, against a plain batched upsert of the same bytes. */
export async function benchRecords(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  const dataDir = folder.path;
  await using postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const key = randomUUID();
  const client = new pg.Client({ connectionString: postgres.connectionString });
  await client.connect();
  const platform = await startPlatformProcess({
    dataDir: join(dataDir, "platform"),
    env: { SVC_BOOTSTRAP_KEY: key, SVC_DATABASE_URL: postgres.connectionString },
  });
  try {
    const call = await deployBenchProject(platform.url, key);
    await client.query(
      "create table floor (model text, id text, payload jsonb, hash bytea, primary key (model, id))",
    );
    const floorNew = await floorRun(client, "new");
    const floorSame = await floorRun(client, "new");
    const ours = await platformRun(call, client);
    const oursSame = await platformRun(call, client);
    return [
      row("records saved by a function, new", ours, "a plain batched upsert", floorNew),
      row("records saved by a function, unchanged", oursSame, "the same upsert again", floorSame),
    ];
  } finally {
    await platform.stop();
    await client.end();
    await postgres.stop();
  }
}

function row(name: string, ms: number, baseline: string, baselineMs: number): BenchRow {
  return {
    name,
    value: (1000 * RECORDS) / ms,
    unit: "records/s",
    baseline: { name: baseline, value: (1000 * RECORDS) / baselineMs },
    note: `${RECORDS} of 1 KB in batches of ${BATCH}`,
  };
}

/** Milliseconds from start to end of the run, by the platform's own rows. */
async function platformRun(call: Call, client: pg.Client): Promise<number> {
  const { rows: before } = await client.query("select count(*)::int as n from runs");
  await call("POST", "/sync/trigger", {
    provider_config_key: "bench",
    connection_id: "bench",
    syncs: ["save"],
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

const UPSERT = `
  insert into floor (model, id, payload, hash)
  select $1, * from unnest($2::text[], $3::jsonb[], $4::bytea[])
  on conflict (model, id) do update set payload = excluded.payload, hash = excluded.hash
  where floor.hash is distinct from excluded.hash`;

async function floorRun(client: pg.Client, model: string): Promise<number> {
  const startedAt = performance.now();
  for (let from = 0; from < RECORDS; from += BATCH) {
    const ids = Array.from({ length: BATCH }, (_, offset) => String(from + offset));
    const payloads = ids.map((id) =>
      JSON.stringify({ id, name: `row ${id}`, text: id.padEnd(960, "lorem ipsum ") }),
    );
    const hashes = payloads.map((text) => createHash("sha256").update(text).digest());
    await client.query({ name: "floor", text: UPSERT, values: [model, ids, payloads, hashes] });
  }
  return performance.now() - startedAt;
}
