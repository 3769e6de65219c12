import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { toWire } from "../testing/answer-samples.ts";
import { type FastPathServer, startFastPath } from "../testing/fast-path-server.ts";
import {
  callProxy,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
} from "../testing/proxy-under-test.ts";
import { type RawUpstream, startRawUpstream } from "../testing/raw-upstream.ts";

let installation: TestContext;
let upstream: RawUpstream;
let proxy: ProxyServer;
let server: FastPathServer;
let prepared: Prepared;

beforeAll(async () => {
  installation = await createTestContext();
  const { ctx } = installation;
  await ensureLogPartitions(ctx);
  upstream = await startRawUpstream();
  proxy = await startProxy(ctx);
  server = await startFastPath(ctx);
  prepared = await prepareConnection(ctx, { baseUrl: upstream.origin });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});
beforeEach(async () => {
  server.passedOn.length = 0;
  upstream.requests.length = 0;
  upstream.respond = (socket) => socket.write(toWire({ name: "", headers: sent, body: "x" }));
  await server.warm(prepared);
});

const acting = [
  ["Set-Cookie", "session=evil; Path=/; Domain=example.com"],
  ["set-cookie", "b=2"],
  ["Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload"],
  ["Clear-Site-Data", '"*"'],
  ["Service-Worker-Allowed", "/"],
  ["X-Frame-Options", "ALLOWALL"],
  ["Content-Security-Policy", "default-src *"],
  ["Content-Security-Policy-Report-Only", "default-src *; report-uri https://evil.example"],
  ["Cross-Origin-Opener-Policy", "unsafe-none"],
  ["Cross-Origin-Embedder-Policy", "unsafe-none"],
  ["Cross-Origin-Resource-Policy", "cross-origin"],
  ["Permissions-Policy", "camera=*"],
  ["Refresh", "0; url=https://evil.example"],
  ["Alt-Svc", 'h3=":443"'],
  ["NEL", '{"report_to":"x","max_age":1}'],
  ["Report-To", '{"group":"x"}'],
  ["Reporting-Endpoints", 'x="https://evil.example"'],
  ["Origin-Agent-Cluster", "?0"],
  ["Origin-Trial", "x"],
  ["Accept-CH", "Sec-CH-UA-Model"],
  ["WWW-Authenticate", "Basic"],
  ["X-Content-Type-Options", "sniff"],
] as const;
const sent = [...acting.flat(), "Svc-Provider-Set-Cookie", "forged=1", "X-Kept", "1", "ETag", "e"];

const guards = [
  "X-Content-Type-Options",
  "nosniff",
  "Content-Security-Policy",
  "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

function valuesOf(headers: readonly string[], name: string): string[] {
  return headers.filter(
    (_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name.toLowerCase(),
  );
}

test.each([
  ["Sec-Fetch-Site", "same-origin"],
  ["Sec-Fetch-Mode", "navigate"],
  ["Sec-CH-UA", '"Chromium"'],
  ["Origin", "null"],
  ["Origin", "https://app.example"],
])("nothing of an answer governs our origin for a browser, known by %s", async (name, value) => {
  const { headers } = await callProxy(proxy, prepared, { headers: [name, value] });

  const kept = acting.map(([header]) => header.toLowerCase());
  for (const header of kept.filter((each) => !guards.map(lower).includes(each))) {
    expect(valuesOf(headers, header), header).toEqual([]);
  }
  expect(valuesOf(headers, "x-content-type-options")).toEqual(["nosniff"]);
  expect(valuesOf(headers, "content-security-policy")).toEqual([guards[3]]);
  expect(valuesOf(headers, "svc-provider-set-cookie")).toEqual([acting[0][1], "b=2"]);
  expect(valuesOf(headers, "svc-provider-strict-transport-security")).toHaveLength(1);
  expect(valuesOf(headers, "x-kept")).toEqual(["1"]);
});

function lower(text: string): string {
  return text.toLowerCase();
}

test("for a caller that is no browser the answer stays as it came, on both paths", async () => {
  const slow = await callProxy(proxy, prepared);
  const fast = await callProxy(server, prepared);

  expect(slow.headers).toEqual([...sent, "Content-Length", "1"]);
  expect(fast.headers).toEqual([...sent, "Content-Length", "1"]);
  expect(server.passedOn).toEqual([]);
});

test.each(["Sec-Fetch-Site", "sec-fetch-dest", "Sec-CH-UA-Mobile", "ORIGIN"])(
  "a call with %s takes the slow path",
  async (name) => {
    const { status } = await callProxy(server, prepared, { headers: [name, "x"] });

    expect(status).toBe(599);
    expect(server.passedOn).toEqual(["GET /proxy/x"]);
    expect(upstream.requests).toEqual([]);
  },
);

test.each(["PROPFIND", "REPORT"])("%s is proxied with its body", async (method) => {
  const { status } = await callProxy(proxy, prepared, { method, body: "<propfind/>" });

  expect(status).toBe(200);
  expect(upstream.requests.map(({ lines, body }) => [lines[0], body.toString()])).toEqual([
    [`${method} /x HTTP/1.1`, "<propfind/>"],
  ]);
});

test.each(["TRACE", "PURGE", "SUBSCRIBE", "SEARCH"])(
  "%s is not proxied, on either path",
  async (method) => {
    const slow = await callProxy(proxy, prepared, { method });
    const fast = await callProxy(server, prepared, { method });

    expect(slow.status).toBe(404);
    expect(slow.body.toString()).not.toContain("CALLER");
    expect(fast.status).toBe(599);
    expect(upstream.requests).toEqual([]);
  },
);

test("CONNECT opens no tunnel", async () => {
  const answering = callProxy(server, prepared, {
    method: "CONNECT",
    path: upstream.origin.slice(7),
  });

  await expect(answering).rejects.toThrow();
  expect(upstream.requests).toEqual([]);
});
