import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { openEgress } from "#slice/testing";
import { callProvider, type ProviderCallInput } from "./call-provider.ts";
import { proxyRuntime } from "./runtime.ts";
import { type Prepared, prepareConnection } from "./testing/proxy-under-test.ts";

interface Seen {
  readonly host: string | undefined;
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let installation: TestContext;
let ctx: EnvironmentContext;
let prepared: Prepared;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const seen: Seen[] = [];

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = request;
  const body = (await buffer(request)).toString();
  seen.push({ host: headers.host, line: `${method} ${url}`, headers, body });
  answer(request, response);
}

const server = createServer((request, response) => void receive(request, response));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const port = typeof address === "object" ? (address?.port ?? 0) : 0;
const origin = `http://127.0.0.1:${port}`;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
  prepared = await prepareConnection(ctx, { baseUrl: `${origin}/v1` });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await installation[Symbol.asyncDispose]();
});
beforeEach(() => {
  seen.length = 0;
  answer = (_request, response) => response.end("ok");
});

function call(changes: Partial<ProviderCallInput> = {}) {
  return callProvider(ctx, {
    ...prepared,
    method: "GET",
    endpoint: "/contacts",
    query: [],
    headers: {},
    body: undefined,
    baseUrlOverride: undefined,
    retries: 0,
    retryOn: [],
    decompress: false,
    followRedirects: true,
    ...changes,
  });
}

test("calls with the credentials and gives the whole answer", async () => {
  answer = (_request, response) => {
    response.writeHead(404, "Nope", ["X-A", "1", "Set-Cookie", "a", "Set-Cookie", "b"]);
    response.end(Buffer.from([0, 255]));
  };

  const result = await call({
    method: "POST",
    endpoint: "/contacts?a=1",
    query: [["b", "2 3"]],
    headers: { "content-type": "application/json" },
    body: Buffer.from("{}"),
  });

  expect(result).toMatchObject({ status: 404, statusText: "Nope" });
  expect(result.headers).toMatchObject({ "x-a": "1", "set-cookie": ["a", "b"] });
  expect(result.body).toEqual(Buffer.from([0, 255]));
  expect(seen[0]).toMatchObject({ line: "POST /v1/contacts?a=1&b=2%203", body: "{}" });
  expect(seen[0]?.headers).toMatchObject({
    authorization: "Bearer UPSTREAM",
    "user-agent": "Jackfield",
    "content-type": "application/json",
  });
});

test("takes an endpoint that repeats the base, and refuses one elsewhere", async () => {
  await call({ endpoint: `${origin}/v1/contacts?x=1` });

  expect(seen[0]?.line).toBe("GET /v1/contacts?x=1");
  await expect(call({ endpoint: "http://127.0.0.1:1/x" })).rejects.toMatchObject({
    code: "invalid_uri_params",
  });
});

test("refuses an answer past the limit", async () => {
  answer = (_request, response) => response.end(Buffer.alloc(2000));
  const settings = { ...ctx.settings, bodyLimitBytes: 1000 };

  const calling = proxyRuntime.proxy({ ...ctx, settings }, runtimeCall());

  await expect(calling).rejects.toMatchObject({
    code: "upstream_unreachable",
    message: expect.stringContaining("larger than 1000 bytes"),
  });
});

test("decompresses, and refuses what grows past the limit", async () => {
  answer = (_request, response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync(Buffer.alloc(500_000, "a")));
  };
  const settings = { ...ctx.settings, bodyLimitBytes: 10_000 };

  const { body, headers } = await call({ decompress: true });
  const params = { ...runtimeCall().params, decompress: true };
  const bomb = proxyRuntime.proxy({ ...ctx, settings }, { ...runtimeCall(), params });

  expect(body.toString()).toBe("a".repeat(500_000));
  expect(headers).not.toHaveProperty("content-encoding");
  await expect(bomb).rejects.toMatchObject({ code: "upstream_unreachable" });
});

function runtimeCall() {
  return {
    run: { connection: prepared.connection.uuid, egress: openEgress },
    params: {
      method: "get",
      endpoint: "/contacts",
      query: [],
      headers: {},
      hasBody: false,
      retries: 0,
      retryOn: [],
      decompress: false,
    },
    body: new Uint8Array(),
  };
}

test("answers a running function for its own connection, or another of its environment", async () => {
  const other = await prepareConnection(ctx, { baseUrl: `${origin}/other` });
  const { integration, connection } = other;
  const own = await proxyRuntime.proxy(ctx, runtimeCall());
  const names = { providerConfigKey: integration.uniqueKey, connectionId: connection.connectionId };
  const params = { ...runtimeCall().params, ...names };

  await proxyRuntime.proxy(ctx, { ...runtimeCall(), params });

  expect(own.value).toMatchObject({ status: 200, statusText: "OK" });
  expect(own.body.toString()).toBe("ok");
  expect(seen.map(({ line }) => line)).toEqual(["GET /v1/contacts", "GET /other/contacts"]);
  const foreign = await installation.addEnvironment();
  await expect(proxyRuntime.proxy(foreign, runtimeCall())).rejects.toMatchObject({
    code: "unknown_connection",
  });
});

/** Redirects the first request as given, and answers the others. */
function redirectOnce(status: number, location: string): void {
  answer = (request, response) => {
    const isFirst = request.url === "/v1/contacts";
    response.writeHead(isFirst ? status : 200, isFirst ? { location } : {}).end("end");
  };
}

test.each([
  [301, "POST", "GET", ""],
  [302, "POST", "GET", ""],
  [303, "PUT", "GET", ""],
  [307, "POST", "POST", "body"],
  [308, "PATCH", "PATCH", "body"],
  [301, "PUT", "PUT", "body"],
])(
  "follows %i of a %s with %s, credentials and all, within the origin",
  async (status, method, then, body) => {
    redirectOnce(status, "/v2/next?x=1");

    const result = await call({
      method,
      headers: { "x-own": "1", "content-type": "a/b" },
      body: Buffer.from("body"),
    });

    expect(result.body.toString()).toBe("end");
    expect(seen[1]).toMatchObject({ line: `${then} /v2/next?x=1`, body });
    expect(seen[1]?.headers).toMatchObject({ authorization: "Bearer UPSTREAM", "x-own": "1" });
    expect(seen[1]?.headers["content-type"]).toBe(body === "" ? undefined : "a/b");
  },
);

test.each([301, 302, 303, 307, 308])(
  "sends no secret to another origin after a %i",
  async (status) => {
    answer = (request, response) => {
      const back = request.url === "/away" ? `${origin}/v1/back` : undefined;
      const location = request.url === "/v1/contacts" ? `http://localhost:${port}/away` : back;
      response
        .writeHead(
          location === undefined ? 200 : status,
          location === undefined ? {} : { location },
        )
        .end();
    };
    const headers = {
      cookie: "CANARY",
      "x-api-key": "CANARY",
      accept: "a/b",
      "svc-proxy-x": "CANARY",
    };

    await call({ headers });

    expect(seen.map(({ host, line }) => `${host} ${line}`)).toEqual([
      `127.0.0.1:${port} GET /v1/contacts`,
      `localhost:${port} GET /away`,
      `127.0.0.1:${port} GET /v1/back`,
    ]);
    for (const { headers: sent } of seen.slice(1)) {
      expect(JSON.stringify(sent)).not.toMatch(/CANARY|UPSTREAM/);
      expect(sent.accept).toBe("a/b");
    }
  },
);

test("a redirect to a closed address is refused, one without an address is an answer", async () => {
  redirectOnce(302, "http://10.0.0.1/");
  await expect(call()).rejects.toMatchObject({ code: "destination_not_allowed" });

  redirectOnce(302, "ftp://a.b/");
  expect((await call()).status).toBe(302);
});

test("gives up after five redirects", async () => {
  answer = (_request, response) => response.writeHead(302, { location: "/v1/contacts" }).end();

  await expect(call()).rejects.toThrow("redirects more than 5 times");
  expect(seen).toHaveLength(6);
});

test("returns a redirect where following is not asked for", async () => {
  redirectOnce(302, "/elsewhere");

  expect((await call({ followRedirects: false })).status).toBe(302);
  expect(seen).toHaveLength(1);
});

test("headers that the function names tell of a used-up quota and of the wait", async () => {
  answer = (_request, response) => {
    const headers = { "X-Left": "0", "X-Wait": "0" };
    response.writeHead(seen.length === 1 ? 403 : 200, headers).end();
  };

  const plain = await call({ retries: 1 });
  seen.length = 0;
  const named = await call({
    retries: 1,
    retryHeader: { remaining: "X-Left", after: "X-Wait" },
  });

  expect([plain.status, named.status]).toEqual([403, 200]);
  expect(seen).toHaveLength(2);
});

test("ends when the caller has gone", async () => {
  const leaving = new AbortController();
  answer = () => leaving.abort(new Error("gone"));

  const calling = callProvider(
    { ...ctx, signal: leaving.signal },
    {
      ...prepared,
      ...{ method: "GET", endpoint: "/contacts", query: [], headers: {}, body: undefined },
      ...{ baseUrlOverride: undefined, retries: 3, retryOn: [], decompress: false },
      followRedirects: true,
    },
  );

  await expect(calling).rejects.toThrow("gone");
});
