import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getFreshCredentials } from "#connections";
import { prepareConnection } from "#connections/testing";
import { createApiKey } from "#environments";
import { addMs, DAY, type EnvironmentContext, HOUR, MINUTE } from "#foundation";
import { type Answer, type TestApp, testApp } from "#testing";
import { problems } from "./index.ts";
import { sweepProblems } from "./sweep-problems.ts";
import {
  addFailedRuns,
  addFailedWebhook,
  addFunction,
  addWaitingSync,
  listQueued,
  setReceiver,
  setSilent,
  setUnverified,
  setWebhooks,
} from "./testing/store.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let answer = { status: 503, body: "{}" };
const authority = createServer((_request, response) => {
  response.statusCode = answer.status;
  response.setHeader("content-type", "application/json");
  response.end(answer.body);
});
let tokenUrl = "";

beforeAll(async () => {
  app = await testApp({ slices: [problems], caller: async ({ signal }) => ({ ...ctx, signal }) });
  await new Promise<void>((resolve) => authority.listen(0, "127.0.0.1", resolve));
  // It listens on a port.
  tokenUrl = `http://127.0.0.1:${(authority.address() as AddressInfo).port}/token`;
});
afterAll(async () => {
  authority.close();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

async function list(): Promise<Answer> {
  await sweepProblems(ctx);
  const found = await app.server.inject({ method: "GET", url: "/problems?state=open" });
  return found.json().data;
}

async function failRefresh(status: number, body: object) {
  answer = { status, body: JSON.stringify(body) };
  const prepared = await prepareConnection(ctx, { tokenUrl, expiresIn: -60 });
  await expect(getFreshCredentials(ctx, { ...prepared, force: false })).rejects.toThrow();
  return prepared;
}

test("a token endpoint that is away is one problem, an OAuth client that is refused another", async () => {
  const away = await failRefresh(503, {});
  const waiting = await list();
  const refused = await failRefresh(401, { error: "invalid_client" });
  const both = await list();

  expect(waiting).toMatchObject([
    {
      ...{ kind: "refresh_backoff", severity: "warning", integration: away.integration.uniqueKey },
      connections: { count: 1, sample: [away.connection.connectionId] },
    },
  ]);
  expect(both).toHaveLength(2);
  expect(both).toContainEqual(
    expect.objectContaining({
      ...{ kind: "client_refused", severity: "error", state: "open" },
      integration: refused.integration.uniqueKey,
    }),
  );
});

test("a sync that is due for minutes, and a run that ends its workers", async () => {
  const { integration, connection } = await prepareConnection(ctx, { tokenUrl, expiresIn: 3600 });
  const place = { environmentId: ctx.environment.id, connection: connection.uuid };
  const fn = { integrationId: integration.id, type: "sync" };
  const now = app.clock.now();
  const late = await addFunction(ctx.db, ctx.environment.id, { ...fn, name: "late" });
  const stuck = await addFunction(ctx.db, ctx.environment.id, { ...fn, name: "stuck" });
  await addWaitingSync(ctx.db, place, {
    name: "soon",
    functionId: late,
    dueAt: addMs(now, -MINUTE),
  });
  const early = await list();
  await addWaitingSync(ctx.db, place, { name: "late", functionId: late, dueAt: addMs(now, -HOUR) });
  const dueAt = addMs(now, -MINUTE);
  await addWaitingSync(ctx.db, place, { name: "stuck", functionId: stuck, dueAt, attempts: 3 });

  const found = await list();

  expect(early).toEqual([]);
  expect(found.map(({ kind, function: name }: Answer) => `${kind} ${name}`).toSorted()).toEqual([
    "run_stuck stuck",
    "sync_late late",
  ]);
});

test("a function that fails, webhooks that could not be handled, a key that ends soon", async () => {
  const { integration } = await prepareConnection(ctx, { tokenUrl, expiresIn: 3600 });
  const now = app.clock.now();
  const fn = { integrationId: integration.id, type: "action", name: "greet" };
  const functionId = await addFunction(ctx.db, ctx.environment.id, fn);
  await addFailedRuns(ctx.db, ctx.environment.id, { functionId, failures: 4, at: now });
  const webhook = { integrationId: integration.id, at: now };
  await addFailedWebhook(ctx.db, ctx.environment.id, webhook);
  await addFailedWebhook(ctx.db, ctx.environment.id, { ...webhook, at: addMs(now, -2 * DAY) });
  const { accountId } = ctx.environment;
  const key = { accountId, environmentId: ctx.environment.id, scopes: [] };
  await createApiKey(ctx, { ...key, displayName: "soon", expiresAt: addMs(now, DAY) });
  await createApiKey(ctx, { ...key, displayName: "later", expiresAt: addMs(now, 30 * DAY) });

  const found = await list();

  expect(found).toHaveLength(3);
  expect(found).toContainEqual(
    expect.objectContaining({ kind: "function_error", function: "greet", count: 4 }),
  );
  expect(found).toContainEqual(
    expect.objectContaining({
      ...{ kind: "inbox_failed", count: 1, connections: { count: 0, sample: [] } },
    }),
  );
  expect(found).toContainEqual(expect.objectContaining({ kind: "key_expiring", count: 1 }));
});

test("a problem that opens and one that ends are webhooks where they are wanted, each once", async () => {
  const receiver = { url: "https://hooks.example.com/a", disabledAt: null };
  const fail = async (failingSince: Date | null) => {
    await setReceiver(ctx.db, ctx.environment.id, { ...receiver, failingSince });
    await sweepProblems(ctx);
  };
  const { id } = ctx.environment;
  const inbox = { url: "https://hooks.example.com/in" };
  await setWebhooks(ctx.db, id, { ...inbox, onProblem: false });
  await fail(app.clock.now());
  await fail(null);
  const unwanted = await listQueued(ctx, "problem");
  await setWebhooks(ctx.db, id, { ...inbox, onProblem: true });
  app.clock.advance(HOUR);
  await fail(app.clock.now());
  await sweepProblems(ctx);
  await fail(null);

  const sent = await listQueued(ctx, "problem");

  expect(unwanted).toEqual([]);
  expect(sent.map((body: Answer) => [body.type, body.operation, body.problem.kind])).toEqual([
    ["problem", "opened", "receiver_failing"],
    ["problem", "resolved", "receiver_failing"],
  ]);
});

test("webhooks that do not come are a problem, which is sent and ends with the next one", async () => {
  const { integration, connection } = await prepareConnection(ctx, { tokenUrl, expiresIn: 3600 });
  const place = { environmentId: ctx.environment.id, connection: connection.uuid };
  await setWebhooks(ctx.db, ctx.environment.id, {
    url: "https://hooks.example.com/in",
    onProblem: true,
  });
  await setSilent(ctx.db, place, app.clock.now());
  const found = await list();
  await setSilent(ctx.db, place, null);
  const after = await list();

  expect(found).toMatchObject([
    {
      ...{ kind: "webhooks_silent", severity: "warning", integration: integration.uniqueKey },
      connections: { count: 1, sample: [connection.connectionId] },
    },
  ]);
  expect(after).toEqual([]);
  const sent = await listQueued(ctx, "problem");
  expect(sent.map(({ operation, problem }: Answer) => [operation, problem.kind])).toEqual([
    ["opened", "webhooks_silent"],
    ["resolved", "webhooks_silent"],
  ]);
});

test("webhooks of which none is verified for a day are a problem, with why; one forged next to others is none", async () => {
  const { integration } = await prepareConnection(ctx, { tokenUrl, expiresIn: 3600 });
  const { id } = ctx.environment;
  const [at, integrationId] = [app.clock.now(), integration.id];
  await setUnverified(ctx.db, id, { integrationId, at, verifiedAt: at });
  const forged = await list();
  await setUnverified(ctx.db, id, { integrationId, at, verifiedAt: null });
  const found = await list();
  app.clock.advance(25 * HOUR);
  const after = await list();

  expect(forged).toEqual([]);
  expect(found).toMatchObject([
    {
      ...{ kind: "webhooks_unverified", severity: "warning", integration: integration.uniqueKey },
      title: `Webhooks of ${integration.uniqueKey} arrive, but none is verified`,
      cause: expect.stringMatching(/none is verified: their signature does not fit/),
    },
  ]);
  expect(after).toEqual([]);
});
