import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { saveConnection } from "#connections";
import { MINUTE } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createIntegration } from "#integrations";
import { ensureLogPartitions } from "#logs";
import { callProvider } from "../call-provider.ts";
import { type BoundResource, startBoundResource } from "../testing/bound-resource.ts";
import { type FastPathServer, startFastPath } from "../testing/fast-path-server.ts";
import {
  callProxy,
  type Prepared,
  type ProxyServer,
  startProxy,
} from "../testing/proxy-under-test.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = createPublicKey(privateKey).export({ format: "jwk" });

let installation: TestContext;
let proxy: ProxyServer;
let server: FastPathServer;
let resource: BoundResource;
let prepared: Prepared;

beforeAll(async () => {
  installation = await createTestContext();
  await ensureLogPartitions(installation.ctx);
  resource = await startBoundResource({ token: "bound-token", key });
  proxy = await startProxy(installation.ctx);
  server = await startFastPath(installation.ctx);
  prepared = await prepare();
  await server.warm(prepared);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await resource[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});
beforeEach(async () => {
  resource.aheadMs = 0;
  // Before a test only the clock and the nonce of the server are known.
  await callProxy(proxy, prepared);
  resource.answered.length = 0;
});

async function prepare(): Promise<Prepared> {
  const { ctx } = installation;
  const integration = await createIntegration(ctx, {
    provider: "oauth2-generic",
    uniqueKey: "bound",
    displayName: undefined,
    forwardWebhooks: true,
    credentials: { type: "OAUTH2", client_id: "c", client_secret: "s", scopes: "" },
    integrationConfig: {
      authorization_url: `${resource.origin}/authorize`,
      token_url: `${resource.origin}/token`,
      base_url: resource.origin,
      dpop: "ES256",
    },
    custom: {},
    settings: {},
  });
  const { connection } = await saveConnection(ctx, {
    integration,
    connectionId: "bound",
    authMode: "OAUTH2",
    minted: {
      credentials: {
        type: "OAUTH2",
        access_token: "bound-token",
        dpop_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      },
      expiresAt: undefined,
      capturedConfig: {},
    },
    fromSession: false,
  });
  return { integration, connection };
}

test.each([
  ["a query", { path: "/proxy/a?b=1" }, "GET /a?b=1 0"],
  ["a body", { method: "POST", path: "/proxy/a", body: "0123456789" }, "POST /a 10"],
])(
  "a call with %s is proven, with the nonce that the last answer brought",
  async (_, call, line) => {
    const first = await callProxy(proxy, prepared, call);
    const second = await callProxy(proxy, prepared, call);

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(resource.answered).toEqual([`${line} 200`, `${line} 200`]);
  },
);

test("a call with an old nonce is made again with the new one, its body too, without a retry asked for", async () => {
  resource.forgetNonces();

  const answer = await callProxy(proxy, prepared, { method: "POST", body: "0123456789" });

  expect(answer).toMatchObject({ status: 200, body: Buffer.from("10 bytes") });
  expect(resource.answered).toEqual(["POST /x 10 401", "POST /x 10 200"]);
});

test("a body too large to be kept is sent once, and the answer says so", async () => {
  const body = "x".repeat(1024 * 1024 + 1);
  resource.forgetNonces();

  const refused = await callProxy(proxy, prepared, { method: "POST", body });
  const next = await callProxy(proxy, prepared, { method: "POST", body });

  expect(refused.status).toBe(401);
  expect(refused.headers.join()).toContain("Svc-Retry-Skipped,body-not-replayable");
  expect(next.status).toBe(200);
  expect(resource.answered).toEqual([`POST /x ${body.length} 401`, `POST /x ${body.length} 200`]);
});

test("a function's call is proven too", async () => {
  resource.forgetNonces();

  const answer = await callProvider(installation.ctx, {
    ...prepared,
    method: "PUT",
    endpoint: "/items",
    query: [["a", "b c"]],
    headers: {},
    body: Buffer.from("{}"),
    baseUrlOverride: undefined,
    retries: 0,
    retryOn: [],
    decompress: false,
    followRedirects: true,
  });

  expect(answer.status).toBe(200);
  expect(resource.answered).toHaveLength(2);
});

test("a call that needs a proof takes the slow path", async () => {
  await callProxy(server, prepared);

  expect(server.passedOn).toEqual(["GET /proxy/x"]);
});

test.each([
  ["ahead", 10 * MINUTE],
  ["behind", -10 * MINUTE],
])("proofs tell the time of a server whose clock is %s", async (_, aheadMs) => {
  resource.aheadMs = aheadMs;

  const first = await callProxy(proxy, prepared);
  const second = await callProxy(proxy, prepared);
  resource.aheadMs = 0;
  const third = await callProxy(proxy, prepared);

  expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
  expect(resource.answered.map((line) => line.slice(-3))).toEqual([
    ...["401", "200"],
    "200",
    ...["401", "200"],
  ]);
});

test("the token of another key is refused as the provider refuses it, once", async () => {
  const { ctx } = installation;
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const { connection } = await saveConnection(ctx, {
    integration: prepared.integration,
    connectionId: "stolen",
    authMode: "OAUTH2",
    minted: {
      credentials: {
        type: "OAUTH2",
        access_token: "bound-token",
        dpop_key: other.export({ type: "pkcs8", format: "pem" }),
      },
      expiresAt: undefined,
      capturedConfig: {},
    },
    fromSession: false,
  });

  const answer = await callProxy(proxy, { ...prepared, connection });

  expect([answer.status, answer.body.toString()]).toEqual([401, "invalid_token"]);
  expect(resource.answered).toEqual(["GET /x 0 401"]);
});
