import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, SECOND } from "#foundation";
import { type TestApp, testApp } from "#testing";
import { destinations } from "../index.ts";
import { bucketEnvironment, linesOf } from "../testing/bucket-destinations.ts";
import { startTestBucket } from "../testing/test-bucket.ts";
import { createDeliveryWork } from "./delivery-work.ts";

let app: TestApp;
let caller: EnvironmentContext;

beforeAll(async () => {
  app = await testApp({
    slices: [destinations],
    caller: async ({ signal }) => ({ ...caller, signal }),
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());

/** Takes connections and says nothing, as long as anybody waits. */
async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server on a port of TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get connections() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

test("an environment with twenty silent targets does not hold up the target of another", async () => {
  await using silent = await startSilentServer();
  await using bucket = await startTestBucket();
  const slow = await bucketEnvironment(app);
  caller = slow.ctx;
  await slow.save("Contact", ["1"]);
  for (let index = 0; index < 20; index += 1) {
    const url = `postgres://u:p@127.0.0.1:${silent.port}/app?sslmode=disable`;
    const half = { name: `silent ${index}`, prefix: `silent/${index}` };
    const endpoint = `http://127.0.0.1:${silent.port}`;
    if (index % 2 === 0) await slow.create({ endpoint }, half);
    else
      await slow.call("POST", "", {
        ...half,
        prefix: undefined,
        type: "postgres",
        url,
        table: `t${index}`,
      });
  }
  const work = createDeliveryWork();
  const startedAt = performance.now();
  const claim = async () => {
    for (let claimed = 1; claimed > 0; ) ({ claimed } = await work.claim(app.ctx, () => {}));
  };
  await claim();
  await expect.poll(() => silent.connections).toBeGreaterThan(2);
  // Comes last, when the other has all that it may have.
  const other = await bucketEnvironment(app);
  caller = other.ctx;
  await other.save("Contact", ["1"]);
  await other.create(bucket);
  while (linesOf(bucket).length === 0 && performance.now() - startedAt < 8 * SECOND) {
    await claim();
    await sleep(20);
  }
  const tookMs = performance.now() - startedAt;

  expect(linesOf(bucket)).toHaveLength(1);
  // Silent targets are given up after ten seconds at the earliest.
  expect(tookMs).toBeLessThan(8 * SECOND);
  await silent[Symbol.asyncDispose]();
  await work.drain?.();
}, 60_000);
