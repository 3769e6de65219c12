import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EnvironmentContext,
  HOUR,
  MINUTE,
  SECOND,
} from "../../packages/server/src/foundation/index.ts";
import { countReads } from "../../packages/server/src/foundation/testing/index.ts";
import { createIntegration } from "../../packages/server/src/integrations/index.ts";
import { problems } from "../../packages/server/src/problems/index.ts";
import { sweepProblems } from "../../packages/server/src/problems/sweep-problems.ts";
import { listQueued, setWebhooks } from "../../packages/server/src/problems/testing/store.ts";
import { type TestApp, testApp } from "../../packages/server/src/testing/index.ts";
import { findSilence } from "../../packages/server/src/webhooks-in/arrivals/find-silence.ts";

/** W11 was measured with 10,000. */
const COUNT = 2000;
const AT_ONCE = 1000;
/** An arrival, its connection, and what changes; the statistics of Postgres and the watch besides. */
const MOST_READS_EACH = 6;
const MOST_HEAP_BYTES = 30 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

let app: TestApp;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await testApp({ slices: [problems], caller: async ({ signal }) => ({ ...ctx, signal }) });
  ctx = app.ctx;
});
afterAll(async () => await app[Symbol.asyncDispose]());

/** Connections for which webhooks came every 8 hours, and whose silence is due by now. */
async function fill(): Promise<void> {
  const integration = await createIntegration(ctx, {
    ...{ provider: "private-api-bearer", uniqueKey: "crm", displayName: undefined },
    ...{ forwardWebhooks: true, custom: {}, settings: {}, credentials: undefined },
    integrationConfig: { base_url: "http://127.0.0.1:9" },
  });
  const [id, now] = [ctx.environment.id, app.clock.now()];
  const rhythm = { sizes: [0, 0, 0, 0, 0, 0, 0, 0, 48], count: 48, longestMs: 8 * HOUR };
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at,
      updated_at)
    select gen_random_uuid(), ${id}, ${integration.id}, 'c' || n, 'API_KEY', 'x', ${now}, ${now}
      from generate_series(1, ${COUNT}::int) n`.execute(ctx.db);
  await sql`
    insert into webhook_arrivals (environment_id, connection_uuid, received, rhythm, first_at, last_at, due_at)
    select environment_id, uuid, 49, ${JSON.stringify(rhythm)}, ${now}::timestamptz - interval '18 days',
           ${now}::timestamptz - interval '2 days', ${now}::timestamptz - interval '1 day'
      from connections where integration_id = ${integration.id}`.execute(ctx.db);
  await setWebhooks(ctx.db, id, { url: "https://hooks.example.com/in", onProblem: true });
}

async function list() {
  const answer = await app.server.inject({ method: "GET", url: "/problems?state=open" });
  return answer.json().data;
}

test("connections that fall silent at once are one problem and one notification, found in bounded steps", async () => {
  await fill();
  const before = heldBytes();
  let [most, reads, found] = [before, 0, 0];
  const steps: number[] = [];
  const startedAt = performance.now();
  do {
    reads += await countReads(ctx, "%", async (ctx) => {
      found = await findSilence(ctx);
    });
    steps.push(found);
    // As the other loop does in between.
    await sweepProblems(ctx);
    most = Math.max(most, heldBytes());
  } while (found === AT_ONCE);
  const silentMs = performance.now() - startedAt;
  const sweepReads = await countReads(ctx, "%", async (ctx) => await sweepProblems(ctx));
  const arrivalsRead = await countReads(
    ctx,
    "webhook_arrivals",
    async (ctx) => await sweepProblems(ctx),
  );
  const data = await list();
  await sql`
    update connections set frozen_at = now() where connection_id like 'c1%' and environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  app.clock.advance(10 * MINUTE);
  await findSilence(ctx);
  await sweepProblems(ctx);
  const unfrozen = await list();
  await sql`
    delete from webhook_arrivals where connection_uuid in (select uuid from connections where connection_id = 'c2')`.execute(
    ctx.db,
  );
  await sweepProblems(ctx);
  const left = await list();
  await sql`update webhook_arrivals set silent_since = null`.execute(ctx.db);
  await sweepProblems(ctx);

  expect(steps).toEqual([...Array(COUNT / AT_ONCE).fill(AT_ONCE), 0]);
  expect(data).toMatchObject([{ kind: "webhooks_silent", connections: { count: COUNT } }]);
  expect(data[0].connections.sample).toHaveLength(5);
  const frozen = Array.from({ length: COUNT }, (_, n) => `c${n + 1}`).filter((name) =>
    name.startsWith("c1"),
  );
  expect(unfrozen).toMatchObject([{ connections: { count: COUNT - frozen.length } }]);
  expect(left).toMatchObject([{ connections: { count: COUNT - frozen.length - 1 } }]);
  const sent = await listQueued(ctx, "problem");
  expect(sent.map((body) => Object(body).operation)).toEqual(["opened", "resolved"]);
  // One row of the integration says how many are silent.
  expect(arrivalsRead).toBe(0);
  expect({ reads, sweepReads, silentMs, held: most - before }).toSatisfy(isBounded);
}, 60_000);

function isBounded(cost: { reads: number; sweepReads: number; silentMs: number; held: number }) {
  return (
    cost.reads < MOST_READS_EACH * COUNT &&
    cost.sweepReads < MOST_READS_EACH * COUNT &&
    cost.silentMs < 20 * SECOND &&
    cost.held < MOST_HEAP_BYTES
  );
}
