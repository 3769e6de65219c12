import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createConnection } from "#connections";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createIntegration } from "#integrations";
import {
  callProxy,
  type Prepared,
  type ProxyServer,
  startProxy,
} from "../testing/proxy-under-test.ts";

let installation: TestContext;
let proxy: ProxyServer;
let prepared: Prepared;

// Answers whether the request was signed as RFC 5849 says, with what it received.
const server = createServer((request, response) => {
  void buffer(request).then((body) => response.end(isSigned(request, body) ? "signed" : "refused"));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  installation = await createTestContext();
  proxy = await startProxy(installation.ctx);
  prepared = await prepare(installation);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
  await new Promise((resolve) => server.close(resolve));
});

async function prepare({ ctx }: TestContext): Promise<Prepared> {
  const integration = await createIntegration(ctx, {
    provider: "trello",
    uniqueKey: randomUUID(),
    displayName: undefined,
    forwardWebhooks: true,
    credentials: { type: "OAUTH1", client_id: "ck", client_secret: "c&s" },
    integrationConfig: {},
    custom: {},
    settings: {},
  });
  const { connection } = await createConnection(ctx, {
    integration,
    connectionId: undefined,
    credentials: { type: "OAUTH1", oauth_token: "t", oauth_token_secret: "ts" },
    metadata: undefined,
    connectionConfig: undefined,
    tags: undefined,
    webhookUrlOverride: undefined,
  });
  return { integration, connection };
}

function origin(): string {
  return `http://127.0.0.1:${asTcp(server.address()).port}`;
}

// A server that listens on a port of TCP has such an address.
function asTcp(address: unknown): AddressInfo {
  return address as AddressInfo;
}

function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const header = request.headers.authorization ?? "";
  const given = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [
    name,
    decodeURIComponent(value),
  ]);
  const url = new URL(request.url ?? "", origin());
  const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
  const pairs = [
    ...given.filter(([name]) => name !== "oauth_signature"),
    ...url.searchParams,
    ...new URLSearchParams(isForm ? body.toString() : ""),
  ].map((pair) => pair.map((text = "") => encode(text)).join("="));
  const text = [request.method ?? "", url.origin + url.pathname, pairs.toSorted().join("&")]
    .map(encode)
    .join("&");
  const expected = createHmac("sha1", "c%26s&ts").update(text).digest("base64");
  return Object.fromEntries(given)["oauth_signature"] === expected;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => {
    return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

const formHeaders = ["Content-Type", "application/x-www-form-urlencoded"];

test.each([
  ["a query", { path: "/proxy/1/boards?a=%21x&b=y%20z" }],
  ["a form", { method: "POST", headers: formHeaders, body: "a=1+2&c=%C3%A9" }],
  ["a JSON body", { method: "POST", headers: ["Content-Type", "application/json"], body: "{}" }],
])("signs a call with %s", async (_, options) => {
  const headers = ["Base-Url-Override", origin(), ...("headers" in options ? options.headers : [])];

  const answer = await callProxy(proxy, prepared, { ...options, headers });

  expect(answer.body.toString()).toBe("signed");
});

test("refuses a form that is too large to be signed, and says what to do", async () => {
  const body = `a=${"x".repeat(2 * 1024 * 1024)}`;
  const headers = ["Base-Url-Override", origin(), ...formHeaders];

  const answer = await callProxy(proxy, prepared, { method: "POST", headers, body });

  expect(answer.status).toBe(413);
  expect(JSON.parse(answer.body.toString()).error.message).toContain("too large to be signed");
});
