import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestApp, testApp } from "#testing";
import { proxy } from "./slice.ts";
import { prepareConnection } from "./testing/proxy-under-test.ts";

let app: TestApp;
let names: { provider_config_key: string; connection_id: string };
let seen: { line: string; headers: IncomingMessage["headers"]; body: string } | undefined;

const SLOW_MS = 200;

const answers: Record<string, (response: ServerResponse) => void> = {
  "/v1/me": (response) => response.setHeader("x-id", "7").end('{"name":"é"}'),
  "/v1/zipped": (response) =>
    response.setHeader("content-encoding", "gzip").end(gzipSync("unzipped")),
  "/v1/bytes": (response) => response.end(Buffer.from([0xff, 0x00])),
  "/v1/gone": (response) => response.writeHead(410).end("gone"),
  "/v1/moved": (response) => response.writeHead(302, { location: "/v1/me" }).end(),
  "/v1/slow": (response) => void setTimeout(() => response.end("late"), SLOW_MS),
  "/v1/large": (response) => response.end(Buffer.alloc(2 * 1024 * 1024 + 1)),
};

const upstream = createServer((request, response) => {
  void buffer(request).then((body) => {
    const { method, url = "", headers } = request;
    seen = { line: `${method} ${url}`, headers, body: body.toString() };
    (answers[url.split("?")[0] ?? ""] ?? ((other) => other.end("ok")))(response);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  app = await testApp({ slices: [proxy] });
  const prepared = await prepareConnection(app.ctx, { baseUrl: `http://127.0.0.1:${port}/v1` });
  names = {
    provider_config_key: prepared.integration.uniqueKey,
    connection_id: prepared.connection.connectionId,
  };
});
afterAll(async () => {
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  await app[Symbol.asyncDispose]();
});

async function send(payload: object) {
  const body = { ...names, ...payload };
  const answer = await app.server.inject({ method: "POST", url: "/proxy-requests", payload: body });
  return { status: answer.statusCode, body: answer.json() };
}

test("a call goes out with the credentials, and its answer comes as data", async () => {
  const { status, body } = await send({
    path: "/me?a=1",
    query: { a: "2", q: "x y" },
    headers: { "X-Team": "ops" },
  });

  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    status: 200,
    headers: { "x-id": "7" },
    body: '{"name":"é"}',
    body_encoding: "text",
    size: 13,
  });
  expect(seen).toMatchObject({
    line: "GET /v1/me?a=2&q=x%20y",
    headers: { authorization: "Bearer UPSTREAM", "x-team": "ops" },
  });
});

test("the answer says where the time went", async () => {
  const { body } = await send({ path: "/slow" });

  const { duration_ms: whole, timing } = body.data;
  expect(timing.upstream_ms).toBeGreaterThanOrEqual(SLOW_MS - 5);
  expect(timing.credentials_ms).toBeGreaterThanOrEqual(0);
  expect(timing.credentials_ms + timing.wait_ms + timing.upstream_ms).toBeLessThanOrEqual(
    whole + 2,
  );
});

test.each([
  [{ body: { a: 1 } }, '{"a":1}', "application/json"],
  [{ body: "a=1", headers: { "Content-Type": "text/plain" } }, "a=1", "text/plain"],
  [{ body_base64: "aGk=" }, "hi", undefined],
  [{ body: null }, "null", "application/json"],
])("the body %j is sent as %s", async (sent, received, type) => {
  await send({ method: "POST", path: "/echo", ...sent });

  expect(seen).toMatchObject({ line: "POST /v1/echo", body: received });
  expect(seen?.headers["content-type"]).toBe(type);
});

test("compressed answers are read, bytes come in base64, failures of the provider are answers", async () => {
  const zipped = await send({ path: "/zipped" });
  const bytes = await send({ path: "/bytes" });
  const gone = await send({ path: "/gone" });
  const moved = await send({ path: "/moved" });
  const followed = await send({ path: "/moved", follow_redirects: true });

  expect(zipped.body.data).toMatchObject({ body: "unzipped", size: 8 });
  expect(bytes.body.data).toMatchObject({ body: "/wA=", body_encoding: "base64", size: 2 });
  expect(gone).toMatchObject({ status: 200, body: { data: { status: 410, body: "gone" } } });
  expect(moved.body.data).toMatchObject({ status: 302, headers: { location: "/v1/me" } });
  expect(followed.body.data).toMatchObject({ status: 200, headers: { "x-id": "7" } });
});

test.each([
  ["a body of a GET", { path: "/me", body: 1 }, 400, "invalid_body"],
  [
    "two bodies",
    { method: "POST", path: "/me", body: 1, body_base64: "aGk=" },
    400,
    "invalid_body",
  ],
  ["an unknown connection", { path: "/me", connection_id: "x" }, 400, "unknown_connection"],
  ["a header that is none", { path: "/me", headers: { "a b": "c" } }, 400, "invalid_request"],
  ["an answer above 2 MiB", { path: "/large" }, 502, "upstream_unreachable"],
])("%s is refused", async (_case, sent, status, code) => {
  expect(await send(sent)).toMatchObject({ status, body: { error: { code } } });
});
