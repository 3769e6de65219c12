import { createServer } from "node:http";
import { createServer as createTrap, type LookupFunction } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createEgress } from "#foundation/egress";
import { closedAddresses } from "#foundation/egress/testing";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { callProvider } from "./call-provider.ts";
import {
  callProxy,
  type Prepared,
  type ProxyServer,
  prepareConnection,
  startProxy,
} from "./testing/proxy-under-test.ts";

let installation: TestContext;
let ctx: EnvironmentContext;
let proxy: ProxyServer;
let prepared: Prepared;
let baseless: Prepared;
let reached = 0;
let location = "";

/** Every name leads to loopback; one of them is open. */
const lookup: LookupFunction = (_hostname, _options, callback) => {
  setImmediate(() => callback(null, [{ address: "127.0.0.1", family: 4 }]));
};
const trap = createTrap((socket) => {
  reached += 1;
  socket.destroy();
});
const upstream = createServer((_request, response) => {
  response.writeHead(302, { location }).end();
});

async function listen(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: unknown = server.address();
  return typeof address === "object" && address !== null && "port" in address ? address.port : 0;
}

let trapPort: unknown;
beforeAll(async () => {
  installation = await createTestContext();
  trapPort = await listen(trap);
  const port = await listen(upstream);
  const http = createEgress({ allow: ["open.example"], log: installation.ctx.log, lookup });
  ctx = { ...installation.ctx, http };
  await ensureLogPartitions(ctx);
  proxy = await startProxy(ctx);
  prepared = await prepareConnection(ctx, { baseUrl: `http://open.example:${port}` });
  baseless = await prepareConnection(ctx, { baseUrl: "" });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await ctx.http[Symbol.asyncDispose]();
  trap.close();
  upstream.closeAllConnections();
  upstream.close();
  await installation[Symbol.asyncDispose]();
});
beforeEach(() => {
  reached = 0;
});

function fill(form: string): string {
  return form.replace("PORT", String(trapPort));
}

// A header cannot hold these, so that they never come so far.
const sendable = closedAddresses.filter(([, form]) => /^[\x21-\x7e]*$/.test(form));
// A relative address stays with the provider that has sent it, and what is no address is not followed.
const elsewhere = sendable.filter(
  ([, form]) => /^https?:[/\\]{2}/i.test(form) && URL.canParse(form.replace("PORT", "1")),
);

test("the corpus is no smaller than promised", () => {
  expect(new Set(closedAddresses.map(([, form]) => form)).size).toBeGreaterThanOrEqual(150);
  expect(elsewhere.length).toBeGreaterThanOrEqual(100);
});

test.each(sendable)("Base-Url-Override does not reach %s", async (_name, form) => {
  const headers = ["Base-Url-Override", fill(form)];

  const answer = await callProxy(proxy, baseless, { headers });

  const { error } = JSON.parse(answer.body.toString());
  expect(["destination_not_allowed", "invalid_headers", "missing_base_url"]).toContain(error.code);
  expect(reached).toBe(0);
});

test.each(elsewhere)("a redirect of the provider does not reach %s", async (_name, form) => {
  location = fill(form);

  const answer = await callProxy(proxy, prepared, { headers: ["Follow-Redirects", "true"] });

  expect(JSON.parse(answer.body.toString()).error.code).toBe("destination_not_allowed");
  expect(reached).toBe(0);
});

test.each(closedAddresses)("a function's call does not reach %s", async (_name, form) => {
  const calling = callProvider(ctx, {
    ...baseless,
    method: "GET",
    endpoint: "/x",
    query: [],
    headers: {},
    body: undefined,
    baseUrlOverride: fill(form),
    retries: 0,
    retryOn: [],
    decompress: false,
    followRedirects: true,
  });

  await expect(calling).rejects.toMatchObject({
    code: expect.stringMatching(/^(destination_not_allowed|missing_base_url|invalid_request)$/),
  });
  expect(reached).toBe(0);
});

test("an upgrade to WebSocket is refused and not sent", async () => {
  const headers = ["Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13"];

  const answer = await callProxy(proxy, prepared, { headers });

  expect(answer.status).toBe(400);
  expect(answer.body.toString()).toContain("WebSocket connections are not proxied");
});
