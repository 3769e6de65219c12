import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
async function read(key: string): Promise<{ status: number; body: any }> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${api.url}/installation`, { headers });
  return { status: response.status, body: await response.json() };
}

test("the installation says how its parts do, measured now", async () => {
  const key = await api.keyOf("account", ["account:installation:read"]);

  const { body } = await vi.waitFor(async () => {
    const answer = await read(key);
    expect(answer.body.data.workers).toHaveLength(1);
    return answer;
  });

  const { data } = body;
  expect(data).toMatchObject({
    node_version: process.versions.node,
    roles: ["api", "worker"],
    not_ready: null,
    workers: [{ is_alive: true }],
    migrations: { pending: [] },
    key_ring: { under_other_master_keys: 0, other_holders: 0, is_rotating: false },
    addresses: { server: api.url },
  });
  expect(data.migrations.applied).toBeGreaterThan(40);
  expect(data.database.bytes).toBeGreaterThan(1_000_000);
  expect(data.database.connections).toBeGreaterThan(0);
  expect(data.disk.free_bytes).toBeGreaterThan(0);
  expect(data.key_ring.data_keys).toBeGreaterThan(0);
});

test("keys of an environment, and of the account without the scope, do not see it", async () => {
  const ofEnvironment = await read(await api.keyOf("dev", ["environment:*"]));
  const withoutScope = await read(await api.keyOf("account", ["account:users:list"]));

  expect([ofEnvironment.status, withoutScope.status]).toEqual([403, 403]);
});
