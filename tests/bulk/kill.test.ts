import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import { rolesOf } from "../launcher/start-roles.ts";

const CHOSEN = 60;
const OTHERS = 5;
const BEFORE_KILL = 24;
const GATE = 4711;

/** Notes each deletion in its transaction; those after the first few wait for the gate, within the transaction. */
const watchDeletions = `
  create table seen_deletions (connection_id text not null);
  create function note_deletion() returns trigger language plpgsql as $$
  begin
    if (select count(*) from seen_deletions) >= ${BEFORE_KILL} then
      perform pg_advisory_xact_lock_shared(${GATE});
    end if;
    insert into seen_deletions values (new.connection_id);
    return new;
  end $$;
  create trigger note_deletion before update on connections for each row
    when (old.deleted_at is null and new.deleted_at is not null) execute function note_deletion()`;

test("a job whose worker is killed in the middle is finished by the next one, each connection once", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const start = rolesOf({
    ...{ databaseUrl: database.connectionString, folder: folder.path, key },
    env: { SVC_WORKER_TIMEOUT: "2" },
  });
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  const ask = async (statement: string): Promise<number> =>
    (await client.query<{ count: number }>(statement)).rows[0]?.count ?? 0;
  const processes: PlatformProcess[] = [];
  try {
    const first = await start("api");
    processes.push(first);
    const api = apiOf(first.url, key);
    await api("POST", "/integrations", {
      body: { provider: "private-api-bearer", unique_key: "crm" },
    });
    const connect = async (connectionId: string, team: string) =>
      await api("POST", "/connections", {
        body: {
          ...{ provider_config_key: "crm", connection_id: connectionId, tags: { team } },
          credentials: { type: "API_KEY", apiKey: "k" },
        },
      });
    const made = await Promise.all([
      ...Array.from({ length: CHOSEN }, (_, n) => connect(`sales-${n}`, "sales")),
      ...Array.from({ length: OTHERS }, (_, n) => connect(`care-${n}`, "care")),
    ]);
    await client.query(watchDeletions);
    await client.query("select pg_advisory_lock($1)", [GATE]);
    const begun = await api("POST", "/bulk", {
      body: { action: "connections:delete", filter: { tags: { team: "sales" } } },
    });
    const look = async () => (await api("GET", `/bulk/${begun.body.data.job.id}`)).body.data;

    const worker = await start("worker");
    processes.push(worker);
    const waiting =
      "select count(*)::int from pg_locks where locktype = 'advisory' and not granted";
    await expect
      .poll(async () => await ask(`${waiting} and objid = ${GATE}`), { timeout: 20_000 })
      .toBeGreaterThan(0);
    await worker.kill();
    const interrupted = await look();
    await client.query("select pg_advisory_unlock($1)", [GATE]);
    processes.push(await start("worker"));
    await expect.poll(look, { timeout: 30_000 }).toMatchObject({ state: "done" });

    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    expect(interrupted.state).toBe("running");
    expect(interrupted.done).toBeGreaterThan(0);
    expect(interrupted.done).toBeLessThan(CHOSEN);
    expect(await look()).toMatchObject({ matched: CHOSEN, done: CHOSEN, failed: 0 });
    const { rows } = await client.query<{ name: string; count: number }>(
      "select connection_id as name, count(*)::int from seen_deletions group by 1",
    );
    expect(rows).toHaveLength(CHOSEN);
    expect(rows.filter(({ name, count }) => count !== 1 || !name.startsWith("sales-"))).toEqual([]);
    const left = (await api("GET", "/connections")).body.connections;
    expect(left).toHaveLength(OTHERS);
  } finally {
    for (const each of processes) await each.kill();
    await client.end();
  }
}, 120_000);
