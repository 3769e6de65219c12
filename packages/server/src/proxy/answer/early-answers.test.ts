import { Agent } from "node:http";
import { createServer } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { toWire } from "../testing/answer-samples.ts";
import {
  callProxy,
  openCall,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
  waitForAnswer,
} from "../testing/proxy-under-test.ts";
import { type RawUpstream, startRawUpstream } from "../testing/raw-upstream.ts";

let installation: TestContext;
let upstream: RawUpstream;
let proxy: ProxyServer;
let prepared: Prepared;

beforeAll(async () => {
  installation = await createTestContext();
  await ensureLogPartitions(installation.ctx);
  upstream = await startRawUpstream();
  proxy = await startProxy(installation.ctx);
  prepared = await prepareConnection(installation.ctx, { baseUrl: upstream.origin });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

test("an answer that comes before the whole body is there still arrives, and the connection lives on", async () => {
  await using early = await startEarlyUpstream();
  const other = await prepareConnection(installation.ctx, { baseUrl: early.origin });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const size = 4 * 1024 * 1024;
  const headers = ["Content-Length", String(size)];
  const call = openCall(proxy, other, { method: "POST", headers, agent });
  const answering = waitForAnswer(call);
  call.write(Buffer.alloc(size / 2));

  const answer = await answering;
  const answered = await buffer(answer);
  call.end(Buffer.alloc(size / 2));
  upstream.respond = (socket) => socket.write(toWire({ name: "", body: "next" }));
  const next = openCall(proxy, prepared, { agent });
  const following = waitForAnswer(next);
  next.end();

  expect([answer.statusCode, answered.byteLength]).toEqual([413, EARLY_ANSWER_BYTES]);
  expect((await buffer(await following)).toString()).toBe("next");
  agent.destroy();
});

test.each(["/proxy/..%2fx", "/proxy/unreachable"])(
  "a refused upload to %s leaves the connection usable",
  async (path) => {
    const other = await prepareConnection(installation.ctx, { baseUrl: "http://127.0.0.1:9" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = Buffer.alloc(4 * 1024 * 1024);
    upstream.respond = (socket) => socket.write(toWire({ name: "", body: "next" }));

    const refused = await callProxy(proxy, other, { method: "POST", path, body, agent });
    const next = await callProxy(proxy, prepared, { agent });

    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(next.body.toString()).toBe("next");
    agent.destroy();
  },
);

// More than fits into the buffers on the way.
const EARLY_ANSWER_BYTES = 8 * 1024 * 1024;

/** Answers 413 to the head alone and closes. */
async function startEarlyUpstream(): Promise<{ origin: string } & AsyncDisposable> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => {
      socket.write(`HTTP/1.1 413 Too Large\r\nContent-Length: ${EARLY_ANSWER_BYTES}\r\n\r\n`);
      socket.end(Buffer.alloc(EARLY_ANSWER_BYTES));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
