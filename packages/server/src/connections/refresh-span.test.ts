import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, recordSpans, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;

beforeAll(async () => {
  installation = await createTestContext();
  await ensureLogPartitions(installation.ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());

test("an attempt to renew is a span of the trace that needed it, with its statements below it", async () => {
  const { ctx } = installation;
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const { root, spans } = recordSpans();

  await getFreshCredentials({ ...ctx, trace: root }, { ...prepared, force: false });

  const attempt = spans.find(({ name }) => name === "refresh credentials");
  expect(attempt).toMatchObject({ parent: "root", failed: undefined, hasEnded: true });
  expect(attempt?.attributes).toEqual({
    "svc.provider": expect.stringMatching(/^[\w-]+$/),
    "svc.environment.id": ctx.environment.id,
    "svc.connection.id": prepared.connection.uuid,
  });
  const stored = spans.filter(({ parent }) => parent === "refresh credentials");
  expect(stored.map(({ attributes }) => attributes["db.operation.name"])).toContain("UPDATE");
  expect(JSON.stringify(spans)).not.toMatch(/access-\d|refresh-\d/);
});

test("a refused one has failed, by the kind of the problem", async () => {
  const { ctx } = installation;
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith({ status: 400, body: { error: "invalid_grant" } });
  const { root, spans } = recordSpans();

  const outcome = getFreshCredentials({ ...ctx, trace: root }, { ...prepared, force: false });

  await expect(outcome).rejects.toThrow();
  const attempt = spans.find(({ name }) => name === "refresh credentials");
  expect(attempt).toMatchObject({ hasEnded: true, failed: expect.stringMatching(/^\w+$/) });
});
