import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import type { Headers } from "../lists/lists.ts";
import type { BenchRow } from "../meters/row.ts";
import type { Installation } from "./installation.ts";

const PROBED_EVERY_MS = 10;
const LONGEST_CALL_MS = 250;

/** An end user goes, whose names are looked for in all operations. */
export async function eraseEndUser({ client, pool, headers }: Installation): Promise<BenchRow[]> {
  const startedAt = performance.now();
  await send(pool, headers, "/end-users/u1001");
  await waitFor(async () => {
    const { rows } = await client.query("select from erasures where ended_at is null");
    return rows.length === 0;
  });
  return [
    {
      name: "scale: erasure of an end user",
      value: (performance.now() - startedAt) / 1000,
      unit: "s",
    },
  ];
}

/** A connection with a million records goes; meanwhile others are called. */
export async function deleteLarge(
  { url, client, pool, headers }: Installation,
  records: number,
): Promise<BenchRow[]> {
  const { rows: models } = await client.query<{ id: string }>(
    "select id from record_models where model = 'Large'",
  );
  const times: number[] = [];
  const gone = new AbortController();
  const probing = (async () => {
    while (!gone.signal.aborted) {
      const startedAt = performance.now();
      const path = "/connections/real-2?provider_config_key=bench";
      await (await pool.request({ method: "GET", path, headers })).body.text();
      times.push(performance.now() - startedAt);
      await sleep(PROBED_EVERY_MS);
    }
  })();
  const startedAt = performance.now();
  // Its own, so that no call of the others waits for the deletion's answer.
  const own = new Pool(url, { connections: 1 });
  await send(own, headers, "/connections/real-0?provider_config_key=bench");
  await own.close();
  const answeredMs = performance.now() - startedAt;
  await waitFor(async () => {
    const { rows } = await client.query(
      "select from records where model_id = any($1::bigint[]) limit 1",
      [models.map(({ id }) => id)],
    );
    return rows.length === 0;
  });
  const goneMs = performance.now() - startedAt;
  gone.abort();
  await probing;
  return [
    { name: "scale: deletion of a connection, answered", value: answeredMs, unit: "ms" },
    {
      name: `scale: its ${records.toLocaleString("en")} records are gone`,
      value: goneMs / 1000,
      unit: "s",
    },
    {
      ...{ name: "scale: longest call of others meanwhile", value: Math.max(...times), unit: "ms" },
      bar: { most: LONGEST_CALL_MS },
    },
  ];
}

async function send(pool: Pool, headers: Headers, path: string): Promise<void> {
  const answer = await pool.request({ method: "DELETE", path, headers });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`DELETE ${path}: ${text}`);
}

async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 600_000;
  while (!(await isDone())) {
    if (performance.now() > until) throw new Error("not done within ten minutes");
    await sleep(100);
  }
}
