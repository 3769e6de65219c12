import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silence } from "../../packages/server/src/foundation/db/index.ts";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
  MINUTE,
} from "../../packages/server/src/foundation/index.ts";
import { sweepProblems } from "../../packages/server/src/problems/sweep-problems.ts";
import { setReceiver } from "../../packages/server/src/problems/testing/index.ts";
import { deleteOldDeliveries, sendWebhook } from "../../packages/server/src/webhooks-out/index.ts";
import { removeUnusedReceivers } from "../../packages/server/src/webhooks-out/receivers/remove-unused-receivers.ts";
import { createHeadSending } from "../../packages/server/src/webhooks-out/send-audit-head.ts";
import { createDeliveryWork } from "../../packages/server/src/webhooks-out/sending/delivery-work.ts";
import { growAuditLog } from "../../packages/server/src/webhooks-out/testing/grow-audit-log.ts";
import {
  type OutboxUnderTest,
  startOutbox,
} from "../../packages/server/src/webhooks-out/testing/outbox.ts";
import { ok, receive } from "../../packages/server/src/webhooks-out/testing/receiver.ts";
import { holdAnswersOf } from "./hold-answers.ts";
import { lockInsertsOf } from "./lock-inserts.ts";
import { readDeployed } from "./prepared-database.ts";

// Promise U11: webhooks of an environment whose server says nothing wait, and those of others do not.

let outbox: OutboxUnderTest;
beforeAll(async () => {
  outbox = await startOutbox();
  await outbox.app.database.pool.query(await readDeployed("prepare.sql"));
});
afterAll(async () => await outbox[Symbol.asyncDispose]());

const webhook = { type: "sync", body: { type: "sync", from: "svc" } } as const;

async function states(ctx: EnvironmentContext): Promise<string[]> {
  return (await outbox.stored(ctx)).map(({ state }) => state);
}

async function expectStates(ctx: EnvironmentContext, wanted: string[]): Promise<void> {
  await expect.poll(async () => await states(ctx), { timeout: 20_000 }).toEqual(wanted);
}

/** As on a server that drops packets, a claim meets no error and no answer, until disposed. */
async function lockRowsOf(...silent: EnvironmentContext[]): Promise<AsyncDisposable> {
  const client = await outbox.app.database.pool.connect();
  await client.query("begin");
  // A claim passes over deliveries that are locked, and waits for the note that it replaces.
  for (const table of ["webhook_deliveries", "due_notes"]) {
    await client.query(`select from ${table} where environment_id = any($1) for update`, [
      silent.map(({ environment }) => environment.id),
    ]);
  }
  let isLocked = true;
  return {
    async [Symbol.asyncDispose]() {
      if (!isLocked) return;
      isLocked = false;
      await client.query("rollback");
      client.release();
    },
  };
}

async function makeEnvironments(count: number, url: string): Promise<EnvironmentContext[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => await outbox.environment({ primary: url })),
  );
}

test("an environment whose rows do not answer holds up no other, and is sent later", async () => {
  const receiver = await receive(ok);
  const [silent, other] = [
    await outbox.environment({ primary: receiver.url }),
    await outbox.environment({ primary: receiver.url }),
  ];
  await sendWebhook(silent, webhook);
  await sendWebhook(other, webhook);
  await using lock = await lockRowsOf(silent);
  const loop = outbox.startSending();

  await expectStates(other, ["delivered"]);
  const meanwhile = await states(silent);
  await lock[Symbol.asyncDispose]();
  outbox.app.clock.advance(MINUTE);
  loop.wake();
  await expectStates(silent, ["delivered"]);

  expect(meanwhile).toEqual(["waiting"]);
});

test("of many environments that do not answer a few are asked at a time, and none before those that answer", async () => {
  const receiver = await receive(ok);
  const silent = await makeEnvironments(20, receiver.url);
  const [other] = await makeEnvironments(1, receiver.url);
  if (other === undefined) throw new Error("no environment was made");
  for (const ctx of silent) await sendWebhook(ctx, webhook);
  await using lock = await lockRowsOf(...silent);
  const passedOver: unknown[] = [];
  const log = { ...outbox.app.ctx.log, warn: (name: string) => void passedOver.push(name) };
  const ctx = { ...outbox.app.ctx, log };
  const work = createDeliveryWork();
  const claim = async () => {
    const before = performance.now();
    const { claimed } = await work.claim(ctx, () => undefined);
    return { claimed, tookMs: performance.now() - before };
  };

  // One after the other they would take 20 s.
  const first = await claim();
  const found = passedOver.splice(0).filter((name) => name === "webhooks.claim_timed_out");
  await sendWebhook(other, webhook);
  const next = await claim();
  outbox.app.clock.advance(MINUTE);
  await sendWebhook(other, webhook);
  const claiming = claim();
  await expectStates(other, ["delivered", "delivered"]);
  const askedBefore = passedOver.length;
  const suspected = await claiming;
  const asked = passedOver.splice(0).filter((name) => name === "webhooks.claim_timed_out");
  await lock[Symbol.asyncDispose]();
  outbox.app.clock.advance(MINUTE);
  for (let round = 0; round < 5; round += 1) await claim();
  await work.drain?.();

  expect(found).toHaveLength(20);
  expect(first.tookMs).toBeLessThan(14_000);
  expect(next).toMatchObject({ claimed: 1 });
  expect(suspected).toMatchObject({ claimed: 1 });
  expect(askedBefore).toBe(0);
  expect(asked).toHaveLength(4);
  for (const ctx of silent) expect(await states(ctx)).toEqual(["delivered"]);
});

test("daily chores pass over an environment that does not answer, and do its part another day", async () => {
  const gone = await receive((_count, response) => response.writeHead(410).end());
  const [silent, other] = [
    await outbox.environment({ primary: gone.url }),
    await outbox.environment({ primary: gone.url }),
  ];
  outbox.startSending();
  for (const ctx of [silent, other]) await sendWebhook(ctx, webhook);
  for (const ctx of [silent, other]) await expectStates(ctx, ["failed"]);
  const later = { now: () => addMs(outbox.app.clock.now(), 40 * DAY) };
  const inside = { ...outbox.app.ctx, clock: { ...outbox.app.clock, ...later } };
  const left = async (ctx: EnvironmentContext) => {
    const { rows } = await outbox.app.database.pool.query(
      `select (select count(*)::int from webhook_deliveries where environment_id = $1) as deliveries,
              (select count(*)::int from webhook_receivers where environment_id = $1) as receivers`,
      [ctx.environment.id],
    );
    return rows[0];
  };
  await using held = await holdAnswersOf(outbox.app.database.pool, [silent]);
  const chores = async () => {
    await deleteOldDeliveries(inside);
    await removeUnusedReceivers(inside);
  };

  const before = performance.now();
  await chores();
  const tookMs = performance.now() - before;
  await held[Symbol.asyncDispose]();
  const meanwhile = [await left(silent), await left(other)];
  silence.of(inside).noteAnswer(silent.environment.id);
  await chores();

  expect(meanwhile).toEqual([
    { deliveries: 1, receivers: 2 },
    { deliveries: 0, receivers: 0 },
  ]);
  expect(tookMs).toBeLessThan(20_000);
  expect(await left(silent)).toEqual({ deliveries: 0, receivers: 0 });
});

test.for([
  // The second count is of more than one sweep leaves out.
  [1, ["swept", "swept"]],
  [12, ["PartAway", "swept", "swept"]],
] as const)(
  "a sweep of problems leaves out %i that do not answer, and has their webhooks queued later",
  async ([count, outcomes]) => {
    const silent = await makeEnvironments(count, "https://hooks.example.com/");
    const [other] = await makeEnvironments(1, "https://hooks.example.com/");
    if (other === undefined) throw new Error("no environment was made");
    const { pool } = outbox.app.database;
    const all = [...silent, other];
    for (const { db, environment } of all) {
      const failing = { failingSince: outbox.app.clock.now(), disabledAt: null };
      await setReceiver(db, environment.id, { url: "https://hooks.example.com/", ...failing });
    }
    await pool.query(
      "update webhook_settings set on_problem = true where environment_id = any($1)",
      [all.map(({ environment }) => environment.id)],
    );
    const opened = async (ctx: EnvironmentContext) => {
      const { rows } = await pool.query("select from problems where environment_id = $1", [
        ctx.environment.id,
      ]);
      return [rows.length, (await outbox.stored(ctx)).length];
    };
    const sweep = async () =>
      await sweepProblems(outbox.app.ctx).then(
        () => "swept",
        (error: unknown) => (error instanceof Error ? error.constructor.name : error),
      );
    await using lock = await lockInsertsOf(pool, "webhook_deliveries", ...silent);

    const swept: unknown[] = [];
    while (swept.length < outcomes.length - 1) swept.push(await sweep());
    const meanwhile = await Promise.all(all.map(opened));
    await lock[Symbol.asyncDispose]();
    // As other work does that they answer.
    for (const { environment } of silent) silence.of(outbox.app.ctx).noteAnswer(environment.id);
    swept.push(await sweep());

    expect(swept).toEqual(outcomes);
    expect(meanwhile).toEqual([...silent.map(() => [0, 0]), [1, 1]]);
    expect(await Promise.all(all.map(opened))).toEqual(all.map(() => [1, 1]));
  },
);

test("an outcome whose rows do not answer holds up no other, and its webhook is sent again", async () => {
  let silent: EnvironmentContext | undefined;
  const locked = Promise.withResolvers<AsyncDisposable>();
  const locking = await receive((count, response) => {
    const answer = () => void response.writeHead(200).end();
    if (count > 1 || silent === undefined) answer();
    else lockRowsOf(silent).then(locked.resolve, locked.reject).finally(answer);
  });
  const receiver = await receive(ok);
  silent = await outbox.environment({ primary: locking.url });
  const other = await outbox.environment({ primary: receiver.url });
  await sendWebhook(silent, webhook);
  const loop = outbox.startSending();
  await using lock = await locked.promise;

  await sendWebhook(other, webhook);
  loop.wake();
  await expectStates(other, ["delivered"]);
  const meanwhile = await states(silent);
  await lock[Symbol.asyncDispose]();
  await sql`update webhook_deliveries set leased_until = null where environment_id = ${silent.environment.id}`.execute(
    silent.db,
  );
  outbox.app.clock.advance(MINUTE);
  loop.wake();
  await expectStates(silent, ["delivered"]);

  expect(meanwhile).toEqual(["waiting"]);
});

test("the head of the audit log reaches those that answer, however many others do not", async () => {
  const receiver = await receive(ok);
  // More than one sending leaves out.
  const silent = await makeEnvironments(10, receiver.url);
  const [other] = await makeEnvironments(1, receiver.url);
  if (other === undefined) throw new Error("no environment was made");
  const { pool } = outbox.app.database;
  await pool.query(
    "update webhook_settings set on_audit_seal = true where environment_id = any($1)",
    [[...silent, other].map(({ environment }) => environment.id)],
  );
  await growAuditLog(outbox.app.ctx);
  const work = createHeadSending();
  const send = async () => {
    const { nextDueAt } = await work.claim(outbox.app.ctx, () => undefined);
    const waitMs = (nextDueAt?.getTime() ?? 0) - outbox.app.clock.now().getTime();
    outbox.app.clock.advance(waitMs);
    return waitMs;
  };
  await using lock = await lockInsertsOf(pool, "webhook_deliveries", ...silent);

  const first = await send();
  const queued = (await outbox.stored(other)).length;
  const second = await send();
  const meanwhile = await Promise.all([...silent, other].map((ctx) => outbox.stored(ctx)));
  await lock[Symbol.asyncDispose]();
  await growAuditLog(outbox.app.ctx);
  // As other work does that they answer.
  for (const { environment } of silent) silence.of(outbox.app.ctx).noteAnswer(environment.id);
  const third = await send();
  const later = await Promise.all([...silent, other].map((ctx) => outbox.stored(ctx)));

  expect([first, second, third]).toEqual([MINUTE, HOUR, HOUR]);
  expect(queued).toBe(0);
  expect(meanwhile.map(({ length }) => length)).toEqual([...silent.map(() => 0), 1]);
  expect(later.map(({ length }) => length)).toEqual([...silent.map(() => 1), 2]);
});
