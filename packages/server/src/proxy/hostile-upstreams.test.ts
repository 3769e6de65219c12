import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createEgress } from "#foundation/egress";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import {
  callProxy,
  openCall,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
  waitForAnswer,
} from "./testing/proxy-under-test.ts";

let installation: TestContext;
let ctx: EnvironmentContext;
let proxy: ProxyServer;
let prepared: Prepared;
let origin: string;
let behave: (socket: Socket) => void;
const sockets = new Set<Socket>();

const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.on("error", () => socket.destroy());
  socket.once("data", () => behave(socket));
});

beforeAll(async () => {
  installation = await createTestContext();
  const http = createEgress({
    allow: ["127.0.0.1/32"],
    log: installation.ctx.log,
    headersTimeoutMs: 300,
    idleTimeoutMs: 300,
  });
  ctx = { ...installation.ctx, http };
  await ensureLogPartitions(ctx);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  origin = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  proxy = await startProxy(ctx);
  prepared = await prepareConnection(ctx, { baseUrl: `http://${origin}` });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await ctx.http[Symbol.asyncDispose]();
  for (const socket of sockets) socket.destroy();
  server.close();
  await installation[Symbol.asyncDispose]();
});

const ok = "HTTP/1.1 200 OK\r\n";

test.each<[string, (socket: Socket) => unknown, number, string]>([
  [
    "a header of 1 MB",
    (socket) => socket.write(`${ok}X: ${"a".repeat(2 ** 20)}\r\n\r\n`),
    502,
    "upstream_unreachable",
  ],
  [
    "10 000 headers",
    (socket) => socket.write(`${ok}${"X-Header: value\r\n".repeat(10_000)}\r\n`),
    502,
    "upstream_unreachable",
  ],
  [
    "no HTTP at all",
    (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"),
    502,
    "upstream_unreachable",
  ],
  ["HTTP/0.9", (socket) => socket.end("<html>hello</html>"), 502, "upstream_unreachable"],
  ["a close without a word", (socket) => socket.end(), 502, "upstream_unreachable"],
  ["a reset", (socket) => socket.resetAndDestroy(), 502, "upstream_unreachable"],
  ["half a status line", (socket) => socket.end("HTTP/1.1 20"), 502, "upstream_unreachable"],
  [
    "two lengths",
    (socket) => socket.write(`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
    502,
    "upstream_unreachable",
  ],
  ["silence", () => undefined, 504, "upstream_timeout"],
  ["one header after the other", (socket) => void drip(socket), 504, "upstream_timeout"],
])("%s is reported as a failure of the provider", async (_name, does, status, code) => {
  behave = does;

  const answer = await callProxy(proxy, prepared);

  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body.toString()).error.code).toBe(code);
  expect(answer.headers.join("|").toLowerCase()).toContain("svc-error-source|platform");
});

function drip(socket: Socket): void {
  socket.write(ok);
  const timer = setInterval(() => socket.write("X-A: b\r\n"), 50);
  socket.on("close", () => clearInterval(timer));
}

test.each<[string, (socket: Socket) => unknown]>([
  [
    "a malformed chunk",
    (socket) => socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n`),
  ],
  ["a body that ends early", (socket) => socket.end(`${ok}Content-Length: 100\r\n\r\nhello`)],
  [
    "a reset in the middle",
    (socket) =>
      void socket.write(`${ok}Content-Length: 100\r\n\r\nhello`, () => socket.resetAndDestroy()),
  ],
  ["a body that stops coming", (socket) => socket.write(`${ok}Content-Length: 100\r\n\r\nhello`)],
])("%s cuts the answer off, and is not taken for the whole", async (_name, does) => {
  behave = does;
  const call = openCall(proxy, prepared, {});
  const answering = waitForAnswer(call);
  call.end();

  const answer = await answering;
  const reading = answer.toArray();

  await expect(reading).rejects.toThrow("aborted");
});

test("a certificate that nobody knows is reported as such", async () => {
  const secure = await prepareConnection(ctx, { baseUrl: `https://${origin}` });
  behave = (socket) => socket.end("this is no TLS");

  const { status, body } = await callProxy(proxy, secure);

  expect(status).toBe(502);
  expect(JSON.parse(body.toString()).error.code).toBe("upstream_tls_error");
});

test("a bomb stays packed, and one that is unpacked flows with back-pressure", async () => {
  const unpackedBytes = 100 * 2 ** 20;
  const bomb = gzipSync(Buffer.alloc(unpackedBytes));
  behave = (socket) => {
    const head = `Content-Encoding: gzip\r\nContent-Length: ${bomb.byteLength}`;
    socket.write(`${ok}Connection: close\r\n${head}\r\n\r\n`);
    socket.end(bomb);
  };

  const packed = await callProxy(proxy, prepared);
  const unpacked = await callProxy(proxy, prepared, { headers: ["Decompress", "true"] });

  expect(packed.body.equals(bomb)).toBe(true);
  expect(unpacked.body.byteLength).toBe(unpackedBytes);
});

test("others are served while fifty providers say nothing", async () => {
  const slow = "GET /slow";
  behave = () => undefined;
  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      if (!chunk.toString("latin1").startsWith(slow))
        socket.write(`${ok}Content-Length: 2\r\n\r\nok`);
    });
  });

  const silent = Array.from({ length: 50 }, async () => {
    return await callProxy(proxy, prepared, { path: "/proxy/slow" });
  });
  const served = await Promise.all(
    Array.from({ length: 20 }, async () => await callProxy(proxy, prepared)),
  );

  expect(served.every(({ status }) => status === 200)).toBe(true);
  expect((await Promise.all(silent)).every(({ status }) => status === 504)).toBe(true);
});
