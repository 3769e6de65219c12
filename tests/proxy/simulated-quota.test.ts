import { startThrowAwayServer } from "@jackfield/server";
import { describeIntegration, startVendor } from "@jackfield/simulator";
import { expect, test, vi } from "vitest";

const CONNECTIONS = 120;
const QUOTA = 40;

test("connections on one quota of the simulator wait in turn: at most one call is refused, and the list says who waits", async () => {
  await using server = await startThrowAwayServer();
  await using vendor = await startVendor("openai");
  const headers = { authorization: `Bearer ${server.newKeys?.dev}` };
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers and compares what it finds
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return await response.json();
  };
  const { settings } = describeIntegration(vendor);
  await call("POST", "/integrations", { provider: "openai", unique_key: "ai", settings });
  const { credentials } = vendor.newConnection() ?? {};
  const ids = Array.from({ length: CONNECTIONS }, (_, index) => `c${index}`);
  for (const connection_id of ids) {
    await call("POST", "/connections", { provider_config_key: "ai", connection_id, credentials });
  }
  const proxied = async (connection: string) =>
    await fetch(`${server.url}/proxy/v1/models`, {
      headers: {
        ...headers,
        ...{ "provider-config-key": "ai", "connection-id": connection },
        "rate-limit-wait": "60",
      },
    });

  vendor.setFaults({ app_quota: QUOTA, app_quota_s: 3 });
  const sent = Promise.all(ids.map(proxied));
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let app: any;
  await vi.waitFor(
    async () => {
      const { data } = await call("GET", "/rate-limits?provider_config_key=ai");
      app = data.find((each: { scope: string }) => each.scope === "app");
      expect(app?.waiting.people.longest_wait_ms).toBeGreaterThan(100);
    },
    { timeout: 20_000, interval: 50 },
  );
  const answers = await sent;

  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
  expect(vendor.countOverQuota()).toBeLessThanOrEqual(1);
  expect(app).toMatchObject({
    ...{ provider_config_key: "ai", provider: "openai", connection_id: null, limit: QUOTA },
    resets_at: expect.stringMatching(/Z$/),
    waiting: { syncs: { calls: 0, longest_wait_ms: 0 } },
  });
  expect(app.remaining).toBeLessThan(QUOTA);
  expect(app.waiting.people.calls).toBeGreaterThan(0);
  expect(app.waiting.people.calls).toBeLessThan(CONNECTIONS);
  expect(ids).toContain(app.waiting_connections[0].connection_id);
}, 60_000);
