import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startDatabaseRelay } from "../../packages/server/src/destinations/testing/database-relay.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import type { TrialResult } from "../refresh/trial-result.ts";
import { compare, countChanges, execOf, type Rows, settle } from "./feed-kills.ts";
import { addConnections, type Installation, newUpload, startInstallation } from "./installation.ts";
import { makeRandom } from "./storm.ts";

export interface DestinationPlan extends Rows {
  /** The blows and their times follow from it. */
  readonly seed: number;
  /** `customer`: the database that is delivered to; `network`: all connections to it. */
  readonly victims: readonly ("worker" | "postgres" | "customer" | "network")[];
  /** From one blow to the next, at least and at most. */
  readonly pauseMs: readonly [least: number, most: number];
}

const WORKERS = 2;

/** A customer's own Postgres, behind a port of loopback. */
async function startCustomer() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const options = { dataDir: folder.path, log: () => {} };
  let postgres = await startEmbeddedPostgres(options);
  stack.defer(async () => await postgres.stop());
  const { connectionString } = postgres;
  const relay = stack.use(await startDatabaseRelay(connectionString));
  const running = stack.move();
  return {
    relay,
    /** SIGQUIT, which drops what was not committed; up again after a while. */
    async restart(downMs: number) {
      process.kill(postgres.processId, "SIGQUIT");
      await postgres.stop();
      await sleep(downMs);
      postgres = await startEmbeddedPostgres(options);
    },
    async query<Row extends object>(text: string): Promise<Row[]> {
      const client = new pg.Client({ connectionString });
      await client.connect();
      try {
        return (await client.query<Row>(text)).rows;
      } finally {
        await client.end();
      }
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

type Customer = Awaited<ReturnType<typeof startCustomer>>;

/**
 * J24: changes go to a customer's table while workers, the database, the customer's database and the connections to it
 * are killed, and syncs save, change and delete records. Then, in quiet, the table has exactly what was saved, and no row
 * ever went back to an earlier change.
 */
export async function runDestinationKills(plan: DestinationPlan): Promise<TrialResult> {
  const { seed, victims, pauseMs, connections } = plan;
  await using customer = await startCustomer();
  const env = { SVC_WORKER_TIMEOUT: "2", SVC_EGRESS_ALLOW: "127.0.0.1" };
  await using all = await startInstallation({ workers: WORKERS, env });
  await addConnections(all, all.api, { environment: "dev", count: connections });
  const body = { name: "w", type: "postgres", url: customer.relay.url, table: "rows" };
  const { body: made } = await all.api("POST", "/records/destinations", { body });
  await watchSteps(customer);
  const startedAt = performance.now();
  await all.api("POST", "/sync/deploy", { body: newUpload(execOf(plan), "every 30 seconds") });
  const random = makeRandom(seed);
  for (const victim of victims) {
    await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
    if (victim === "network") customer.relay.cut();
    else if (victim === "customer") await customer.restart(random() * 1000);
    else if (victim === "postgres") await all.restartPostgres(random() * 1000);
    else await all.killWorker(Math.floor(random() * WORKERS));
  }
  const violations = await settle(all, plan);
  violations.push(...(await settleDelivery(all, made.data.id, plan)));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  violations.push(...compare(await readRows(customer), plan));
  const steps = await customer.query<{ id: string }>("select id from steps_back limit 5");
  violations.push(...steps.map(({ id }) => `${id} went back`));
  const { delivered } = (await all.api("GET", `/records/destinations/${made.data.id}`)).body.data;
  const note = `seed ${seed}, ${victims.length} blows, ${delivered} rows delivered, ${seconds} s`;
  return { id: "J24", trials: countChanges(plan), violations, note };
}

/** Once the table is there, notes each row that goes back to an earlier change. */
async function watchSteps({ query }: Customer): Promise<void> {
  for (;;) {
    const [found] = await query<{ known: boolean }>(
      "select to_regclass('rows') is not null as known",
    );
    if (found?.known === true) break;
    await sleep(200);
  }
  await query("create table steps_back (id text)");
  await query(`create function note_step_back() returns trigger language plpgsql as
    $$ begin insert into steps_back values (new.id); return null; end $$`);
  await query(`create trigger no_step_back after update on rows for each row
    when (new.sequence < old.sequence) execute function note_step_back()`);
}

/** Waits until a destination has everything. */
export async function settleDelivery(all: Installation, id: string, plan: Rows): Promise<string[]> {
  const until = performance.now() + plan.settledWithinMs;
  // Someone has to note the changes first; the worker does when it looks next.
  let quiet = 0;
  for (;;) {
    const { data } = (await all.api("GET", `/records/destinations/${id}`)).body;
    const [waiting] = await all.query<{ count: number }>(
      `select count(*)::int as count from record_models m left join record_feed_models f on f.model_id = m.id
        where m.sequence > coalesce(f.sequence, 0)`,
    );
    quiet = data.lag_seconds === 0 && data.failures === 0 && waiting?.count === 0 ? quiet + 1 : 0;
    // A change that was noted this second has no lag yet.
    if (quiet === 6) return [];
    if (performance.now() > until) return [`not delivered: ${JSON.stringify(data)}`];
    await sleep(500);
  }
}

async function readRows({ query }: Customer): Promise<Map<string, string>> {
  const rows = await query<{ name: string; value: string }>(
    `select connection_id || ' ' || id as name,
            case when deleted_at is null then data ->> 'at' else 'deleted' end as value from rows`,
  );
  return new Map(rows.map(({ name, value }) => [name, value]));
}
