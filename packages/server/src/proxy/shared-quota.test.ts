import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createConnection } from "#connections";
import {
  type Actor,
  type EnvironmentContext,
  newRandomId,
  ServerStates,
  systemClock,
} from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions, flushLogs } from "#logs";
import { DueChannel } from "#tasks";
import type { Patience } from "./call.ts";
import { callProvider } from "./call-provider.ts";
import { type Prepared, prepareConnection } from "./testing/proxy-under-test.ts";

// One app quota of a provider, shared by the connections of an integration.

const LIMIT = 100;
const WINDOW_MS = 400;

let installation: TestContext;
let ctx: EnvironmentContext;
let says: "headers" | "nothing";
let counted: { startedAt: number; calls: number };
let refused = 0;
/** Paths, in the order in which calls were accepted. */
let accepted: string[] = [];

const provider = createServer((request, response) => {
  request.resume();
  const nowMs = Date.now();
  if (nowMs - counted.startedAt >= WINDOW_MS) counted = { startedAt: nowMs, calls: 0 };
  const resetS = Math.max(0.01, (counted.startedAt + WINDOW_MS - nowMs) / 1000);
  counted.calls += 1;
  if (says === "headers") announce(response, resetS);
  if (counted.calls > LIMIT) {
    refused += 1;
    response.writeHead(429, { "retry-after": resetS.toFixed(3) }).end();
    return;
  }
  accepted.push(request.url ?? "");
  response.end("{}");
});

function announce(response: ServerResponse, resetS: number): void {
  response.setHeader("x-app-rate-limit-limit", String(LIMIT));
  response.setHeader("x-app-rate-limit-remaining", String(Math.max(0, LIMIT - counted.calls)));
  response.setHeader("x-app-rate-limit-reset", resetS.toFixed(3));
}

beforeAll(async () => {
  installation = await createTestContext();
  ctx = { ...installation.ctx, clock: systemClock };
  await ensureLogPartitions(ctx);
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", () => resolve()));
});
afterAll(async () => {
  provider.close();
  await flushLogs(ctx);
  await installation[Symbol.asyncDispose]();
});
beforeEach(() => {
  says = "headers";
  counted = { startedAt: 0, calls: 0 };
  refused = 0;
  accepted = [];
});

async function prepare(connections: number): Promise<Prepared[]> {
  const { port } = provider.address() as AddressInfo;
  const first = await prepareConnection(ctx, { baseUrl: `http://127.0.0.1:${port}` });
  const { integration } = first;
  const others: Prepared[] = [];
  for (let made = 1; made < connections; made += 1) {
    const { connection } = await createConnection(ctx, {
      integration,
      connectionId: undefined,
      credentials: { type: "API_KEY", apiKey: "UPSTREAM" },
      metadata: undefined,
      connectionConfig: undefined,
      tags: undefined,
      webhookUrlOverride: undefined,
    });
    others.push({ integration, connection });
  }
  return [first, ...others];
}

function functionOf({ connection }: Prepared, functionKind: "sync" | "action"): Actor {
  return { kind: "function", runId: newRandomId(), functionKind, connection: connection.uuid };
}

async function call(
  prepared: Prepared,
  endpoint: string,
  {
    actor = functionOf(prepared, "sync"),
    patience,
    process = ctx,
  }: { actor?: Actor; patience?: Patience; process?: EnvironmentContext } = {},
) {
  return await callProvider(
    { ...process, actor },
    {
      ...prepared,
      method: "GET",
      endpoint,
      query: [],
      headers: {},
      body: undefined,
      baseUrlOverride: undefined,
      retries: 0,
      retryOn: [],
      decompress: false,
      followRedirects: false,
      ...(patience === undefined ? {} : { patience }),
    },
  );
}

test("calls of 1,000 connections share the app's quota: none is refused, none is left behind", async () => {
  const connections = await prepare(1_000);

  const answers = await Promise.all(
    connections.map(async (each, index) => call(each, `/${index}`)),
  );

  expect(answers.map(({ status }) => status)).toEqual(connections.map(() => 200));
  expect(refused).toBe(0);
  expect(new Set(accepted).size).toBe(1_000);
  const waited = answers.map(({ headers }) => Number(headers["svc-rate-limit-waited"] ?? 0));
  expect(Math.max(...waited)).toBeGreaterThan(WINDOW_MS);
});

test("people come first, then actions, then syncs, which still progress", async () => {
  const connections = await prepare(3);
  const [syncing, acting, asking] = connections;
  if (syncing === undefined || acting === undefined || asking === undefined) throw new Error();
  await Promise.all(Array.from({ length: LIMIT }, async () => call(syncing, "/before")));
  accepted = [];

  const patience = { kind: "bounded", waitMs: 60_000 } as const;
  const person: Actor = { kind: "key", keyId: newRandomId(), scopes: [] } as unknown as Actor;
  await Promise.all([
    ...Array.from({ length: 150 }, async () => call(syncing, "/sync")),
    ...Array.from({ length: 80 }, async () =>
      call(acting, "/action", { actor: functionOf(acting, "action") }),
    ),
    ...Array.from({ length: 60 }, async () => call(asking, "/person", { actor: person, patience })),
  ]);

  const [first, second] = [accepted.slice(0, LIMIT), accepted.slice(LIMIT, 2 * LIMIT)];
  const count = (paths: string[], path: string) => paths.filter((each) => each === path).length;
  expect(refused).toBe(0);
  expect(count(first, "/person")).toBe(60);
  expect(count(first, "/action")).toBeGreaterThanOrEqual(25);
  expect(count(first, "/sync")).toBeGreaterThanOrEqual(5);
  expect(count(second, "/action")).toBeGreaterThanOrEqual(45);
});

test("a connection with many calls does not keep others of its kind waiting", async () => {
  const [greedy, ...modest] = await prepare(21);
  if (greedy === undefined) throw new Error();
  await Promise.all(Array.from({ length: LIMIT }, async () => call(greedy, "/before")));
  accepted = [];

  await Promise.all([
    ...Array.from({ length: 300 }, async () => call(greedy, "/greedy")),
    ...modest.map(async (each) => call(each, "/modest")),
  ]);

  expect(refused).toBe(0);
  expect(accepted.slice(0, LIMIT).filter((path) => path === "/modest")).toHaveLength(20);
});

test("where no header tells, the quota is learned from a window and then kept to", async () => {
  says = "nothing";
  const connections = await prepare(8);
  const round = async () =>
    await Promise.all(
      Array.from({ length: 600 }, async (_, index) => {
        const each = connections[index % connections.length];
        if (each === undefined) throw new Error();
        return await call(each, "/unknown");
      }),
    );

  await round();
  const whileLearning = refused;
  refused = 0;
  const answers = await round();

  // Without what was learned, five of six calls are refused.
  expect(whileLearning).toBeGreaterThan(100);
  expect(refused).toBeLessThan(200);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(600 - refused);
});

test("a call whose caller leaves while it waits takes nothing of the quota", async () => {
  const [own] = await prepare(1);
  if (own === undefined) throw new Error();
  await Promise.all(Array.from({ length: LIMIT }, async () => call(own, "/before")));
  const leaving = new AbortController();
  const gone = Promise.allSettled(
    Array.from({ length: 50 }, async () =>
      callProvider(
        { ...ctx, actor: functionOf(own, "sync"), signal: leaving.signal },
        {
          ...own,
          ...{ method: "GET", endpoint: "/gone", query: [], headers: {}, body: undefined },
          ...{ baseUrlOverride: undefined, retries: 0, retryOn: [] },
          ...{ decompress: false, followRedirects: false },
        },
      ),
    ),
  );
  accepted = [];

  const stay = Array.from({ length: LIMIT }, async () => call(own, "/stays"));
  leaving.abort(new Error("the caller has gone"));
  await Promise.all([gone, ...stay]);

  expect(refused).toBe(0);
  expect(accepted.filter((path) => path === "/gone")).toHaveLength(0);
  expect(accepted.filter((path) => path === "/stays")).toHaveLength(LIMIT);
});

test("two processes whose calls wait for one quota share what a window accepts", async () => {
  const { connectionString } = installation.database;
  await using channels = new AsyncDisposableStack();
  const processes = Array.from({ length: 2 }, () => {
    const notices = channels.use(new DueChannel({ connectionString, log: ctx.log }));
    return { ...ctx, notices, state: new ServerStates() };
  });
  await Promise.all(processes.map(async ({ notices }) => await notices.catchUp()));
  const connections = await prepare(4);
  const send = async (calls: number) =>
    await Promise.all(
      processes.flatMap((process) =>
        Array.from({ length: calls }, async (_, index) => {
          const each = connections[index % connections.length];
          if (each === undefined) throw new Error();
          return await call(each, "/shared", { process });
        }),
      ),
    );
  await send(LIMIT);
  refused = 0;

  const answers = await send(3 * LIMIT);

  expect(answers).toHaveLength(6 * LIMIT);
  // Only before they have heard of each other; without sharing, a third to a half of all calls is refused.
  expect(refused).toBeLessThan(1.5 * LIMIT);
});
