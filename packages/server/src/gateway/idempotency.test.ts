import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, SECOND } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { deleteExpiredAnswers } from "./delete-expired-answers.ts";
import { addKey, type GatewayServer, startGateway } from "./testing/gateway-server.ts";

let installation: TestContext;
let gateway: GatewayServer;
let other: GatewayServer;
beforeAll(async () => {
  installation = await createTestContext();
  gateway = await startGateway(installation.ctx);
  other = await startGateway(installation.ctx);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

let apiKey = "";
beforeAll(async () => {
  apiKey = await addKey(installation.ctx);
});

interface Sent {
  readonly url?: string;
  readonly key?: string;
  readonly to?: GatewayServer;
}

async function send(idempotencyKey: string, answer: string, sent: Sent = {}) {
  return await (sent.to ?? gateway).call("POST", sent.url ?? "/things", {
    headers: { "idempotency-key": idempotencyKey },
    body: { answer },
    key: sent.key ?? apiKey,
  });
}

test.each(["yes", "conflict"])("gives the same answer again, in any process: %s", async (word) => {
  const before = gateway.runs() + other.runs();

  const first = await send(`again-${word}`, word);
  const second = await send(`again-${word}`, word, { to: other });

  expect(second.statusCode).toBe(first.statusCode);
  expect(second.body).toBe(first.body);
  expect(second.headers["content-type"]).toBe(first.headers["content-type"]);
  expect([first, second].map(({ headers }) => headers["idempotency-replayed"])).toEqual([
    undefined,
    "true",
  ]);
  expect(gateway.runs() + other.runs()).toBe(before + 1);
});

test("keeps an answer that says the body is not valid", async () => {
  const invalid = { headers: { "idempotency-key": "invalid" }, body: { wrong: 1 }, key: apiKey };

  const first = await gateway.call("POST", "/things", invalid);
  const second = await gateway.call("POST", "/things", invalid);

  expect([first.statusCode, second.statusCode]).toEqual([400, 400]);
  expect(second.body).toBe(first.body);
  expect(second.headers["idempotency-replayed"]).toBe("true");
});

test("answers 409 while the first runs, then its answer", async () => {
  const before = gateway.runs();
  const first = send("running", "wait");
  await expect.poll(gateway.runs).toBe(before + 1);

  const meanwhile = await send("running", "wait", { to: other });
  gateway.letGo();
  const answer = await first;
  const later = await send("running", "wait", { to: other });

  expect(meanwhile.statusCode).toBe(409);
  expect(meanwhile.json().error.code).toBe("idempotency_in_progress");
  expect(meanwhile.headers["retry-after"]).toBe("1");
  expect(later.body).toBe(answer.body);
});

test("answers 422 for another body or route, and runs apart for another API key", async () => {
  const first = await send("mine", "yes");
  const otherBody = await send("mine", "no");
  const otherRoute = await send("mine", "yes", { url: "/once" });
  const otherKey = await send("mine", "yes", { key: await addKey(installation.ctx) });

  expect([first, otherBody, otherRoute, otherKey].map(({ statusCode }) => statusCode)).toEqual([
    201, 422, 422, 201,
  ]);
  expect(otherBody.json().error.code).toBe("idempotency_key_reused");
  expect(otherKey.headers["idempotency-replayed"]).toBeUndefined();
});

test("runs again after a failure of ours, except where effects cannot be taken back", async () => {
  const before = gateway.runs();

  const failures = [
    await send("fails", "fail"),
    await send("fails", "fail"),
    await send("fails-once", "fail", { url: "/once" }),
    await send("fails-once", "fail", { url: "/once" }),
  ];

  expect(failures.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500, 500]);
  expect(failures.map(({ headers }) => headers["idempotency-replayed"])).toEqual([
    undefined,
    undefined,
    undefined,
    "true",
  ]);
  expect(gateway.runs()).toBe(before + 3);
});

test("takes over from a process that died, but repeats no action that may have had effects", async () => {
  await send("died", "yes");
  await send("died-once", "effect", { url: "/once" });
  await send("died-before", "nothing", { url: "/once" });
  await sql`update kept_answers set answer = null`.execute(installation.ctx.db);

  const alive = await send("died", "yes");
  await sql`
    update kept_answers set turn_until = clock_timestamp() - interval '1 second'`.execute(
    installation.ctx.db,
  );
  const repeated = await send("died", "yes");
  const notRepeated = await send("died-once", "effect", { url: "/once" });
  const again = await send("died-once", "effect", { url: "/once" });
  const harmless = await send("died-before", "nothing", { url: "/once" });

  expect(alive.statusCode).toBe(409);
  expect([repeated.statusCode, repeated.headers["idempotency-replayed"]]).toEqual([201, undefined]);
  expect([notRepeated.statusCode, notRepeated.json().error.code]).toEqual([
    500,
    "action_outcome_unknown",
  ]);
  expect(again.body).toBe(notRepeated.body);
  expect(harmless.statusCode).toBe(201);
});

test("where the database left before the end, nothing that may have acted outside is repeated", async () => {
  const first = await send("left-early", "away", { url: "/once" });
  const repeated = await send("left-early", "away", { url: "/once" });
  const acted = await send("left-late", "away, effect", { url: "/once" });
  const soon = await send("left-late", "away, effect", { url: "/once" });
  await sql`
    update kept_answers set turn_until = clock_timestamp() - interval '1 second'
     where answer is null`.execute(installation.ctx.db);
  const later = await send("left-late", "away, effect", { url: "/once" });

  expect([first, repeated, acted].map(({ statusCode }) => statusCode)).toEqual([503, 503, 503]);
  expect(acted.headers["retry-after"]).toBe("2");
  expect(soon.json().error.code).toBe("idempotency_in_progress");
  expect(later.json().error.code).toBe("action_outcome_unknown");
});

test("a process that lost its lease may have no further effects", async () => {
  await using slow = await startGateway(installation.ctx);
  await using quick = await startGateway(installation.ctx);
  quick.letGo();
  const first = send("lost", "wait, then effect", { url: "/once", to: slow });
  await expect.poll(slow.runs).toBe(1);
  await sql`
    update kept_answers set turn_until = clock_timestamp() - interval '1 second'
     where answer is null`.execute(installation.ctx.db);
  const second = await send("lost", "wait, then effect", { url: "/once", to: quick });

  slow.letGo();

  expect(second.statusCode).toBe(201);
  expect((await first).json().error.code).toBe("idempotency_in_progress");
});

test("of many at once exactly one runs", async () => {
  const before = gateway.runs() + other.runs();

  const answers = await Promise.all(
    Array.from({ length: 16 }, async (_, n) => {
      return await send("crowd", "yes", { to: n % 2 === 0 ? gateway : other });
    }),
  );

  expect(gateway.runs() + other.runs()).toBe(before + 1);
  const bodies = answers.filter(({ statusCode }) => statusCode === 201).map(({ body }) => body);
  expect(new Set(bodies).size).toBe(1);
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toSatisfy((statuses: Set<number>) =>
    [...statuses].every((status) => status === 201 || status === 409),
  );
});

test.each([
  ["empty", ""],
  ["too long", "x".repeat(256)],
  ["with a space", "a b"],
])("refuses a key that is %s", async (_what, key) => {
  const answer = await send(key, "yes");

  expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_idempotency_key"]);
});

test("takes a key of 255 characters, and ignores keys where the route takes none", async () => {
  const long = await send("k".repeat(255), "yes");
  const headers = { "idempotency-key": "get" };
  await gateway.call("GET", "/things/a", { headers, key: apiKey });
  const second = await gateway.call("GET", "/things/b", { headers, key: apiKey });

  expect(long.statusCode).toBe(201);
  expect(second.json()).toEqual({ id: "b" });
});

test("forgets after 24 hours, and keeps nothing that can be read", async () => {
  const { ctx, clock } = installation;
  const first = await send("day", "canary-in-the-body");
  const rows = await sql<{ row: string }>`
    select k::text as row, encode(answer, 'escape') as answer from kept_answers k`.execute(ctx.db);
  const dump = JSON.stringify(rows.rows);

  clock.advance(DAY - SECOND);
  const justBefore = await send("day", "canary-in-the-body");
  clock.advance(SECOND);
  await deleteExpiredAnswers(ctx);
  const left = await sql<{ count: number }>`select count(*) from kept_answers`.execute(ctx.db);
  const after = await send("day", "canary-in-the-body");

  expect(rows.rows.length).toBeGreaterThan(5);
  expect(dump).not.toContain("canary-in-the-body");
  expect(justBefore.body).toBe(first.body);
  expect(left.rows[0]?.count).toBe(0);
  expect(after.body).not.toBe(first.body);
});
