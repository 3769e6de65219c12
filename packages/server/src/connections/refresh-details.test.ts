import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { getAuthMode } from "#auth-modes";
import {
  addMs,
  type ConnectionUuid,
  type EnvironmentContext,
  MINUTE,
  newTimeId,
  type OperationId,
  SECOND,
  ServerStates,
} from "#foundation";
import { openCaches } from "#foundation/cache";
import { DatabaseAway } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import type { Connection } from "./connection.ts";
import { getFreshCredentials, joinAttempt } from "./refresh/get-fresh-credentials.ts";
import { startSpoolReplay } from "./refresh/replay-spool.ts";
import { settleFailure } from "./refresh/settle-failure.ts";
import { removeEntry } from "./refresh/spool.ts";
import { claimRefresh, findRefresh, storeFailure } from "./refresh/store.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());
afterEach(() => {
  vi.useRealTimers();
});

/** The lease of the next attempt. */
async function claim({ uuid, credentialVersion: version }: Connection) {
  return await claimRefresh(ctx.db, ctx.environment.id, {
    ...{ uuid, version, leaseMs: MINUTE, owner: "test", deadOwner: undefined },
    ...{ now: ctx.clock.now(), force: true },
  });
}

test("a database that is away during an attempt passes, and is no fault of the server", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const { uuid, credentialVersion: version, authMode } = prepared.connection;
  const { refresh } = getAuthMode(authMode);
  const connection = await claim(prepared.connection);
  if (refresh === undefined || connection === undefined) throw new Error("nothing to renew");
  const attempt = { uuid, version, fence: connection.refresh.fence };
  const operationId = newTimeId<OperationId>(ctx.clock.now());
  const input = { ...prepared, connection, refresh, force: false, attempt, operationId };

  const settled = await settleFailure(
    ctx,
    { ...input, leaseEndsAt: performance.now() + MINUTE },
    new DatabaseAway({ didNotRun: true }),
  );

  expect(settled).toMatchObject({
    kind: "failed",
    problem: { kind: "unavailable", message: "The server's database was away." },
    connection: { refresh: { failures: 1 } },
  });
});

test("an attempt that fails within the server leaves the lease to the next one", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const failpoints = { hit: () => Promise.reject(new Error("a fault of ours")) };
  const broken = { ...ctx, state: new ServerStates(), failpoints };

  await expect(getFreshCredentials(broken, { ...prepared, force: false })).rejects.toThrow(
    "a fault of ours",
  );
  const after = await findRefresh(ctx.db, ctx.environment.id, prepared.connection.uuid);

  expect(after).toMatchObject({ isRunning: false, owner: undefined });
});

test("who asks while an attempt runs gets that attempt", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const { connection, integration } = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const { refresh } = getAuthMode(connection.authMode);
  if (refresh === undefined) throw new Error("there is nothing to renew");
  const input = { connection, integration, refresh, force: false };
  const { arrived, release } = server.hold();

  const first = joinAttempt(ctx, input);
  await arrived;
  const second = joinAttempt(ctx, input);
  release();

  expect(second).toBe(first);
  expect((await second).kind).toBe("renewed");
});

test("a failure that is not the connection's own does not make its next wait longer", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const { connection } = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const { uuid, credentialVersion: version } = connection;
  const fail = async (isCounted: boolean) => {
    const now = ctx.clock.now();
    const fence = (await claim(connection))?.refresh.fence ?? -1;
    const problem = { kind: "unavailable", message: "", fence, at: now.toISOString() } as const;
    const stored = await storeFailure(
      ctx.db,
      ctx.environment.id,
      { uuid, version, fence },
      { problem, isCounted, notBefore: addMs(now, SECOND), nextIdleAt: now },
    );
    return stored?.refresh.failures;
  };

  expect([await fail(false), await fail(true), await fail(false)]).toEqual([0, 1, 1]);
});

test("credentials without secret configuration get none by a renewal", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });

  const { credentials } = await getFreshCredentials(ctx, { ...prepared, force: false });

  expect(credentials["access_token"]).toBe("access-1");
  expect(credentials).not.toHaveProperty("connection_config");
});

test("an entry of the spool that cannot be removed is a fault, one that is not there is none", async () => {
  // Of no connection.
  const uuid = randomUUID() as ConnectionUuid;
  const key = { environmentId: ctx.environment.id, uuid, version: 1, fence: 1 };
  const file = join(ctx.settings.spoolDir, "..", "no-folder");
  await writeFile(file, "");
  const broken = { ...ctx, settings: { ...ctx.settings, spoolDir: join(file, "spool") } };

  await expect(removeEntry(ctx, key)).resolves.toBeUndefined();
  await expect(removeEntry(broken, key)).rejects.toMatchObject({ code: "ENOTDIR" });
});

test("a server that stops replays nothing any more", async () => {
  const replay = await startSpoolReplay(ctx);
  await replay[Symbol.asyncDispose]();

  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const watched = await startSpoolReplay(ctx);
  const running = vi.getTimerCount();
  await watched[Symbol.asyncDispose]();

  expect([running, vi.getTimerCount()]).toEqual([1, 0]);
});

test("who forces a refresh gets a newer token than the one that is stored, though its own state is older", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  await getFreshCredentials(ctx, { ...prepared, force: false });

  const { credentials } = await getFreshCredentials(ctx, { ...prepared, force: true });

  expect(credentials["access_token"]).toBe("access-2");
});

test("who forces a refresh while another process fails with one learns of that failure", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith({ status: 503, body: "" });
  const { arrived, release } = server.hold();
  const elsewhere = { ...ctx, state: new ServerStates() };

  const first = getFreshCredentials(elsewhere, { ...prepared, force: true });
  await arrived;
  const second = getFreshCredentials(ctx, { ...prepared, force: true });
  // Until it has found that the other one runs.
  await sleep(200);
  release();
  const [theirs, ours] = await Promise.allSettled([first, second]);

  expect([theirs.status, ours.status]).toEqual(["rejected", "rejected"]);
  expect(server.requests).toHaveLength(1);
});

test("a renewal is over when this process' caches know of it; a failure changes nothing there", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const other = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  let caughtUp = 0;
  const catchUp = async () => {
    caughtUp += 1;
    return true;
  };
  const process = { ...ctx, state: new ServerStates(), notices: { ...ctx.notices, catchUp } };
  using _caches = openCaches(process);

  await getFreshCredentials(process, { ...prepared, force: false });
  const afterRenewal = caughtUp;
  server.answerWith({ status: 503, body: "" });
  await getFreshCredentials(process, { ...other, force: false }).catch(() => {});

  expect([afterRenewal, caughtUp]).toEqual([1, 1]);
});

test("credentials that the provider refused are renewed once, however late a caller says so", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: 3600 });
  const refusedVersion = prepared.connection.credentialVersion;
  const request = { ...prepared, force: true, refusedVersion };
  const renewed = await getFreshCredentials(ctx, request);

  const late = [
    await getFreshCredentials(ctx, request),
    await getFreshCredentials({ ...ctx, state: new ServerStates() }, request),
  ];

  expect(renewed.credentials["access_token"]).toBe("access-1");
  expect(late.map(({ credentials }) => credentials["access_token"])).toEqual([
    "access-1",
    "access-1",
  ]);
  expect(server.requests).toEqual(["refresh-0"]);
});
