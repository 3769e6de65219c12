import { get, type IncomingMessage } from "node:http";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { AppError, type EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createNameAliases } from "#gateway";
import { ensureLogPartitions, flushLogs } from "#logs";
import { samples, toWire } from "./testing/answer-samples.ts";
import { expectExact } from "./testing/expect-exact.ts";
import { type FastPathServer, startFastPath } from "./testing/fast-path-server.ts";
import {
  callProxy,
  openCall,
  type Prepared,
  prepareConnection,
  waitForAnswer,
} from "./testing/proxy-under-test.ts";
import { type RawUpstream, startRawUpstream } from "./testing/raw-upstream.ts";

let installation: TestContext;
let ctx: EnvironmentContext;
let upstream: RawUpstream;
let server: FastPathServer;
let prepared: Prepared;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
  upstream = await startRawUpstream();
  server = await startFastPath(ctx);
  prepared = await prepareConnection(ctx, { baseUrl: `${upstream.origin}/base` });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});
beforeEach(async () => {
  upstream.requests.length = 0;
  server.passedOn.length = 0;
  upstream.respond = (socket) => socket.write(toWire({ name: "", body: "ok" }));
  await server.warm(prepared);
});

test.each(samples)("returns exactly, without the slow path: $name", async (sample) => {
  upstream.respond = (socket) => {
    socket.write(toWire(sample));
    if (sample.framing === "close") socket.end();
  };

  const answer = await callProxy(server, prepared, { method: sample.method ?? "GET" });

  expectExact(answer, sample);
  expect(server.passedOn).toEqual([]);
});

test("sends the request as it came, with the credential and without the caller's key", async () => {
  await callProxy(server, prepared, {
    method: "POST",
    path: "/proxy/a%2Fb/./c//d?x=%20&&y=a+b&z",
    headers: ["X-Odd-NAME", "1", "x-latin", "caf\u00e9", "Connection", "X-Hop", "X-Hop", "h"],
    body: '{"not json',
  });

  expect(server.passedOn).toEqual([]);
  const [request] = upstream.requests;
  expect(request?.lines.toSorted()).toEqual(
    [
      "POST /base/a%2Fb/./c//d?x=%20&&y=a+b&z HTTP/1.1",
      `host: ${upstream.origin.slice(7)}`,
      "connection: keep-alive",
      "X-Odd-NAME: 1",
      "x-latin: caf\u00e9",
      "authorization: Bearer UPSTREAM",
      "content-length: 10",
    ].toSorted(),
  );
  expect(request?.body.toString()).toBe('{"not json');
});

test.each([
  ["another path", { path: "/prox/x" }],
  ["a path that leaves the base", { path: "/proxy/../admin" }],
  ["a browser", { headers: ["Origin", "https://app.example"] }],
  ["retries", { headers: ["Retries", "1"] }],
  ["another base", { headers: ["base-url-override", "https://a.b"] }],
  ["decompression", { headers: ["Decompress", "true"] }],
  ["redirects", { headers: ["Follow-Redirects", "true"] }],
  ["timing", { headers: ["Svc-Timing", "true"] }],
  ["waiting", { headers: ["Rate-Limit-Wait", "1"] }],
  ["an upgrade", { headers: ["Connection", "Upgrade", "Upgrade", "websocket"] }],
  ["a preflight", { method: "OPTIONS", headers: ["Origin", "https://app.example"] }],
  ["a doubled key", { headers: ["Authorization", "Bearer other"] }],
  ["a doubled connection", { headers: ["connection-id", "other"] }],
  ["a header that cannot be set", { headers: ["svc-proxy-host", "a.b"] }],
])("leaves the rules for %s to others", async (_name, call) => {
  const answer = await callProxy(server, prepared, call);

  expect(answer.status).toBe(599);
  expect(server.passedOn).toHaveLength(1);
  expect(upstream.requests).toEqual([]);
});

test("a key without the scope, an unknown key and an unknown connection do not take the fast path", async () => {
  const { connection, integration } = prepared;
  const others = { ...prepared, connection: { ...connection, connectionId: "other" } };
  const unscoped = await server.addKey(["environment:connections:read"]);

  const answers = [
    await callProxy({ ...server, key: unscoped }, prepared),
    await callProxy({ ...server, key: "svc_key_unknown" }, prepared),
    await callProxy(server, others),
    await callProxy(server, { connection, integration: { ...integration, uniqueKey: "no" } }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([599, 599, 599, 599]);
  expect(upstream.requests).toEqual([]);
});

test("OPTIONS with a key is a call, also before anything is at hand", async () => {
  const cold = await prepareConnection(ctx, { baseUrl: upstream.origin });
  const { connection } = cold;

  const answer = await callProxy(server, cold, { method: "OPTIONS" });
  const unknown = { ...cold, connection: { ...connection, connectionId: "no" } };
  const refused = await callProxy(server, unknown, { method: "OPTIONS" });

  expect(answer.status).toBe(200);
  expect(upstream.requests.map(({ lines }) => lines[0])).toEqual(["OPTIONS /x HTTP/1.1"]);
  expect(refused.status).toBe(599);
});

test("what changes leaves the fast path at once", async () => {
  const { connection, integration } = prepared;
  const rows = [`connections ${connection.uuid}`, `integrations ${integration.id}`];
  const statuses: number[] = [];

  await server.warm(prepared);
  for (const row of [...rows, `environments ${ctx.environment.id}`]) {
    statuses.push((await callProxy(server, prepared)).status);
    server.announce(row);
    statuses.push((await callProxy(server, prepared)).status);
    await server.warm(prepared);
  }

  expect(statuses).toEqual([200, 599, 200, 599, 200, 599]);
});

test("the slow path reports a provider that accepts no connection", async () => {
  const gone = await prepareConnection(ctx, { baseUrl: "http://127.0.0.1:1" });
  await server.warm(gone);

  const answer = await callProxy(server, gone, { method: "POST", body: "x" });

  expect(answer.status).toBe(599);
  expect(server.passedOn).toEqual(["POST /proxy/x"]);
});

test("each call leaves its operation in the log", async () => {
  upstream.respond = (socket) => socket.write(toWire({ name: "", status: "418 Tea", body: "x" }));
  const own = await prepareConnection(ctx, { baseUrl: upstream.origin });
  await server.warm(own);

  await callProxy(server, own, { path: '/proxy/a"b?key=SECRET', method: "DELETE" });
  const rows = await vi.waitFor(async () => {
    await flushLogs(ctx);
    const found = await sql<Record<string, unknown>>`
      select type, action, state, level, message, integration, connection, request, response,
             actor ->> 'type' as by, ended_at >= started_at as ends, meta -> 'timing' as timing
        from operations where connection ->> 'id' = ${String(own.connection.id)}`.execute(ctx.db);
    expect(found.rows).toHaveLength(1);
    return found.rows;
  });

  expect(rows).toEqual([
    {
      type: "proxy",
      action: "call",
      state: "failed",
      level: "error",
      message: 'DELETE /a"b',
      integration: {
        id: own.integration.id,
        name: own.integration.uniqueKey,
        provider: "private-api-bearer",
      },
      connection: { id: own.connection.id, name: own.connection.connectionId },
      request: { method: "DELETE", url: `${upstream.origin}/a"b` },
      response: { code: 418 },
      by: "key",
      ends: true,
      timing: { upstream: expect.any(Number) },
    },
  ]);
});

test.each(["Bearer", "Bearer two words", "Bearer caf\u00e9"])(
  "leaves the Authorization `%s`, which cannot be read, to the slow path",
  async (authorization) => {
    const { port } = server;
    const { uniqueKey } = prepared.integration;
    const names = { "provider-config-key": uniqueKey, "connection-id": "x" };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { ...names, authorization };
      get({ host: "127.0.0.1", port, path: "/proxy/x", headers }, resolve).on("error", reject);
    });
    answer.resume();

    expect(answer.statusCode).toBe(599);
    expect(server.passedOn).toEqual(["GET /proxy/x"]);
  },
);

test("callers that leave end their requests at the provider", async () => {
  upstream.respond = (socket) => {
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n";
    socket.write(head + "x".repeat(1024));
  };
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const call = openCall(server, prepared, {});
      const answering = waitForAnswer(call);
      call.end();
      return await answering;
    }),
  );

  for (const answer of answers) answer.destroy();
  await Promise.all(upstream.requests.map(async ({ closed }) => await closed));

  expect(upstream.requests).toHaveLength(200);
  expect(server.passedOn).toEqual([]);
});

// Last: disposing of its fast path turns off the caches of this server.
test("takes calls under the operator's names, and counts each once", async () => {
  const counted: string[] = [];
  let limit = 2;
  await using named = await startFastPath(ctx, {
    renameHeaders: createNameAliases("acme").renameHeaders,
    async admit(_ctx, { accountId }) {
      if (limit === 0) throw new AppError("too_many_request", "enough");
      limit -= 1;
      counted.push(accountId);
    },
  });
  await named.warm(prepared);
  const caller = { port: named.port, key: named.key.replace("svc_", "acme_") };
  const headers = ["Acme-Proxy-X-Own", "1"];

  const statuses: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    statuses.push((await callProxy(caller, prepared, { headers })).status);
  }

  expect(statuses).toEqual([200, 200, 599]);
  expect(counted).toEqual(Array(2).fill(ctx.environment.accountId));
  expect(named.passedOn).toHaveLength(1);
  expect(upstream.requests[0]?.lines).toContain("X-Own: 1");
});
