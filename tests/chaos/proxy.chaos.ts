import { readdirSync } from "node:fs";
import { type IncomingMessage, request as sendRequest } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import {
  addConnection,
  addIntegration,
  callHeaders,
  startPlatform,
  startUpstream,
} from "../proxy/proxied-api.ts";

const TRIALS = 200;
const GIGABYTE = 2 ** 30;
const cleanUp = new AsyncDisposableStack();
let platform: PlatformProcess;
let open = 0;

const piece = Buffer.alloc(64 * 1024);

beforeAll(async () => {
  const upstreamUrl = await startUpstream(cleanUp, (request, response) => {
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
  const database = cleanUp.use(await createTestDatabase());
  const env = { SVC_DATABASE_URL: database.connectionString, SVC_ROLES: "api" };
  platform = await startPlatform(cleanUp, env);
  await addIntegration(platform, upstreamUrl);
  await addConnection(platform, "one");
});
afterAll(async () => await cleanUp.disposeAsync());

/** Reads the first kilobyte and hangs up. */
async function readALittle(): Promise<void> {
  const call = sendRequest(`${platform.url}/proxy/x`, {
    agent: false,
    headers: callHeaders("one"),
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
