import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createConnection, getConnectionByUuid } from "#connections";
import { addMs, type ConnectionUuid, type EnvironmentContext, MINUTE } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createIntegration } from "#integrations";
import { ensureLogPartitions } from "#logs";
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
let ctx: EnvironmentContext;
let upstream: RawUpstream;
let proxy: ProxyServer;
let prepared: Prepared;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
  upstream = await startRawUpstream();
  proxy = await startProxy(ctx);
  prepared = await prepareConnection(ctx, { baseUrl: upstream.origin });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

function answer(status: number, body = `n${status}`): string {
  return `HTTP/1.1 ${status} S\r\nRetry-After: 0\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Answers with these statuses in turn, the last for all further requests. */
function answerInTurn(...statuses: number[]): void {
  upstream.respond = (socket, _request, count) => {
    socket.write(answer(statuses[Math.min(count, statuses.length) - 1] ?? 500));
  };
}

// Without the names nothing is tried again, and with the usual waits it would take more than a minute.
test("the caller names the headers that tell when to try again, and when a quota is used up", async () => {
  upstream.respond = (socket, _request, count) => {
    const head = count <= 5 ? "400 S\r\nX-Left: 0\r\nX-Backoff: 0" : "200 S";
    socket.write(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`);
  };
  const names = ["Svc-Retry-After", "X-Backoff", "Svc-Retry-Remaining", "x-left"];

  const { status } = await callProxy(proxy, prepared, { headers: ["Retries", "5", ...names] });

  expect(status).toBe(200);
  expect(upstream.requests).toHaveLength(6);
  expect(JSON.stringify(upstream.requests[0])).not.toMatch(/x-backoff/i);
});

test.each(["Svc-Retry-After", "Svc-Retry-At", "Svc-Retry-Remaining"])(
  "%s has to name a header",
  async (name) => {
    const { status, body } = await callProxy(proxy, prepared, { headers: [name, "no name"] });

    expect([status, JSON.parse(body.toString()).error.code]).toEqual([400, "invalid_headers"]);
    expect(upstream.requests).toHaveLength(0);
  },
);

test("makes as many further attempts as asked for, with the body again", async () => {
  answerInTurn(503, 429, 200);

  const headers = ["Retries", "3"];
  const { status } = await callProxy(proxy, prepared, { method: "POST", headers, body: "same" });

  expect(status).toBe(200);
  expect(upstream.requests.map(({ body }) => body.toString())).toEqual(["same", "same", "same"]);
});

test("returns the last answer exactly when attempts are used up", async () => {
  answerInTurn(503, 500, 502);

  const { status, body } = await callProxy(proxy, prepared, { headers: ["Retries", "2"] });

  expect([status, body.toString(), upstream.requests.length]).toEqual([502, "n502", 3]);
});

test("without Retries nothing is tried again", async () => {
  answerInTurn(503, 200);

  expect((await callProxy(proxy, prepared)).status).toBe(503);
  expect(upstream.requests).toHaveLength(1);
});

test("Retry-On adds statuses", async () => {
  answerInTurn(404, 409, 200);
  const headers = ["Retries", "5", "Retry-On", "404, 409"];

  expect((await callProxy(proxy, prepared, { headers })).status).toBe(200);
  expect(upstream.requests).toHaveLength(3);
});

test.each([
  ["Retries", "-1"],
  ["Retries", "1.5"],
  ["Retries", "101"],
  ["Retries", ""],
  ["Retry-On", "abc"],
  ["Base-Url-Override", "not a url"],
])("refuses %s: %s", async (name, value) => {
  const { status, body } = await callProxy(proxy, prepared, { headers: [name, value] });

  expect([status, JSON.parse(body.toString()).error.code]).toEqual([400, "invalid_headers"]);
  expect(upstream.requests).toHaveLength(0);
});

test("a large discarded answer does not hinder the next attempt", async () => {
  upstream.respond = (socket, _request, count) => {
    socket.write(answer(count === 1 ? 500 : 200, count === 1 ? "x".repeat(1_000_000) : "ok"));
  };

  const { body } = await callProxy(proxy, prepared, { headers: ["Retries", "1"] });

  expect(body.toString()).toBe("ok");
});

test("a body past the limit is sent once, and its answer says so", async () => {
  proxy.caller = { ...ctx, settings: { ...ctx.settings, proxyReplayLimitBytes: 10 } };
  answerInTurn(503, 200);
  const chunked = ["Retries", "2", "Transfer-Encoding", "chunked"];

  const known = await callProxy(proxy, prepared, {
    method: "POST",
    headers: ["Retries", "2"],
    body: "x".repeat(11),
  });
  const call = openCall(proxy, prepared, { method: "POST", headers: chunked });
  const answering = waitForAnswer(call);
  answerInTurn(200, 503);
  call.write("x".repeat(8));
  call.end("x".repeat(8));
  const unknown = await answering;
  proxy.caller = ctx;

  expect(known.status).toBe(503);
  expect(known.headers).toContain("body-not-replayable");
  expect(unknown.statusCode).toBe(503);
  expect(unknown.headers["svc-retry-skipped"]).toBe("body-not-replayable");
  unknown.resume();
  expect(upstream.requests.map(({ body }) => body.byteLength)).toEqual([11, 16]);
});

test("a connection that is reset before the answer is worth an attempt", async () => {
  upstream.respond = (socket, _request, count) => {
    if (count === 1) socket.resetAndDestroy();
    else socket.write(answer(200));
  };
  // The wait between attempts is 3 s here: no answer, no Retry-After.
  const { status } = await callProxy(proxy, prepared, { headers: ["Retries", "1"] });

  expect(status).toBe(200);
});

test("a caller that leaves ends the waiting", async () => {
  upstream.respond = (socket) => {
    socket.write("HTTP/1.1 503 S\r\nRetry-After: 500\r\nContent-Length: 0\r\n\r\n");
  };
  const left = Promise.withResolvers<void>();
  proxy.caller = ctx;
  const arrival = upstream.next();
  const call = openCall(proxy, prepared, { headers: ["Retries", "1"] });
  call.on("error", () => left.resolve());
  call.end();
  await arrival;

  call.destroy();

  await left.promise;
  expect(upstream.requests).toHaveLength(1);
});

test.each([
  ["a closed port", "http://127.0.0.1:9", 502, "upstream_unreachable"],
  ["a private address", "http://10.1.2.3", 400, "destination_not_allowed"],
  ["a name that does not exist", "http://nothing.invalid", 502, "upstream_dns_error"],
])("tells of %s as a failure of ours", async (_, baseUrl, status, code) => {
  const other = await prepareConnection(ctx, { baseUrl });

  const { headers, body, ...answered } = await callProxy(proxy, other);

  expect(answered.status).toBe(status);
  expect(JSON.parse(body.toString()).error.code).toBe(code);
  expect(headers.map((item) => item.toLowerCase())).toContain("svc-error-source");
});

test("tells of unknown names, and of a path that leaves the base", async () => {
  const { integration, connection } = prepared;
  const nobody = { integration, connection: { ...connection, connectionId: "nobody" } };
  const nothing = { integration: { ...integration, uniqueKey: "nothing" }, connection };

  const codes = await Promise.all(
    [
      callProxy(proxy, nobody),
      callProxy(proxy, nothing),
      callProxy(proxy, prepared, { path: "/proxy/..%2fadmin" }),
      callProxy(proxy, prepared, { path: "/proxy//evil.com/" }),
      callProxy(proxy, prepared, { path: "/proxy/https://evil.com/" }),
      callProxy(proxy, prepared, { headers: ["svc-proxy-host", "evil.com"] }),
    ].map(async (answering) => JSON.parse((await answering).body.toString()).error.code),
  );

  expect(codes).toEqual([
    "unknown_connection",
    "unknown_provider_config",
    "invalid_uri_params",
    "invalid_uri_params",
    "invalid_uri_params",
    "invalid_headers",
  ]);
  expect(upstream.requests).toHaveLength(0);
});

const reader = ["environment:proxy", "environment:connections:read_credentials"];

test.each([
  ["another host, without the scope", ["environment:proxy"], [], 403],
  ["a listed host, without the scope", ["environment:proxy"], ["127.0.0.1"], 200],
  ["another host, with the scope", reader, [], 200],
])("Base-Url-Override to %s", async (_, scopes, allowed_hosts, status) => {
  answerInTurn(200);
  const baseUrl = "http://127.0.0.2:9";
  const other = await prepareConnection(ctx, { baseUrl, settings: { allowed_hosts } });
  proxy.caller = { ...ctx, actor: { kind: "key", keyId: "k", accountId: "a", scopes } };

  const answered = await callProxy(proxy, other, {
    headers: ["Base-Url-Override", `${upstream.origin}/v9`],
  });
  proxy.caller = ctx;

  expect(answered.status).toBe(status);
  expect(upstream.requests[0]?.lines[0]).toBe(status === 200 ? "GET /v9/x HTTP/1.1" : undefined);
});

test("without any base URL a call needs the override, and may name any host", async () => {
  answerInTurn(200);
  const other = await prepareConnection(ctx, { baseUrl: "" });
  const scopes = ["environment:proxy"];
  proxy.caller = { ...ctx, actor: { kind: "key", keyId: "k", accountId: "a", scopes } };

  const without = await callProxy(proxy, other);
  const headers = ["Base-Url-Override", upstream.origin];
  const overridden = await callProxy(proxy, other, { headers });
  proxy.caller = ctx;

  expect(JSON.parse(without.body.toString()).error.code).toBe("missing_base_url");
  expect(overridden.status).toBe(200);
});

test("a key in the query is appended to the caller's own", async () => {
  answerInTurn(200);
  const other = await prepareConnection(ctx, {
    baseUrl: "",
    provider: "private-api-generic",
    integrationConfig: { baseUrl: upstream.origin, keyName: "key", keyPlacement: "query" },
  });

  await callProxy(proxy, other, { path: "/proxy/a?b=%20" });

  expect(upstream.requests[0]?.lines[0]).toBe("GET /a?b=%20&key=UPSTREAM HTTP/1.1");
  expect(upstream.requests[0]?.lines.join()).not.toMatch(/authorization/i);
});

/** An OAuth 2 connection whose token server counts, and mints `fresh-1`, `fresh-2`, … unless it is down. */
async function prepareOAuth(state: { minted: number; isDown: boolean }) {
  const server = createServer((_request, response) => {
    if (state.isDown) {
      response.writeHead(400).end('{"error":"invalid_grant"}');
      return;
    }
    state.minted += 1;
    const body = { access_token: `fresh-${state.minted}`, refresh_token: "R", expires_in: 3600 };
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const integration = await createIntegration(ctx, {
    ...{ provider: "oauth2-generic", uniqueKey: crypto.randomUUID(), displayName: undefined },
    forwardWebhooks: true,
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "secret" },
    integrationConfig: {
      authorization_url: "https://a.b/c",
      token_url: `http://127.0.0.1:${port}/token`,
      base_url: upstream.origin,
    },
    ...{ custom: {}, settings: {} },
  });
  const expires_at = addMs(ctx.clock.now(), 60 * MINUTE).toISOString();
  const { connection } = await createConnection(ctx, {
    ...{ integration, connectionId: undefined, metadata: undefined, connectionConfig: undefined },
    ...{ tags: undefined, webhookUrlOverride: undefined },
    credentials: { type: "OAUTH2", access_token: "old", refresh_token: "R", expires_at },
  });
  return {
    integration,
    connection,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A refresh continues after the call that wanted it was answered. */
async function untilRefreshed({ uuid }: { readonly uuid: ConnectionUuid }): Promise<void> {
  const readVersion = async () => (await getConnectionByUuid(ctx, uuid)).credentialVersion;
  await expect.poll(readVersion, { interval: 5 }).toBeGreaterThan(1);
}

function tokensSeen(): (string | undefined)[] {
  return upstream.requests.map(
    ({ lines }) => lines.find((line) => line.startsWith("authorization"))?.split(" ")[2],
  );
}

function acceptOnly(token: string): void {
  upstream.respond = (socket, { lines }) => {
    socket.write(answer(lines.includes(`authorization: Bearer ${token}`) ? 200 : 401));
  };
}

test("a 401 renews the token, and the retry goes out with the new one", async () => {
  const state = { minted: 0, isDown: false };
  await using oauth = await prepareOAuth(state);
  acceptOnly("fresh-1");

  const { status } = await callProxy(proxy, oauth, { headers: ["Retries", "1"] });

  expect(status).toBe(200);
  expect(tokensSeen()).toEqual(["old", "fresh-1"]);
  expect(state.minted).toBe(1);
});

test("a key that the provider refused is not sent again", async () => {
  answerInTurn(401, 200);

  const { status, body } = await callProxy(proxy, prepared, { headers: ["Retries", "5"] });

  expect([status, body.toString(), upstream.requests.length]).toEqual([401, "n401", 1]);
});

test("a token that cannot be renewed is reported as such", async () => {
  await using oauth = await prepareOAuth({ minted: 0, isDown: true });
  acceptOnly("never");

  const { status, body } = await callProxy(proxy, oauth, { headers: ["Retries", "1"] });

  expect([status, JSON.parse(body.toString()).error.code]).toEqual([424, "invalid_credentials"]);
});

test("without Retries a 401 is returned exactly, and the token is renewed for the next call", async () => {
  const state = { minted: 0, isDown: false };
  await using oauth = await prepareOAuth(state);
  acceptOnly("fresh-1");

  const { status, body } = await callProxy(proxy, oauth);
  expect([status, body.toString()]).toEqual([401, "n401"]);
  await untilRefreshed(oauth.connection);

  expect((await callProxy(proxy, oauth)).status).toBe(200);
  expect(tokensSeen()).toEqual(["old", "fresh-1"]);
});

test("a provider that always answers 401 does not have tokens renewed on each call", async () => {
  const state = { minted: 0, isDown: false };
  await using oauth = await prepareOAuth(state);
  acceptOnly("never");

  await callProxy(proxy, oauth);
  await untilRefreshed(oauth.connection);
  for (let count = 0; count < 5; count += 1) await callProxy(proxy, oauth);

  expect(state.minted).toBe(1);
});
