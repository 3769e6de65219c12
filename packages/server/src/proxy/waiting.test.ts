import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type EnvironmentContext, Hooks, on, systemClock } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions, flushLogs } from "#logs";
import { callProvider } from "./call-provider.ts";
import { type QuotaWaiting, quotaWaiting } from "./hooks.ts";
import {
  callProxy,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
  type WireAnswer,
} from "./testing/proxy-under-test.ts";
import { type RawUpstream, startRawUpstream } from "./testing/raw-upstream.ts";

let installation: TestContext;
let ctx: EnvironmentContext;
let upstream: RawUpstream;
let proxy: ProxyServer;
let prepared: Prepared;

beforeAll(async () => {
  installation = await createTestContext();
  // What waits must see its time come.
  ctx = { ...installation.ctx, clock: systemClock };
  await ensureLogPartitions(ctx);
  upstream = await startRawUpstream();
  proxy = await startProxy(ctx);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});
beforeEach(async () => {
  upstream.requests.length = 0;
  upstream.respond = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  prepared = await prepareConnection(ctx, { baseUrl: upstream.origin });
});

/** The provider says that the quota is used up for so long. */
async function useUp(seconds: string): Promise<void> {
  const lines = [
    "HTTP/1.1 200 OK",
    "Content-Length: 0",
    "X-RateLimit-Remaining: 0",
    `X-RateLimit-Reset: ${seconds}`,
  ];
  const answer = upstream.respond;
  upstream.respond = (socket) => socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await callProxy(proxy, prepared);
  upstream.respond = answer;
}

async function call(...headers: string[]): Promise<WireAnswer> {
  return await callProxy(proxy, prepared, { headers });
}

test("without Rate-Limit-Wait a call goes out although the quota is used up", async () => {
  await useUp("60");

  const { status } = await call();

  expect(status).toBe(200);
  expect(upstream.requests).toHaveLength(2);
});

test("with Rate-Limit-Wait a call waits for the quota, if that is soon enough", async () => {
  await useUp("0.3");

  const startedAt = performance.now();
  const { status } = await call("Rate-Limit-Wait", "5");

  expect(status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThan(200);
});

test("with Rate-Limit-Wait a call that would wait longer is refused with the time", async () => {
  await useUp("60");

  const answer = await call("Rate-Limit-Wait", "5");

  expect(answer.status).toBe(429);
  expect(JSON.parse(answer.body.toString()).error.code).toBe("too_many_request");
  const at = answer.headers.findIndex((name) => name.toLowerCase() === "retry-after");
  expect(Number(answer.headers[at + 1])).toBeGreaterThan(55);
  expect(answer.headers.join("|").toLowerCase()).toContain("svc-error-source|platform");
  expect(upstream.requests).toHaveLength(1);
});

test("a function waits, and interactive calls go first", async () => {
  await useUp("0.5");
  const order: string[] = [];
  upstream.respond = (socket, request) => {
    order.push(request.lines[0] ?? "");
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  };

  const byFunction = callProvider(ctx, {
    ...prepared,
    method: "GET",
    endpoint: "/function",
    query: [],
    headers: {},
    body: undefined,
    baseUrlOverride: undefined,
    retries: 0,
    retryOn: [],
    decompress: false,
    followRedirects: true,
  });
  const interactive = callProxy(proxy, prepared, {
    path: "/proxy/interactive",
    headers: ["Rate-Limit-Wait", "5"],
  });
  await Promise.all([byFunction, interactive]);

  expect(order).toEqual(["GET /interactive HTTP/1.1", "GET /function HTTP/1.1"]);
});

test.each(["-1", "1.5", "soon", "3601", "1e3"])("refuses Rate-Limit-Wait: %s", async (text) => {
  const answer = await call("Rate-Limit-Wait", text);

  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body.toString()).error.code).toBe("invalid_headers");
});

test("Svc-Timing asks for a Server-Timing header next to the provider's own", async () => {
  upstream.respond = (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nServer-Timing: db;dur=1\r\nContent-Length: 0\r\n\r\n");

  const timed = await call("Svc-Timing", "true");
  const plain = await call();

  const own =
    /^auth;dur=\d+\.\d\d, credentials;dur=\d+\.\d\d, wait;dur=\d+\.\d\d, upstream;dur=\d+\.\d\d$/;
  expect(timed.headers).toContain("db;dur=1");
  expect(timed.headers.some((value) => own.test(value))).toBe(true);
  expect(plain.headers.some((value) => own.test(value))).toBe(false);
});

test("a wait that a provider tells in the body is kept to, and an answer that stands is handed on as it is", async () => {
  const refusal = gzipSync('{ "ok": false, "parameters": { "retry_after": 0 } }');
  const head = `Content-Encoding: gzip\r\nContent-Length: ${refusal.byteLength}`;
  const settings = { overrides: { base_url: upstream.origin } };
  const telegram = await prepareConnection(ctx, { baseUrl: "", provider: "telegram", settings });
  let count = 0;
  upstream.respond = (socket) => {
    count += 1;
    if (count === 2) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    else
      socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 429 Many\r\n${head}\r\n\r\n`), refusal]));
  };

  const retried = await callProxy(proxy, telegram, { headers: ["Retries", "1"] });
  const stands = await callProxy(proxy, telegram);
  await flushLogs(ctx);

  expect([retried.status, stands.status]).toEqual([200, 429]);
  expect(stands.body).toEqual(refusal);
  const { rows } = await installation.database.pool.query(
    `select m.message from operation_messages m join operations o on o.id = m.operation_id
      where o.connection ->> 'id' = $1`,
    [String(telegram.connection.id)],
  );
  const message = "Attempt 1 was answered with 429; the next follows in 0 ms.";
  expect(rows).toEqual([{ message }]);
});

test("attempts before the last leave messages in the call's operation", async () => {
  upstream.respond = (socket, _request, count) => {
    if (count === 1) socket.resetAndDestroy();
    else {
      const status = count === 2 ? "503 Busy\r\nRetry-After: 0" : "200 OK";
      socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    }
  };

  const { status } = await call("Retries", "3");
  await flushLogs(ctx);

  expect(status).toBe(200);
  const { rows } = await installation.database.pool.query(
    `select m.level, m.message, m.response, m.error ->> 'type' as error from operation_messages m
       join operations o on o.id = m.operation_id
      where o.connection ->> 'id' = $1 and o.state = 'success' order by m.id`,
    [String(prepared.connection.id)],
  );
  expect(rows).toEqual([
    {
      level: "warn",
      message: expect.stringMatching(/^Attempt 1 failed: .+ the next follows in 3000 ms\.$/),
      response: null,
      error: "upstream_unreachable",
    },
    {
      level: "warn",
      message: "Attempt 2 was answered with 503; the next follows in 0 ms.",
      response: { code: 503 },
      error: null,
    },
  ]);
  const { rows: operations } = await installation.database.pool.query(
    `select meta -> 'timing' as timing from operations
      where connection ->> 'id' = $1 and state = 'success' order by id desc limit 1`,
    [String(prepared.connection.id)],
  );
  expect(operations).toEqual([
    { timing: expect.objectContaining({ wait: expect.any(Number), upstream: expect.any(Number) }) },
  ]);
});

test("a provider that takes no connections is not tried by every call", async () => {
  const gone = await prepareConnection(ctx, { baseUrl: "http://127.0.0.1:1" });

  const statuses: number[] = [];
  for (let n = 0; n < 7; n += 1) statuses.push((await callProxy(proxy, gone)).status);

  expect(statuses).toEqual([502, 502, 502, 502, 502, 503, 503]);
});

test("functions learn the network's code", async () => {
  const gone = await prepareConnection(ctx, { baseUrl: "http://127.0.0.1:2" });

  const { body, status } = await callProxy(proxy, gone);

  expect(status).toBe(502);
  expect(JSON.parse(body.toString()).error).toMatchObject({
    code: "upstream_unreachable",
    errors: [{ code: "ECONNREFUSED" }],
  });
});

test("a function that is held back for long says until when, once; a short wait says nothing", async () => {
  const heard: QuotaWaiting[] = [];
  const leaving = new AbortController();
  const hooks = new Hooks([on(quotaWaiting, async (_ctx, waiting) => void heard.push(waiting))]);
  const actor = { kind: "function", runId: "run", connection: prepared.connection.uuid } as const;
  const caller = { ...ctx, actor, hooks, signal: leaving.signal };
  const ask = async () =>
    await callProvider(caller, {
      ...prepared,
      method: "GET",
      endpoint: "/",
      query: [],
      headers: {},
      body: undefined,
      baseUrlOverride: undefined,
      retries: 0,
      retryOn: [],
      decompress: false,
      followRedirects: true,
    });

  await useUp("1");
  await ask();
  const afterShort = heard.length;
  await useUp("30");
  const from = Date.now();
  const held = ask().catch(() => undefined);
  await expect.poll(() => heard.length).toBe(1);
  leaving.abort();
  await held;

  expect(afterShort).toBe(0);
  expect(heard[0]?.runId).toBe("run");
  expect(heard[0]?.until.getTime()).toBeGreaterThan(from + 25_000);
  expect(heard[0]?.until.getTime()).toBeLessThan(from + 35_000);
});
