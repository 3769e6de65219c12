import { describeIntegration, startVendor, type Vendor } from "@jackfield/simulator";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FunctionsUnderTest, startFunctions } from "./setup.ts";

let platform: FunctionsUnderTest;
let vendor: Vendor;
let made = 0;
let connectionId = "";

beforeAll(async () => {
  platform = await startFunctions();
  vendor = await startVendor("hubspot");
  await platform.call("POST", "/integrations", {
    body: { ...describeIntegration(vendor), unique_key: "hub" },
  });
  await deploy("calls", "action", callsSource);
});
afterAll(async () => {
  await vendor[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});
beforeEach(async () => {
  made += 1;
  connectionId = `customer-${made}`;
  const created = await platform.call("POST", "/connections", {
    body: { provider_config_key: "hub", connection_id: connectionId, ...vendor.newConnection() },
  });
  expect(created.status).toBe(201);
});

const callsSource = `import { createAction } from "jackfield";
import { z } from "zod";
const methods = ["get", "post", "put", "patch", "delete"] as const;
export default createAction({
  description: "Calls the provider several times at once.",
  input: z.object({ method: z.enum([...methods, "proxy"]), times: z.number(), retries: z.number() }),
  output: z.array(z.number()),
  exec: async (svc, { method, times, retries }) => {
    const config = { endpoint: "/sample/thing", retries };
    const ask = async () => method === "proxy"
      ? await svc.proxy({ ...config, method: "GET" })
      : await svc[method](method === "get" ? config : { ...config, data: { a: 1 } });
    const answers = await Promise.all(Array.from({ length: times }, ask));
    return answers.map(({ status }) => status);
  },
});
`;

const syncSource = `import { createSync } from "jackfield";
import { z } from "zod";
export default createSync({
  description: "Things.",
  frequency: "every hour",
  autoStart: false,
  models: { Thing: z.object({ id: z.string() }) },
  exec: async (svc) => {
    const { status } = await svc.get({ endpoint: "/sample/thing" });
    await svc.batchSave([{ id: String(status) }], "Thing");
  },
});
`;

async function deploy(name: string, type: "action" | "sync", code: string): Promise<void> {
  const { body } = await platform.call("POST", "/functions/deployments", {
    body: {
      type: "function",
      integration_id: "hub",
      function_name: name,
      function_type: type,
      code,
    },
  });
  const job = await platform.ended(`/functions/deployments/${body.id}`);
  expect(job, JSON.stringify(job.errors ?? job.error)).toMatchObject({ status: "success" });
}

async function setFaults(faults: object): Promise<void> {
  const body = JSON.stringify(faults);
  const answer = await fetch(`${vendor.origin}/.simulator/faults`, { method: "PUT", body });
  expect(answer.status).toBe(200);
}

const endTokens = async () => await setFaults({ expire_tokens: true });

async function trigger(input: object) {
  return await platform.call("POST", "/action/trigger", {
    headers: { "provider-config-key": "hub", "connection-id": connectionId },
    body: { action_name: "calls", input },
  });
}

test.each(["get", "proxy", "post", "put", "patch", "delete"])(
  "after a token that ended before its time, svc.%s succeeds with a new one",
  async (method) => {
    const renewed = vendor.countPassed("refresh");
    await endTokens();

    const answer = await trigger({ method, times: 1, retries: 0 });

    expect([answer.status, answer.body]).toEqual([200, [200]]);
    expect(vendor.countPassed("refresh") - renewed).toBe(1);
  },
);

test("calls that are refused together renew the token once", async () => {
  const renewed = vendor.countPassed("refresh");
  await endTokens();

  const answer = await trigger({ method: "get", times: 8, retries: 0 });

  expect([answer.status, answer.body]).toEqual([200, Array(8).fill(200)]);
  expect(vendor.countPassed("refresh") - renewed).toBe(1);
});

test("a sync that a 401 interrupts saves what it came for", async () => {
  await deploy("things", "sync", syncSource);
  const renewed = vendor.countPassed("refresh");
  await endTokens();

  const started = await platform.call("POST", "/sync/trigger", {
    body: { provider_config_key: "hub", connection_id: connectionId, syncs: ["things"] },
  });
  expect(started.status).toBe(200);

  await expect
    .poll(
      async () => {
        const headers = { "provider-config-key": "hub", "connection-id": connectionId };
        return (await platform.call("GET", "/records?model=Thing", { headers })).body.records;
      },
      { timeout: 20_000 },
    )
    .toMatchObject([{ id: "200" }]);
  expect(vendor.countPassed("refresh") - renewed).toBe(1);
});

test("a provider that refuses any token answers 401, and is asked for one token", async () => {
  const renewed = vendor.countPassed("refresh");
  await setFaults({ status: 401 });

  const first = await trigger({ method: "get", times: 3, retries: 0 });
  const second = await trigger({ method: "get", times: 3, retries: 0 });

  expect([first.status, second.status]).toEqual([424, 424]);
  expect(vendor.countPassed("refresh") - renewed).toBe(1);
});
