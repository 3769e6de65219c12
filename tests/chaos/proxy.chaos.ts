import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { createServer, type IncomingMessage, request as sendRequest } from "node:http";
import { makeDataFolder, type PlatformProcess, startPlatformProcess } from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase } from "../../packages/server/src/platform/testing/index.ts";

const TRIALS = 200;
const GIGABYTE = 2 ** 30;
const key = randomUUID();
const cleanUp = new AsyncDisposableStack();
let platform: PlatformProcess;
let open = 0;

const piece = Buffer.alloc(64 * 1024);
const upstream = createServer((request, response) => {
  request.resume();
  open += 1;
  response.on("close", () => {
    open -= 1;
  });
  response.writeHead(200, { "content-length": GIGABYTE });
  const send = () => {
    while (response.write(piece));
    response.once("drain", send);
  };
  send();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  cleanUp.defer(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const address = upstream.address();
  const database = cleanUp.use(await createTestDatabase());
  const folder = cleanUp.use(await makeDataFolder());
  const env = {
    SVC_DATABASE_URL: database.connectionString,
    SVC_BOOTSTRAP_KEY: key,
    SVC_ROLES: "api",
  };
  platform = await startPlatformProcess({ dataDir: folder.path, env });
  cleanUp.defer(async () => void (await platform.stop()));
  await post("/integrations", {
    provider: "private-api-bearer",
    unique_key: "api",
    integration_config: {
      base_url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    },
  });
  await post("/connections", {
    provider_config_key: "api",
    connection_id: "one",
    credentials: { type: "API_KEY", apiKey: "secret" },
  });
});
afterAll(async () => await cleanUp.disposeAsync());

async function post(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const text = JSON.stringify(body);
  const response = await fetch(`${platform.url}${path}`, { method: "POST", headers, body: text });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
}

/** Reads the first kilobyte and hangs up. */
async function readALittle(): Promise<void> {
  const call = sendRequest(`${platform.url}/proxy/x`, {
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      "provider-config-key": "api",
      "connection-id": "one",
    },
  });
  const answering = new Promise<IncomingMessage>((resolve, reject) => {
    call.once("response", resolve);
    call.once("error", reject);
  });
  call.end();
  const answer = await answering;
  await new Promise<void>((resolve) => answer.once("data", () => resolve()));
  call.on("error", () => undefined);
  call.destroy();
}

function countFiles(): number {
  return readdirSync(`/proc/${platform.processId}/fd`).length;
}

test("P9: a caller that hangs up ends the provider's answer, 200 times, and no descriptor stays", async () => {
  await readALittle();
  await vi.waitFor(() => expect(open).toBe(0), { timeout: 5000 });
  const before = countFiles();

  for (let trial = 0; trial < TRIALS; trial += 1) {
    await readALittle();
    await vi.waitFor(() => expect(open).toBe(0), { timeout: 5000, interval: 5 });
  }

  await vi.waitFor(() => expect(countFiles()).toBeLessThanOrEqual(before + 5), { timeout: 5000 });
});
