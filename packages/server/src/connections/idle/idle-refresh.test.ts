import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, type EnvironmentContext, HOUR } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { deleteConnection } from "../revoke/delete-connection.ts";
import { passIdleDays } from "../testing/idle-days.ts";
import { prepareConnection } from "../testing/refreshing-connection.ts";
import { startRotatingServer } from "../testing/rotating-server.ts";
import { createIdleRefreshWork } from "./idle-refresh.ts";

let installation: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());

async function claimUntilIdle(): Promise<void> {
  const work = createIdleRefreshWork();
  for (;;) {
    const { claimed } = await work.claim(ctx, () => {});
    await work.drain?.();
    if (claimed === 0) return;
  }
}

test("unused connections are refreshed in every idle period, evenly spread", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });

  const days = await passIdleDays(installation, ctx, { server, count: 40, lastsMs: 2 * DAY });

  expect(days.longestGapMs).toBeLessThanOrEqual(DAY);
  expect(days.refreshes).toBeLessThanOrEqual(41 * 4);
  expect(days.mostPerMinute).toBeLessThanOrEqual(3);
});

test("a connection that must be authorized again is not asked for, one whose provider is down is asked later", async () => {
  await sql`update connections set deleted_at = now()`.execute(ctx.db);
  await using server = await startRotatingServer({ expiresIn: 3600 });
  await prepareConnection(ctx, { ...server, expiresIn: 3600 });
  server.answerWith({ status: 503, body: "" });

  installation.clock.advance(DAY);
  await claimUntilIdle();
  await claimUntilIdle();
  const whileDown = server.requests.length;
  server.answerWith({ status: 400, body: { error: "invalid_grant" } });
  installation.clock.advance(HOUR);
  await claimUntilIdle();
  installation.clock.advance(5 * DAY);
  await claimUntilIdle();

  expect(whileDown).toBe(1);
  expect(server.requests).toHaveLength(2);
});

test("tokens that live longer than the idle period are renewed shortly before they expire", async () => {
  await sql`update connections set deleted_at = now()`.execute(ctx.db);
  await using server = await startRotatingServer({ expiresIn: 3600 });
  await prepareConnection(ctx, { ...server, expiresIn: (30 * DAY) / 1000 });

  installation.clock.advance(29 * DAY);
  await claimUntilIdle();
  const early = server.requests.length;
  installation.clock.advance(DAY);
  await claimUntilIdle();

  expect(early).toBe(0);
  expect(server.requests).toHaveLength(1);
});

test("deleted connections and those without a refresh token are left alone", async () => {
  await sql`update connections set deleted_at = now()`.execute(ctx.db);
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const { integration, connection } = await prepareConnection(ctx, { ...server, expiresIn: 3600 });
  await deleteConnection(ctx, { integration, connectionId: connection.connectionId });

  installation.clock.advance(2 * DAY);
  await claimUntilIdle();

  expect(server.requests).toEqual([]);
});
