import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { openEgress } from "#slice/testing";
import { fetchUrl } from "./fetch-url.ts";
import { deleteExpiredLocks, releaseLock, releaseLocksOf, tryAcquireLock } from "./locks.ts";

let app: TestContext;
let ctx: EnvironmentContext;
let server: Server;
let other: Server;
let answer: RequestListener;

beforeAll(async () => {
  app = await createTestContext();
  server = await listen((request, response) => answer(request, response));
  other = await listen((request, response) => response.end(JSON.stringify(request.headers)));
});
afterAll(async () => {
  server.close();
  other.close();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

async function listen(listener: RequestListener): Promise<Server> {
  const opened = createServer(listener);
  await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve));
  return opened;
}

function urlOf(target: Server, path = "/"): string {
  const { port } = toAddress(target.address());
  return `http://127.0.0.1:${port}${path}`;
}

// A server that listens on a port has an address with one.
function toAddress(address: ReturnType<Server["address"]>): AddressInfo {
  return address as AddressInfo;
}

type Params = Parameters<typeof fetchUrl>[1];

async function call(change: Partial<Params> = {}, body = "") {
  const params: Params = {
    ...{ method: "GET", url: urlOf(server), headers: [], hasBody: body !== "", redirect: "follow" },
    ...change,
  };
  const result = await fetchUrl(ctx, params, { body: Buffer.from(body), egress: openEgress });
  return { ...result.value, text: Buffer.from(result.body).toString() };
}

test("a call has no credentials, and any status is an answer", async () => {
  answer = (request, response) => {
    response.writeHead(418, { "set-cookie": ["a=1", "b=2"] });
    response.end(JSON.stringify(request.headers));
  };

  const result = await call({
    headers: [
      ["X-A", "1"],
      ["x-a", "2"],
      ["host", "evil.test"],
    ],
  });

  expect(result.status).toBe(418);
  expect(JSON.parse(result.text)).toMatchObject({ "x-a": "1, 2", "user-agent": "Jackfield" });
  expect(JSON.parse(result.text).host).not.toBe("evil.test");
  expect(result.headers.filter(([name]) => name === "set-cookie")).toHaveLength(2);
});

test("a redirect to another origin takes no secrets along, and 303 becomes GET", async () => {
  answer = (_request, response) => {
    response.writeHead(303, { location: urlOf(other, "/there") }).end();
  };

  const headers: Params["headers"] = [
    ["authorization", "Bearer mine"],
    ["cookie", "a=b"],
    ["x-kept", "1"],
    ["content-type", "text/plain"],
  ];
  const result = await call({ method: "POST", headers }, "body");

  expect([result.redirected, result.url]).toEqual([true, urlOf(other, "/there")]);
  const sent = JSON.parse(result.text);
  expect(sent).toMatchObject({ "x-kept": "1" });
  expect(Object.keys(sent)).not.toContain("authorization");
  expect(Object.keys(sent)).not.toContain("cookie");
  expect(Object.keys(sent)).not.toContain("content-type");
});

test.each([
  ["too_many_redirects", { location: "/again" }, "follow"],
  ["invalid_redirect", { location: "ftp://files.test/" }, "follow"],
  ["invalid_redirect", { location: "/again" }, "error"],
  ["url_not_allowed", { location: "http://169.254.169.254/latest" }, "follow"],
] as const)("ends with %s for %j (%s)", async (type, headers, redirect) => {
  answer = (_request, response) => {
    response.writeHead(302, headers).end();
  };

  await expect(call({ redirect })).rejects.toMatchObject({ error: { type } });
});

test("a redirect is returned where the call says manual", async () => {
  answer = (_request, response) => {
    response.writeHead(302, { location: "/again" }).end();
  };

  expect(await call({ redirect: "manual" })).toMatchObject({ status: 302, redirected: false });
});

test.each(["http://10.0.0.1/", "http://[fd00::1]/", "file:///etc/passwd", "no address"])(
  "refuses %s",
  async (url) => {
    await expect(call({ url })).rejects.toMatchObject({ error: { type: "url_not_allowed" } });
  },
);

const newOperation = () => newTimeId<OperationId>(ctx.clock.now());

test("a lock has one owner at a time, which may take it again", async () => {
  const [mine, theirs] = [newOperation(), newOperation()];
  const key = "import";
  const ttlMs = 60_000;

  expect(await tryAcquireLock(ctx, { operationId: mine, key, ttlMs })).toBe(true);
  expect(await tryAcquireLock(ctx, { operationId: mine, key, ttlMs })).toBe(true);
  expect(await tryAcquireLock(ctx, { operationId: theirs, key, ttlMs })).toBe(false);
  expect(await releaseLock(ctx, { operationId: theirs, key })).toBe(false);
  expect(await releaseLock(ctx, { operationId: mine, key })).toBe(true);
  expect(await tryAcquireLock(ctx, { operationId: theirs, key, ttlMs })).toBe(true);
});

test("a lock that is taken while its run ends is released all the same", async () => {
  const operationId = newTimeId<OperationId>(new Date());
  const other = newTimeId<OperationId>(new Date());
  const ended = new AbortController();
  const lock = { key: "late", ttlMs: 60_000 };

  const acquiring = tryAcquireLock({ ...ctx, signal: ended.signal }, { operationId, ...lock });
  ended.abort();
  await releaseLocksOf(ctx, operationId);
  await acquiring;

  expect(await tryAcquireLock(ctx, { operationId: other, ...lock })).toBe(true);
});

test("of many runs that ask at once one gets the lock", async () => {
  const asked = Array.from({ length: 20 }, async () => {
    return await tryAcquireLock(ctx, { operationId: newOperation(), key: "k", ttlMs: 60_000 });
  });

  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
});

test("locks end with their time and with their run, and another environment has its own", async () => {
  const [mine, theirs] = [newOperation(), newOperation()];
  await tryAcquireLock(ctx, { operationId: mine, key: "short", ttlMs: 1 });
  await tryAcquireLock(ctx, { operationId: mine, key: "long", ttlMs: 60_000 });
  const elsewhere = await app.addEnvironment();

  expect(await tryAcquireLock(elsewhere, { operationId: theirs, key: "long", ttlMs: 60_000 })).toBe(
    true,
  );
  await expect
    .poll(async () => await tryAcquireLock(ctx, { operationId: theirs, key: "short", ttlMs: 1 }))
    .toBe(true);
  await releaseLocksOf(ctx, mine);
  expect(await tryAcquireLock(ctx, { operationId: theirs, key: "long", ttlMs: 60_000 })).toBe(true);
  await deleteExpiredLocks(ctx);
  expect(await releaseLock(ctx, { operationId: theirs, key: "long" })).toBe(true);
});
