import { createServer, type RequestListener } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createEgress } from "#foundation/egress";
import { startTestResolver, type TestResolver } from "#foundation/egress/testing";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { callProvider } from "./call-provider.ts";
import {
  callProxy,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
} from "./testing/proxy-under-test.ts";

// The provider behind 127.0.0.2 stands for a public one; its name then leads to 127.0.0.1, which must not be reached.
const OPEN = "127.0.0.2";
const CLOSED = "127.0.0.1";
const HOST = "api.rebind.example";

let installation: TestContext;
let ctx: EnvironmentContext;
let resolver: TestResolver;
let proxy: ProxyServer;
let prepared: Prepared;
let port = 0;
let answer: RequestListener;
const reached: string[] = [];

const provider = createServer((request, response) => {
  reached.push(request.socket.localAddress ?? "");
  response.setHeader("connection", "close");
  answer(request, response);
});

beforeAll(async () => {
  installation = await createTestContext();
  resolver = await startTestResolver();
  await new Promise<void>((resolve) => provider.listen({ port: 0, host: "::" }, resolve));
  const address = provider.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  const { log } = installation.ctx;
  const http = createEgress({ allow: [OPEN], log, lookup: resolver.lookup });
  ctx = { ...installation.ctx, http };
  await ensureLogPartitions(ctx);
  proxy = await startProxy(ctx);
  prepared = await prepareConnection(ctx, { baseUrl: `http://${HOST}:${port}` });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await ctx.http[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
  await resolver[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});
beforeEach(() => {
  reached.length = 0;
  answer = (_request, response) => response.end("ok");
});

async function codeOf(headers: readonly string[] = [], method = "GET"): Promise<string> {
  const { status, body } = await callProxy(proxy, prepared, { method, headers });
  return status < 400 ? String(status) : JSON.parse(body.toString()).error.code;
}

function expectOnlyOpen(calls: number): void {
  expect(reached.map((address) => address.replace("::ffff:", ""))).toEqual(
    Array.from({ length: calls }, () => OPEN),
  );
}

test.each(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])(
  "a provider whose name moves inside is not called by %s",
  async (method) => {
    resolver.set(HOST, [CLOSED]);

    const { status } = await callProxy(proxy, prepared, { method });

    expect(status).toBe(400);
    expectOnlyOpen(0);
  },
);

test("each retry is judged by its own lookup", async () => {
  resolver.set(HOST, [OPEN], [CLOSED]);
  answer = (_request, response) => response.writeHead(503, { "retry-after": "0" }).end();

  const code = await codeOf(["Retries", "3"]);

  expect(code).toBe("destination_not_allowed");
  expectOnlyOpen(1);
});

test("a retry after a connection that was refused does not go inside", async () => {
  resolver.set(HOST, [OPEN], ["::1"]);
  answer = (request) => request.socket.resetAndDestroy();

  const code = await codeOf(["Retries", "1"]);

  expect(code).toBe("destination_not_allowed");
  expectOnlyOpen(1);
}, 20_000);

test.each([301, 302, 303, 307, 308])(
  "a redirect by %d to the same name is judged again",
  async (status) => {
    resolver.set(HOST, [OPEN], [CLOSED]);
    answer = (_request, response) => response.writeHead(status, { location: "/next" }).end();

    const code = await codeOf(["Follow-Redirects", "true"]);

    expect(code).toBe("destination_not_allowed");
    expectOnlyOpen(1);
  },
);

test.each([
  ["a name that leads inside", [CLOSED]],
  ["a mapped address", ["::ffff:127.0.0.1"]],
  ["NAT64", ["64:ff9b::7f00:1"]],
  ["6to4", ["2002:7f00:1::"]],
  ["a public address next to a private one", ["192.0.43.8", CLOSED]],
])("a redirect to %s is not followed", async (_what, addresses) => {
  resolver.set(HOST, [OPEN]);
  resolver.set("other.rebind.example", addresses);
  const location = `http://other.rebind.example:${port}/`;
  answer = (_request, response) => response.writeHead(302, { location }).end();

  const code = await codeOf(["Follow-Redirects", "true"]);

  expect(code).toBe("destination_not_allowed");
  expectOnlyOpen(1);
});

test("the fifth redirect is judged like the first", async () => {
  resolver.set(HOST, [OPEN], [OPEN], [OPEN], [OPEN], [CLOSED]);
  answer = (_request, response) => response.writeHead(302, { location: "/next" }).end();

  const code = await codeOf(["Follow-Redirects", "true"]);

  expect(code).toBe("destination_not_allowed");
  expectOnlyOpen(4);
});

test("an upgrade to WebSocket resolves nothing", async () => {
  resolver.set(HOST, [CLOSED]);
  resolver.asked.length = 0;

  const code = await codeOf(["Connection", "Upgrade", "Upgrade", "websocket"]);

  expect(code).toBe("invalid_headers");
  expect(resolver.asked).toEqual([]);
  expectOnlyOpen(0);
});

test("pages of a function are judged one by one, and retried with their own lookups", async () => {
  resolver.set(HOST, [OPEN], [OPEN], [CLOSED]);
  const readPage = async (page: number) =>
    await callProvider(ctx, {
      ...prepared,
      method: "GET",
      endpoint: `/items?page=${page}`,
      query: [],
      headers: {},
      body: undefined,
      baseUrlOverride: undefined,
      retries: 2,
      retryOn: [],
      decompress: false,
      followRedirects: true,
    });

  const first = await readPage(1);
  const second = await readPage(2);

  expect([first.status, second.status]).toEqual([200, 200]);
  await expect(readPage(3)).rejects.toMatchObject({ code: "destination_not_allowed" });
  expectOnlyOpen(2);
});

test("calls at once go where each lookup led, and nowhere else", async () => {
  const turns = Array.from({ length: 20 }, (_, turn) => [turn % 2 === 0 ? CLOSED : OPEN]);
  resolver.set(HOST, ...turns);

  const codes = await Promise.all(turns.map(async () => await codeOf()));

  expect(new Set(codes)).toEqual(new Set(["200", "destination_not_allowed"]));
  expectOnlyOpen(codes.filter((code) => code === "200").length);
});
