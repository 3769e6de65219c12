import { randomUUID } from "node:crypto";
import { compactVerify, createLocalJWKSet } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  connections,
  countUse,
  createConnection,
  deleteConnection,
  flushUses,
  frozenCredentialsLeaving,
  frozenCredentialsRenewed,
  getConnection,
  getFreshCredentials,
} from "#connections";
import { addMs, type EnvironmentContext, MINUTE, on, SECOND, withEnvironment } from "#foundation";
import { createIntegration, type Integration } from "#integrations";
import { type Answer, type TestApp, testApp } from "#testing";
import { followLeaving, followRenewed, revocations } from "./index.ts";
import { createWithdrawWork } from "./items/withdraw-work.ts";
import { takeStep } from "./run-revocation.ts";
import { type RevocationServer, startRevocationServer } from "./testing/revocation-server.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let provider: RevocationServer;
let integration: Integration;

beforeAll(async () => {
  app = await testApp({
    slices: [revocations, connections],
    caller: async ({ signal }) => ({ ...ctx, signal }),
    hooks: [
      on(frozenCredentialsLeaving, followLeaving),
      on(frozenCredentialsRenewed, followRenewed),
    ],
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  provider = await startRevocationServer();
  integration = await integrate(provider.url);
  return async () => await provider[Symbol.asyncDispose]();
});

async function integrate(revocationUrl: string | undefined): Promise<Integration> {
  return await createIntegration(ctx, {
    ...{ provider: "oauth2-generic", uniqueKey: `crm-${randomUUID()}`, displayName: undefined },
    ...{ forwardWebhooks: true, custom: {}, settings: {} },
    credentials: { type: "OAUTH2", client_id: "client", client_secret: "a client secret" },
    integrationConfig: {
      authorization_url: "http://127.0.0.1:9/authorize",
      token_url: "http://127.0.0.1:9/token",
      base_url: "http://127.0.0.1:9",
      ...(revocationUrl === undefined ? {} : { revocation_url: revocationUrl }),
    },
  });
}

/** Connections with tokens of their own, `access-<id>` and `refresh-<id>`. */
async function connect(
  count: number,
  tags: Record<string, string> = {},
  of: Integration = integration,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const connectionId of ids) {
    await createConnection(ctx, {
      ...{ integration: of, connectionId, metadata: undefined, connectionConfig: undefined, tags },
      webhookUrlOverride: undefined,
      credentials: {
        type: "OAUTH2",
        access_token: `access-${connectionId}`,
        refresh_token: `refresh-${connectionId}`,
      },
    });
  }
  return ids;
}

async function call(
  method: "GET" | "POST" | "DELETE",
  url: string,
  payload?: object,
): Promise<{ status: number; body: Answer }> {
  const answer = await app.server.inject({ method, url, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.json() };
}

/** As workers do it, with time passing, until all is over or so many minutes have passed. */
async function work(id: string, minutes = 20): Promise<number> {
  const loop = createWithdrawWork();
  const { environment: _, ...system } = ctx;
  const end = addMs(app.clock.now(), minutes * MINUTE);
  const startedAt = app.clock.now().getTime();
  while (app.clock.now() < end) {
    const { claimed, nextDueAt } = await loop.claim(system, () => {});
    await loop.drain?.();
    const waitMs = await takeStep(ctx, id);
    if (waitMs === undefined) break;
    const due = nextDueAt === undefined ? waitMs : nextDueAt.getTime() - app.clock.now().getTime();
    if (claimed === 0) app.clock.advance(Math.max(10, Math.min(waitMs, due)));
  }
  return app.clock.now().getTime() - startedAt;
}

async function itemsOf(id: string): Promise<Answer[]> {
  return (await call("GET", `/revocations/${id}/connections?limit=500`)).body.data;
}

async function verify(report: string): Promise<Answer> {
  const keys = (await call("GET", `/revocation-keys/${ctx.environment.id}`)).body;
  const { payload, protectedHeader } = await compactVerify(report, createLocalJWKSet(keys));
  expect(protectedHeader.alg).toBe("EdDSA");
  return JSON.parse(Buffer.from(payload).toString());
}

const codeOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => "ok",
    (error: { code?: string }) => error.code,
  );

test("connections that match are frozen before the answer, their tokens withdrawn, and each has a signed report", async () => {
  const sales = await connect(3, { team: "sales" });
  const [other = ""] = await connect(1, { team: "care" });

  const begun = await call("POST", "/revocations", {
    ...{ match: { tags: { team: "sales" } }, reason: "Laptop stolen" },
  });
  const frozen = await getConnection(ctx, { integration, connectionId: sales[0] ?? "" });
  const used = await codeOf(
    getFreshCredentials(ctx, { connection: frozen, integration, force: false }),
  );
  await work(begun.body.data.id);
  const ended = (await call("GET", `/revocations/${begun.body.data.id}`)).body.data;
  const items = await itemsOf(begun.body.data.id);
  const reports = await Promise.all(items.map(async ({ report }) => await verify(report)));
  const summary = await verify(ended.report);

  expect(begun).toMatchObject({ status: 202, body: { data: { matched: 3 } } });
  expect(used).toBe("connection_frozen");
  expect(ended).toMatchObject({ state: "done", counts: { withdrawn: 3, waiting: 0 } });
  expect([...provider.tokens].sort()).toEqual(
    sales.flatMap((id) => [`access-${id}`, `refresh-${id}`]).sort(),
  );
  expect(items.map((item) => item.connection_id).sort()).toEqual([...sales].sort());
  expect(reports[0]).toMatchObject({
    ...{ kind: "connection", rehearsal: false, reason: "Laptop stolen", state: "withdrawn" },
    answers: [
      { token: "refresh_token", status: 200, is_withdrawn: true },
      { token: "access_token", status: 200, is_withdrawn: true },
    ],
  });
  expect(JSON.stringify(reports)).not.toMatch(/access-|refresh-/);
  expect(summary).toMatchObject({ kind: "summary", matched: 3, counts: { withdrawn: 3 } });
  expect((await getConnection(ctx, { integration, connectionId: other })).frozen).toBeUndefined();
});

test("a report that was changed is refused", async () => {
  await connect(1);
  const { id } = (await call("POST", "/revocations", matchAll())).body.data;
  await work(id);
  const [{ report }] = await itemsOf(id);
  const [head, , signature] = report.split(".");
  const forged = Buffer.from(JSON.stringify({ kind: "connection", state: "withdrawn" }));

  const verified = verify(`${head}.${forged.toString("base64url")}.${signature}`);

  await expect(verified).rejects.toMatchObject({ code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" });
});

const matchAll = () => ({ match: { provider_config_key: integration.uniqueKey } });

test("a rehearsal sends nothing, freezes nothing, and reports what would happen", async () => {
  await connect(2);
  const nowhere = await integrate(undefined);
  const [id = ""] = await connect(1, {}, nowhere);
  const body = { match: { from: "2000-01-01T00:00:00Z" }, rehearsal: true };

  const begun = await call("POST", "/revocations", body);
  await work(begun.body.data.id);
  const ended = (await call("GET", `/revocations/${begun.body.data.id}`)).body.data;
  const connection = await getConnection(ctx, { integration: nowhere, connectionId: id });
  const items = await itemsOf(begun.body.data.id);
  const report = await verify(items[0].report);

  expect(provider.tokens).toEqual([]);
  expect(connection.frozen).toBeUndefined();
  expect(ended).toMatchObject({
    ...{ rehearsal: true, state: "done", matched: 3 },
    counts: { withdrawn: 2, not_withdrawable: 1 },
  });
  expect(items[2]).toMatchObject({ reason: "no_revocation_endpoint", frozen_at: null });
  expect(report).toMatchObject({
    ...{ rehearsal: true, state: "withdrawn" },
    answers: [{ host: new URL(provider.url).host, status: null, is_withdrawn: false }, {}],
  });
});

test("another environment's connections never match", async () => {
  const [mine = ""] = await connect(1, { team: "sales" });
  const [own, before] = [ctx, integration];
  ctx = await app.addEnvironment();
  integration = await integrate(provider.url);
  await connect(1, { team: "sales" });

  const begun = await call("POST", "/revocations", { match: { tags: { team: "sales" } } });
  await work(begun.body.data.id);

  const connection = await getConnection(own, { integration: before, connectionId: mine });
  expect(begun.body.data.matched).toBe(1);
  expect(connection.frozen).toBeUndefined();
  expect(provider.tokens).not.toContain(`refresh-${mine}`);
});

test.each([
  ["500", "failed", "provider_error", 500, "server_error"],
  ["hang", "failed", "provider_unreachable", null, "upstream_timeout"],
  ["refuse", "failed", "provider_refused", 400, "unsupported_token_type"],
] as const)(
  "a provider that answers %s is reported as such within a bound",
  async (behaviour, state, reason, status, code) => {
    provider.behaviour = behaviour;
    await connect(1);
    const { id } = (await call("POST", "/revocations", matchAll())).body.data;

    const tookMs = await work(id);

    const [item] = await itemsOf(id);
    expect(tookMs).toBeLessThan(12 * MINUTE);
    expect(item).toMatchObject({ state, reason });
    expect(item.answers[0]).toMatchObject({ status, code });
    expect(item.answers[0].is_withdrawn).toBe(false);
    expect(provider.tokens.length).toBeLessThanOrEqual(6);
  },
  60_000,
);

test("what the provider no longer knows counts as withdrawn", async () => {
  provider.behaviour = "gone";
  await connect(1);
  const { id } = (await call("POST", "/revocations", matchAll())).body.data;

  await work(id);

  const [item] = await itemsOf(id);
  expect(item).toMatchObject({
    state: "withdrawn",
    answers: [{ status: 404, is_withdrawn: true }, {}],
  });
});

test("what was not withdrawn can be released, and is reported as released", async () => {
  const nowhere = await integrate(undefined);
  const [connectionId = ""] = await connect(1, {}, nowhere);
  const match = { provider_config_key: nowhere.uniqueKey };
  const { id } = (await call("POST", "/revocations", { match })).body.data;
  await work(id);

  const released = await call("POST", `/revocations/${id}/release`);
  await work(id);

  const connection = await getConnection(ctx, { integration: nowhere, connectionId });
  const [item] = await itemsOf(id);
  expect(released.body.data).toMatchObject({ released: 1 });
  expect(connection.frozen).toBeUndefined();
  expect(await verify(item.report)).toMatchObject({ state: "released" });
  expect((await call("GET", `/revocations/${id}`)).body.data).toMatchObject({
    ...{ state: "done", counts: { released: 1, not_withdrawable: 0 } },
  });
});

test("an end user who connects again unfreezes the connection; the tokens before are withdrawn all the same", async () => {
  const [connectionId = ""] = await connect(1);
  const { id } = (await call("POST", "/revocations", matchAll())).body.data;

  await createConnection(ctx, {
    ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined },
    ...{ tags: undefined, webhookUrlOverride: undefined },
    credentials: { type: "OAUTH2", access_token: "new-access", refresh_token: "new-refresh" },
  });
  await work(id);

  const connection = await getConnection(ctx, { integration, connectionId });
  const fresh = await getFreshCredentials(ctx, { connection, integration, force: false });
  expect(fresh.credentials["access_token"]).toBe("new-access");
  expect([...provider.tokens].sort()).toEqual(
    [`access-${connectionId}`, `refresh-${connectionId}`].sort(),
  );
  expect((await itemsOf(id))[0]).toMatchObject({ state: "withdrawn" });
});

test("a connection that is deleted before its withdrawal is withdrawn all the same", async () => {
  const [connectionId = ""] = await connect(1);
  const { id } = (await call("POST", "/revocations", matchAll())).body.data;

  await deleteConnection(ctx, { integration, connectionId });
  await work(id);

  expect(provider.tokens).toContain(`refresh-${connectionId}`);
  expect((await itemsOf(id))[0]).toMatchObject({ state: "withdrawn" });
});

test("connections that a key has read are found by the key, others not", async () => {
  const [read = "", called = ""] = await connect(3);
  const keyId = randomUUID();
  const { environment, ...system } = ctx;
  const actor = { kind: "key", keyId, accountId: environment.accountId, scopes: [] } as const;
  const asKey = withEnvironment(system, environment, actor);
  const uuidOf = async (connectionId: string) =>
    (await getConnection(ctx, { integration, connectionId })).uuid;
  countUse(asKey, await uuidOf(read), "read");
  countUse(asKey, await uuidOf(called), "call");
  await flushUses(ctx);

  const begun = await call("POST", "/revocations", { match: { key_id: keyId } });
  await work(begun.body.data.id);

  const ended = (await call("GET", `/revocations/${begun.body.data.id}`)).body.data;
  const items = await itemsOf(begun.body.data.id);
  expect(items.map((item) => item.connection_id)).toEqual([read]);
  expect(ended.touched.keys).toMatchObject([{ id: keyId, connections: 1 }]);
});

test("uses of a connection name who, how, how often and when", async () => {
  const [connectionId = ""] = await connect(1);
  const { uuid } = await getConnection(ctx, { integration, connectionId });
  const { environment, ...system } = ctx;
  const keyId = randomUUID();
  const actor = { kind: "key", keyId, accountId: environment.accountId, scopes: [] } as const;
  const asKey = withEnvironment(system, environment, actor);
  countUse(asKey, uuid, "read");
  app.clock.advance(SECOND);
  countUse(asKey, uuid, "read");

  const uses = await call(
    "GET",
    `/connections/${connectionId}/uses?provider_config_key=${integration.uniqueKey}`,
  );

  expect(uses.body.data).toMatchObject([{ kind: "key", id: keyId, way: "read", uses: 2 }]);
  const { first_used_at: first, last_used_at: last } = uses.body.data[0];
  expect(new Date(last).getTime() - new Date(first).getTime()).toBe(SECOND);
});

test("uses of a connection name the people who still exist", async () => {
  const [connectionId = ""] = await connect(1);
  const { uuid } = await getConnection(ctx, { integration, connectionId });
  const { environment, ...system } = ctx;
  const { accountId } = environment;
  const [ada, gone] = [randomUUID(), randomUUID()];
  await sql`insert into users (id, account_id, email, name, created_at)
    values (${ada}::uuid, ${accountId}::uuid, ${`${ada}@example.com`}, 'Ada', now())`.execute(
    ctx.db,
  );
  for (const userId of [ada, gone]) {
    const user = { userId, userName: "x", sessionId: randomUUID(), accountId, scopes: [] };
    const actor = { ...{ kind: "user" as const }, ...user };
    countUse(withEnvironment(system, environment, Object(actor)), uuid, "reveal");
    app.clock.advance(SECOND);
  }

  const uses = await call(
    "GET",
    `/connections/${connectionId}/uses?provider_config_key=${integration.uniqueKey}`,
  );

  expect(uses.body.data).toMatchObject([
    { kind: "user", id: gone, name: null },
    { kind: "user", id: ada, name: "Ada" },
  ]);
});

test("a body that names nothing, or a time that ends before it begins, is refused", async () => {
  const empty = await call("POST", "/revocations", { match: {} });
  const noTags = await call("POST", "/revocations", { match: { tags: {} } });
  const backwards = await call("POST", "/revocations", {
    match: { from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" },
  });

  expect([empty, noTags, backwards].map(({ status }) => status)).toEqual([400, 400, 400]);
});
