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
  upstream.requests.length = 0;
  upstream.respond = (socket) => socket.write(toWire({ name: "", body: "x" }));
  await server.warm(prepared);
});

/** Both ways that a call can take. */
function ways() {
  return [proxy, server];
}

const named = [
  ["Keep-Alive", ["Keep-Alive", "timeout=5"]],
  ["Proxy-Connection", ["Proxy-Connection", "keep-alive"]],
  ["Proxy-Authorization", ["Proxy-Authorization", "Basic CANARY"]],
  ["Proxy-Authenticate", ["Proxy-Authenticate", "Basic CANARY"]],
  ["TE", ["TE", "gzip;q=0.5"]],
  ["TE: trailers", ["TE", "trailers", "Connection", "TE"]],
  ["what Connection names", ["Connection", "x-secret, close", "X-Secret", "CANARY"]],
  ["in another spelling", ["connection", "X-SECRET", "x-SecRet", "CANARY"]],
  ["with spaces and empty items", ["Connection", " , x-secret ,,", "X-Secret", "CANARY"]],
  ["several", ["Connection", "x-a,x-b", "X-A", "CANARY", "X-B", "CANARY"]],
  ["repeated", ["Connection", "x-secret", "X-Secret", "CANARY", "x-secret", "CANARY"]],
  ["Connection: close", ["Connection", "close"]],
  ["Connection: keep-alive", ["Connection", "keep-alive"]],
  ["close among names", ["Connection", "close, x-secret", "X-Secret", "CANARY"]],
  ["keep-alive among names", ["Connection", "x-secret, Keep-Alive", "X-Secret", "CANARY"]],
  ["Keep-Alive, named too", ["Connection", "keep-alive", "Keep-Alive", "timeout=5, max=1000"]],
  ["Keep-Alive in capitals", ["KEEP-ALIVE", "timeout=5"]],
  ["Proxy-Connection: close", ["proxy-connection", "close"]],
  ["Proxy-Authorization in capitals", ["PROXY-AUTHORIZATION", "Bearer CANARY"]],
  ["Proxy-Authenticate in lower case", ["proxy-authenticate", "Digest realm=CANARY"]],
  ["two Proxy-Authenticate", ["Proxy-Authenticate", "Basic", "Proxy-Authenticate", "CANARY"]],
  ["TE with weights", ["TE", "deflate;q=0.5, trailers;q=1"]],
  ["TE in lower case, named", ["connection", "te", "te", "trailers"]],
  ["two TE", ["TE", "gzip", "TE", "trailers"]],
  ["a name before it is used", ["X-Secret", "CANARY", "Connection", "x-secret"]],
  [
    "a name far from its use",
    ["X-Secret", "CANARY", "Accept-X", "1", "Connection", "x-secret, accept-x"],
  ],
  ["a name twice in the list", ["Connection", "x-secret, X-Secret", "X-Secret", "CANARY"]],
  [
    "a name in three lines",
    [
      "Connection",
      "x-a",
      "Connection",
      "x-b",
      "Connection",
      "x-c",
      "X-A",
      "CANARY",
      "X-B",
      "CANARY",
      "X-C",
      "CANARY",
    ],
  ],
  ["tabs around names", ["Connection", "\tx-secret\t,\tclose", "X-Secret", "CANARY"]],
  ["CONNECTION in capitals", ["CONNECTION", "X-SECRET", "X-Secret", "CANARY"]],
  [
    "close in a line of its own",
    ["Connection", "x-secret", "Connection", "close", "X-Secret", "CANARY"],
  ],
  ["only commas", ["Connection", ",,,"]],
  ["an empty Connection", ["Connection", ""]],
  ["a name that nobody sends", ["Connection", "x-absent"]],
  ["a name with odd characters", ["Connection", "x_a.b!c", "X_A.B!C", "CANARY"]],
  ["a name that begins like another", ["Connection", "x-sec, x-secret", "X-Secret", "CANARY"]],
  [
    "a very long list",
    [
      "Connection",
      [...Array.from({ length: 200 }, (_, n) => `x-${n}`), "x-secret"].join(", "),
      "X-Secret",
      "CANARY",
    ],
  ],
  ["a header of length 0", ["Connection", "x-secret", "X-Secret", ""]],
  ["Keep-Alive without Connection, twice", ["Keep-Alive", "5", "keep-alive", "6"]],
  [
    "all of them at once",
    [
      "Connection",
      "keep-alive, x-secret",
      "Keep-Alive",
      "5",
      "Proxy-Connection",
      "close",
      "Proxy-Authorization",
      "CANARY",
      "TE",
      "gzip",
      "X-Secret",
      "CANARY",
    ],
  ],
] as const;

test.each(named)("a request's own hop stays there: %s", async (_name, headers) => {
  for (const way of ways()) {
    upstream.requests.length = 0;
    await callProxy(way, prepared, { headers: [...headers, "X-End", "1"] });

    const lines = upstream.requests[0]?.lines.slice(1).map((line) => line.toLowerCase()) ?? [];
    const names = lines.map((line) => line.split(":", 1)[0]).toSorted();
    expect(names).toEqual(["authorization", "connection", "host", "x-end"]);
    expect(lines.join()).not.toContain("canary");
    expect(lines).toContain("connection: keep-alive");
  }
});

const ofAnswers = [
  ["Upgrade", ["Upgrade", "h2c"]],
  ["Upgrade, named", ["Connection", "upgrade", "Upgrade", "h2c, foo/1"]],
  ["Trailer", ["Trailer", "X-Sum"]],
  ["Trailer, named", ["Connection", "trailer", "Trailer", "X-Sum, X-Other"]],
] as const;

test("the corpus is no smaller than promised", () => {
  expect(named.length).toBeGreaterThanOrEqual(40);
  expect(named.length + ofAnswers.length).toBeGreaterThanOrEqual(40);
});

test.each([...named, ...ofAnswers])(
  "an answer's own hop stays there: %s",
  async (_name, headers) => {
    for (const way of ways()) {
      upstream.respond = (socket) =>
        socket.write(toWire({ name: "", headers: [...headers, "X-End", "1"], body: "x" }));

      const answer = await callProxy(way, prepared);

      expect(answer.headers).toEqual(["X-End", "1", "Content-Length", "1"]);
    }
  },
);

test("Connection cannot take away what the server adds", async () => {
  for (const way of ways()) {
    upstream.requests.length = 0;
    await callProxy(way, prepared, { headers: ["Connection", "authorization, host"] });

    expect(upstream.requests[0]?.lines).toContain("authorization: Bearer UPSTREAM");
  }
});

// A caller may send a credential of its own on purpose; its key, and what names the connection, never leave.
test.each([
  ["nothing more", [], "Bearer UPSTREAM"],
  ["a prefixed credential", ["svc-proxy-authorization", "Bearer own"], "Bearer own"],
  ["a prefixed credential in odd case", ["SVC-Proxy-AUTHORIZATION", "Bearer own"], "Bearer own"],
  [
    "control headers",
    ["Retries", "0", "Retry-On", "404", "Decompress", "false"],
    "Bearer UPSTREAM",
  ],
  ["platform headers", ["Svc-Is-Script", "true", "svc-activity-log-id", "1"], "Bearer UPSTREAM"],
  ["a cookie", ["svc-proxy-cookie", "a=b"], "Bearer UPSTREAM"],
])("neither side sees the other's secret with %s", async (_name, headers, credential) => {
  const answer = await callProxy(proxy, prepared, { headers });

  const lines = upstream.requests[0]?.lines.map((line) => line.toLowerCase()) ?? [];
  expect(lines.filter((line) => line.startsWith("authorization:"))).toEqual([
    `authorization: ${credential.toLowerCase()}`,
  ]);
  const text = lines.join("\n");
  expect(text).not.toMatch(
    /caller|connection-id|provider-config-key|svc-|retries|retry-on|decompress/,
  );
  expect(text).not.toContain(prepared.connection.connectionId);
  expect(JSON.stringify(answer)).not.toContain("UPSTREAM");
});

test("errors show neither the key of the caller nor the credential", async () => {
  const gone = await prepareConnection(installation.ctx, { baseUrl: "http://127.0.0.1:3" });

  const answers = [
    await callProxy(proxy, gone),
    await callProxy(proxy, prepared, { headers: ["svc-proxy-host", "a.b"] }),
    await callProxy(proxy, prepared, { path: "/proxy/%2e%2e/%2e%2e/x" }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([502, 400, 400]);
  expect(JSON.stringify(answers.map(({ body }) => body.toString()))).not.toMatch(/CALLER|UPSTREAM/);
});
