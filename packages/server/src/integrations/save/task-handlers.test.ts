import { afterAll, beforeAll, expect, test } from "vitest";
import { type KeyedServer, startKeyedServer } from "#testing";
import { integrationTaskHandlers } from "./task-handlers.ts";

let server: KeyedServer;

beforeAll(async () => {
  server = await startKeyedServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

test("what a deleted environment held is removed, and nothing of another", async () => {
  const { call, installation, other } = server;
  const account = await server.newKey("account", "account:*");
  const made = await call(account, "POST", "/environments", { name: "doomed" });
  const { id, api_key } = made.body.data;
  for (const key of [api_key.secret, await server.newKey(other, "environment:*")]) {
    await call(key, "POST", "/integrations", {
      provider: "unauthenticated",
      unique_key: "one",
      integration_config: { base_url: "http://127.0.0.1:9" },
    });
    await call(key, "POST", "/connections", {
      provider_config_key: "one",
      credentials: { type: "NONE" },
    });
  }
  await call(account, "DELETE", `/environments/${id}`);
  const { rows: jobs } = await installation.database.pool.query(
    "select payload from graphile_worker._private_jobs",
  );

  for (const _attempt of [1, 2]) {
    await integrationTaskHandlers.removeEnvironment(installation.ctx, jobs[0].payload, {
      number: 1,
      isLast: false,
    });
  }

  const { rows } = await installation.database.pool.query(
    "select environment_id, deleted_at is null as live, length(credentials) as bytes from connections",
  );
  expect(rows).toHaveLength(2);
  for (const row of rows) {
    const isDoomed = row.environment_id === id;
    expect([row.live, row.bytes > 0]).toEqual(isDoomed ? [false, false] : [true, true]);
  }
});
