import { afterAll, beforeAll, expect, test } from "vitest";
import { on } from "#foundation";
import { type KeyedServer, startKeyedServer } from "#testing";
import { integrationLeaving } from "../hooks.ts";
import { integrationTaskHandlers } from "./task-handlers.ts";

let server: KeyedServer;

beforeAll(async () => {
  server = await startKeyedServer({
    // What hangs on integrations takes longer than requests wait.
    hooks: [on(integrationLeaving, async (_ctx, { withinMs }) => withinMs === undefined)],
  });
});
afterAll(async () => await server[Symbol.asyncDispose]());

test("an integration says that it is being deleted until it is gone", async () => {
  const { call, installation } = server;
  const { ctx, clock } = installation;
  const key = await server.newKey(ctx, "environment:*");
  for (const unique_key of ["leaving", "staying"]) {
    await call(key, "POST", "/integrations", { provider: "github", unique_key });
  }
  const since = clock.now().toISOString();

  const deleted = await call(key, "DELETE", "/integrations/leaving");
  clock.advance(1000);
  const again = await call(key, "DELETE", "/integrations/leaving");
  const meanwhile = await call(key, "GET", "/integrations/leaving");
  const listed = await call(key, "GET", "/integrations");
  await integrationTaskHandlers.remove(
    ctx,
    { environment: ctx.environment, uniqueKey: "leaving" },
    { number: 1, isLast: false },
  );
  const after = await call(key, "GET", "/integrations/leaving");

  expect([deleted.status, again.status]).toEqual([200, 200]);
  expect(meanwhile.body.data.deleting_since).toBe(since);
  expect(
    listed.body.data.map(({ deleting_since }: { deleting_since?: string }) => deleting_since),
  ).toEqual([since, undefined]);
  expect(after.status).toBe(404);
});
