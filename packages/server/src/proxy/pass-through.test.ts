import { createHash, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions, flushLogs } from "#logs";
import { samples, toWire } from "./testing/answer-samples.ts";
import { expectExact } from "./testing/expect-exact.ts";
import {
  callProxy,
  openCall,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
  waitForAnswer,
} from "./testing/proxy-under-test.ts";
import { type RawUpstream, startRawUpstream } from "./testing/raw-upstream.ts";

let installation: TestContext;
let upstream: RawUpstream;
let proxy: ProxyServer;
let prepared: Prepared;

beforeAll(async () => {
  installation = await createTestContext();
  await ensureLogPartitions(installation.ctx);
  upstream = await startRawUpstream();
  proxy = await startProxy(installation.ctx);
  prepared = await prepareConnection(installation.ctx, { baseUrl: `${upstream.origin}/base` });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

test.each(samples)("returns exactly: $name", async (sample) => {
  upstream.respond = (socket) => {
    socket.write(toWire(sample));
    if (sample.framing === "close") socket.end();
  };

  const answer = await callProxy(proxy, prepared, { method: sample.method ?? "GET" });

  expectExact(answer, sample);
});

test("the corpus has 120 answers", () => {
  expect(samples.length).toBeGreaterThanOrEqual(120);
});

test("drops what ends at this hop from answers, with what Connection names, and marks a source of the provider's own", async () => {
  upstream.respond = (socket) => {
    const headers = [
      ...["Connection", "X-Hop, keep-alive", "X-Hop", "1", "Keep-Alive", "timeout=9"],
      ...["Proxy-Authenticate", "Basic", "Trailer", "X-T", "Upgrade", "h2c"],
      ...["Svc-Error-Source", "platform", "X-End", "2"],
    ];
    socket.write(toWire({ name: "", headers, body: "x" }));
  };

  const answer = await callProxy(proxy, prepared);

  expect(answer.headers).toEqual([
    ...["Svc-Error-Source", "platform", "Svc-Answered-By", "provider"],
    ...["X-End", "2", "Content-Length", "1"],
  ]);
});

test("answers a browser with CORS headers of ours, in place of the provider's", async () => {
  upstream.respond = (socket) => {
    const headers = ["Access-Control-Allow-Origin", "https://only.example", "Vary", "Accept"];
    socket.write(toWire({ name: "", headers, body: "x" }));
  };

  const { headers } = await callProxy(proxy, prepared, {
    headers: ["Origin", "https://app.example"],
  });

  const values = headers.filter(
    (_, index) => headers[index - 1]?.toLowerCase() === "access-control-allow-origin",
  );
  expect(values).toEqual(["https://app.example"]);
  expect(headers).toContain("Accept");
  expect(headers.join("|").toLowerCase()).toContain("vary|origin");
});

test("OPTIONS with a key is forwarded in every case, a preflight is answered, and failures have the standard body", async () => {
  upstream.respond = (socket, _request, count) => {
    const status = count === 1 ? "503 S" : "200 OK";
    socket.write(`HTTP/1.1 ${status}\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n`);
  };
  const options = async (headers: string[], target = prepared) =>
    await callProxy(proxy, target, { method: "OPTIONS", headers });
  const dead = await prepareConnection(installation.ctx, { baseUrl: "http://127.0.0.1:1" });
  const origin = ["Origin", "https://app.example"];

  const retried = await options(["Retries", "1"]);
  const overridden = await options(["Base-Url-Override", upstream.origin]);
  const fromPage = await options(origin);
  const forwarded = upstream.requests.length;
  const preflight = await options([...origin, "Access-Control-Request-Method", "POST"]);
  const failed = await options([], dead);

  expect([retried.status, overridden.status, fromPage.status]).toEqual([200, 200, 200]);
  expect(forwarded).toBe(4);
  expect([preflight.status, upstream.requests.length]).toEqual([204, forwarded]);
  expect(failed.status).toBe(502);
  expect(JSON.parse(failed.body.toString()).error.code).toBe("upstream_unreachable");
});

test("passes early hints on", async () => {
  upstream.respond = (socket) => {
    socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload; as=style\r\n\r\n");
    socket.write(toWire({ name: "", body: "done" }));
  };
  const call = openCall(proxy, prepared, {});
  const hints: unknown[] = [];
  call.on("information", ({ statusCode, headers }) => hints.push([statusCode, headers["link"]]));

  const answering = waitForAnswer(call);
  call.end();
  const answer = await answering;

  expect(answer.statusCode).toBe(200);
  expect(hints).toEqual([[103, "</a.css>; rel=preload; as=style"]]);
  answer.destroy();
});

test("sends the request as it came: path, query, headers, body", async () => {
  upstream.respond = (socket) => socket.write(toWire({ name: "" }));

  await callProxy(proxy, prepared, {
    method: "POST",
    path: "/proxy/a%2Fb/./c//d?x=%20&&y=a+b&z",
    headers: [
      ...["X-Odd-NAME", "1", "accept", "*/*", "Cookie", "a=b", "x-latin", "caf\u00e9"],
      ...["Content-Type", "application/json", "Retries", "0", "Svc-Is-Script", "true"],
      ...["Idempotency-Key", "k", "svc-proxy-X-Own", "2", "Connection", "X-Hop", "X-Hop", "h"],
    ],
    body: '{"not json',
  });

  const [request] = upstream.requests;
  expect(request?.lines[0]).toBe("POST /base/a%2Fb/./c//d?x=%20&&y=a+b&z HTTP/1.1");
  expect(request?.lines.slice(1).toSorted()).toEqual(
    [
      `host: ${upstream.origin.slice(7)}`,
      "connection: keep-alive",
      "X-Odd-NAME: 1",
      "accept: */*",
      "Cookie: a=b",
      "x-latin: caf\u00e9",
      "Content-Type: application/json",
      "Idempotency-Key: k",
      "authorization: Bearer UPSTREAM",
      "X-Own: 2",
      "content-length: 10",
    ].toSorted(),
  );
  expect(request?.body.toString()).toBe('{"not json');
  expect(request?.lines.join("\n")).not.toContain("CALLER");
});

test.each([
  ["GET", undefined],
  ["GET", "body"],
  ["DELETE", "body"],
  ["DELETE", undefined],
  ["PUT", "a\0b"],
  ["PATCH", "x".repeat(5000)],
])("%s with the body %j", async (method, body) => {
  upstream.respond = (socket) => socket.write(toWire({ name: "" }));

  await callProxy(proxy, prepared, { method, ...(body === undefined ? {} : { body }) });

  const [request] = upstream.requests;
  expect(request?.lines[0]).toBe(`${method} /base/x HTTP/1.1`);
  expect(request?.body.toString()).toBe(body ?? "");
  const framing = request?.lines.filter((line) =>
    /^(content-length|transfer-encoding)/i.test(line),
  );
  expect(framing).toEqual(body === undefined ? [] : [`content-length: ${body.length}`]);
});

test("sends a body of unknown length in chunks, and answers Expect itself", async () => {
  upstream.respond = (socket) => socket.write(toWire({ name: "", body: "ok" }));
  const headers = ["Transfer-Encoding", "chunked", "Expect", "100-continue"];
  const call = openCall(proxy, prepared, { method: "POST", headers });
  const answering = waitForAnswer(call);
  call.flushHeaders();
  await new Promise((resolve) => call.on("continue", resolve));
  call.write("one ");
  call.end("two");

  const answer = await answering;

  expect(answer.statusCode).toBe(200);
  answer.resume();
  const [request] = upstream.requests;
  expect(request?.body.toString()).toBe("one two");
  expect(request?.lines.some((line) => /^expect/i.test(line))).toBe(false);
});

test("multipart goes through byte for byte", async () => {
  upstream.respond = (socket) => socket.write(toWire({ name: "" }));
  const part = randomBytes(3000);
  const body = Buffer.concat([
    Buffer.from("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n"),
    part,
    Buffer.from("\r\n--b--\r\n"),
  ]);

  await callProxy(proxy, prepared, {
    method: "POST",
    headers: ["Content-Type", "multipart/form-data; boundary=b"],
    body,
  });

  expect(upstream.requests[0]?.body.equals(body)).toBe(true);
});

const MEGABYTES_20 = 20 * 1024 * 1024;

test("streams 20 MB up and 20 MB down at the same time", async () => {
  const up = randomBytes(MEGABYTES_20);
  const down = randomBytes(MEGABYTES_20);
  upstream.respond = (socket) => socket.write(toWire({ name: "", body: down, framing: "chunked" }));

  const answer = await callProxy(proxy, prepared, { method: "POST", body: up });

  expect(hash(answer.body)).toBe(hash(down));
  expect(hash(upstream.requests[0]?.body ?? Buffer.alloc(0))).toBe(hash(up));
});

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

test("a slow reader holds the provider back instead of filling memory", async () => {
  let written = 0;
  let isHeldBack = false;
  const piece = Buffer.alloc(64 * 1024);
  upstream.respond = (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    const fill = () => {
      while (written < 200 * 1024 * 1024) {
        written += piece.byteLength;
        if (!socket.write(piece)) {
          isHeldBack = true;
          return;
        }
      }
    };
    socket.on("drain", fill);
    fill();
  };
  const call = openCall(proxy, prepared, {});
  const answering = waitForAnswer(call);
  call.end();

  const answer = await answering;
  answer.pause();
  await untilStill(() => written);

  expect(isHeldBack).toBe(true);
  expect(written).toBeLessThan(100 * 1024 * 1024);
  answer.destroy();
  await upstream.requests[0]?.closed;
});

/** Waits until a count has stopped growing for a while. */
async function untilStill(read: () => number): Promise<void> {
  for (let last = -1; last !== read(); ) {
    last = read();
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

test("the first bytes reach the caller before the last are made", async () => {
  const gate = Promise.withResolvers<void>();
  upstream.respond = (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    void gate.promise.then(() => socket.write("4\r\nlast\r\n0\r\n\r\n"));
  };
  const call = openCall(proxy, prepared, {});
  const answering = waitForAnswer(call);
  call.end();
  const answer = await answering;

  const pieces: string[] = [];
  for await (const piece of answer) {
    pieces.push(String(piece));
    gate.resolve();
  }

  expect(pieces).toEqual(["first", "last"]);
});

test("a head without a body yet reaches the caller", async () => {
  upstream.respond = (socket) =>
    socket.write(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
  const call = openCall(proxy, prepared, {});
  const answering = waitForAnswer(call);
  call.end();

  const answer = await answering;

  expect(answer.headers["content-type"]).toBe("text/event-stream");
  answer.destroy();
  await upstream.requests[0]?.closed;
});

test.each(["before the answer", "in the middle of the answer"])(
  "a caller that leaves %s ends the provider's request",
  async (when) => {
    upstream.respond = (socket) => {
      if (when !== "before the answer")
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
    };
    const arrival = upstream.next();
    const call = openCall(proxy, prepared, {});
    const answering = waitForAnswer(call).catch(() => undefined);
    call.end();
    const request = await arrival;
    if (when !== "before the answer") await answering;

    call.destroy();

    await request.closed;
    await answering;
  },
);

test("an answer that breaks off is cut off for the caller too", async () => {
  upstream.respond = (socket) => {
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
  };

  await expect(callProxy(proxy, prepared)).rejects.toThrow(/aborted|hang up/);
});

test("decompresses where the caller asks for it", async () => {
  const headers = ["Content-Encoding", "gzip", "X-A", "b"];
  upstream.respond = (socket) =>
    socket.write(toWire({ name: "", headers, body: gzipSync("hello") }));

  const answer = await callProxy(proxy, prepared, { headers: ["Decompress", "true"] });

  expect(answer.headers).toEqual(["X-A", "b"]);
  expect(answer.body.toString()).toBe("hello");
});

test("leaves an operation in the log, without the query", async () => {
  const { ctx } = installation;
  upstream.respond = (socket) => socket.write(toWire({ name: "", status: "404 Not Found" }));
  await callProxy(proxy, prepared, { path: "/proxy/logged?key=CANARY" });

  await flushLogs(ctx);

  const { rows } = await sql<{ text: string; state: string }>`
    select operations::text as text, state from operations where message = 'GET /logged'`.execute(
    ctx.db,
  );
  expect(rows.map(({ state }) => state)).toEqual(["failed"]);
  expect(rows[0]?.text).toContain("404");
  expect(rows[0]?.text).not.toContain("CANARY");
  expect(rows[0]?.text).not.toContain("UPSTREAM");
});
