import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Agent, request } from "undici";
import { startEmbeddedPostgres } from "../../../packages/server/src/foundation/embedded-postgres/index.ts";
import {
  administer,
  withDatabase,
} from "../../../packages/server/src/foundation/testing/administer.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { type Call, deployBenchProject } from "../bench-project.ts";
import type { BenchRow } from "../meters/row.ts";
import { BATCH } from "./records-floor.ts";

/** A server with the bench's functions, and its database. */
export interface RecordsBench {
  readonly url: string;
  readonly key: string;
  readonly client: pg.Client;
  readonly call: Call;
  readonly processId: number;
}

type Measure = (bench: RecordsBench) => Promise<BenchRow[]>;

/** The rows on the embedded Postgres, and on that of TEST_DATABASE_URL if it is set. */
export async function onEachPostgres(measure: Measure): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  const rows = await (async () => {
    await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
    const measured = await runOn(folder.path, postgres.connectionString, measure);
    await postgres.stop();
    return nameAfter("embedded", measured);
  })();
  // biome-ignore lint/style/noProcessEnv: a server of the operator's choice next to the embedded one
  const external = process.env["TEST_DATABASE_URL"];
  if (external === undefined) return rows;
  const name = `jackfield_bench_${randomUUID().replaceAll("-", "")}`;
  await administer(external, `create database ${name}`);
  try {
    const url = withDatabase(external, name);
    const measured = await runOn(join(folder.path, "external"), url, measure);
    return [...rows, ...nameAfter("external", measured)];
  } finally {
    await administer(external, `drop database ${name} with (force)`);
  }
}

function nameAfter(label: string, rows: readonly BenchRow[]): BenchRow[] {
  return rows.map((row) => ({ ...row, name: `${row.name}, ${label} Postgres` }));
}

async function runOn(dataDir: string, databaseUrl: string, measure: Measure): Promise<BenchRow[]> {
  const key = randomUUID();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const platform = await startPlatformProcess({
    dataDir: join(dataDir, "platform"),
    env: { SVC_BOOTSTRAP_KEY: key, SVC_DATABASE_URL: databaseUrl },
  });
  try {
    const call = await deployBenchProject(platform.url, key);
    return await measure({ url: platform.url, key, client, call, processId: platform.processId });
  } finally {
    await platform.stop();
    await client.end();
  }
}

/** The functions' records depend on it. */
export async function setRound({ call }: RecordsBench, round: number): Promise<void> {
  await call("POST", "/connections/metadata", {
    connection_id: "bench",
    provider_config_key: "bench",
    metadata: { round },
  });
}

/** Milliseconds from start to end of the run, by the server's own rows. */
export async function runSync({ call, client }: RecordsBench, sync: string): Promise<number> {
  const { rows: before } = await client.query("select count(*)::int as n from runs");
  await call("POST", "/sync/trigger", {
    provider_config_key: "bench",
    connection_id: "bench",
    syncs: [sync],
  });
  for (;;) {
    const { rows } = await client.query(
      `select state, error, extract(epoch from ended_at - started_at)::float8 * 1000 as ms,
              (select count(*)::int from runs) as n
         from runs order by created_at desc limit 1`,
    );
    const [last] = rows;
    if (last?.n > before[0].n && last.state === "success") return last.ms;
    if (last?.state === "failed") throw new Error(JSON.stringify(last.error));
    await sleep(50);
  }
}

/** A page of a model by GET /records. */
export async function getRecords(
  { url, key }: RecordsBench,
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
  if (response.statusCode !== 200) throw new Error(await response.body.text());
  let bytes = 0;
  let tail = "";
  // Counted and let go: what a reader does with records is not measured.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    tail = (tail + chunk.toString("latin1", Math.max(0, chunk.byteLength - 100))).slice(-100);
  }
  return { bytes, nextCursor: /"next_cursor":"([^"]+)"\}$/.exec(tail)?.[1] };
}
