import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE, SECOND } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { startGateway } from "./testing/gateway-server.ts";

let installation: TestContext;
beforeAll(async () => {
  installation = await createTestContext();
});
afterAll(async () => await installation[Symbol.asyncDispose]());

/** A minute of its own for each test: the account is the same. */
function startMinute(): void {
  const { clock } = installation;
  clock.advance(2 * MINUTE - (clock.now().getTime() % MINUTE));
}

test("passes as many calls as the limit, in one window, over several processes", async () => {
  startMinute();
  const { ctx } = installation;
  const processes = [
    await startGateway(ctx, { limit: 25 }),
    await startGateway(ctx, { limit: 25 }),
    await startGateway(ctx, { limit: 25 }),
  ];

  const answers = await Promise.all(
    processes.flatMap((process) =>
      Array.from({ length: 20 }, async () => await process.call("GET", "/things/a")),
    ),
  );
  const passed = answers.filter(({ statusCode }) => statusCode === 200);
  const refused = answers.filter(({ statusCode }) => statusCode === 429);

  expect([passed.length, refused.length]).toEqual([25, 35]);
  const remaining = passed.map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
  expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n));
  await Promise.all(processes.map(async (process) => await process[Symbol.asyncDispose]()));
});

test("says when to come back, at least one second, and lets through in the next window", async () => {
  startMinute();
  const { ctx, clock } = installation;
  await using gateway = await startGateway(ctx, { limit: 1 });
  clock.advance(500);

  const first = await gateway.call("GET", "/things/a");
  const second = await gateway.call("GET", "/things/a");
  clock.advance(59 * SECOND + 400);
  const late = await gateway.call("GET", "/things/a");
  clock.advance(100);
  const next = await gateway.call("GET", "/things/a");

  expect(first.headers).toMatchObject({ "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0" });
  expect(second.statusCode).toBe(429);
  expect(second.headers["retry-after"]).toBe("60");
  expect(second.json()).toEqual({
    error: {
      code: "too_many_request",
      message: "The account has reached its limit of 1 calls a minute; try again in 60 s.",
    },
  });
  expect(late.headers["retry-after"]).toBe("1");
  expect(next.statusCode).toBe(200);
  const end = Number(second.headers["x-ratelimit-reset"]);
  expect(Number(next.headers["x-ratelimit-reset"])).toBe(end + 60);
  expect(end * 1000).toBe(clock.now().getTime());
});

test("says nothing when it is off, and nothing on proxied answers", async () => {
  startMinute();
  await using off = await startGateway(installation.ctx);
  await using on = await startGateway(installation.ctx, { limit: 1 });

  const unlimited = await off.call("GET", "/things/a");
  const proxied = await on.call("GET", "/pass/a");
  const refused = await on.call("GET", "/pass/a");

  expect(Object.keys(unlimited.headers).join()).not.toContain("ratelimit");
  expect(proxied.statusCode).toBe(200);
  expect(Object.keys(proxied.headers).join()).not.toContain("ratelimit");
  expect(refused.statusCode).toBe(429);
  expect(refused.headers["svc-error-source"]).toBe("platform");
});

test("lets calls through when they cannot be counted", async () => {
  startMinute();
  await using other = await createTestContext();
  await sql`alter table rate_limits rename to elsewhere`.execute(other.ctx.db);
  await using gateway = await startGateway(other.ctx, { limit: 1 });

  const answers = [await gateway.call("GET", "/things/a"), await gateway.call("GET", "/things/a")];

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
});
