import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getAuthMode } from "#auth-modes";
import { type EnvironmentContext, ServerStates } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getFreshCredentials, joinAttempt } from "./refresh/get-fresh-credentials.ts";
import { replaySpool, sweepRefreshSpool } from "./refresh/replay-spool.ts";
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

test("a fault of ours is logged for the operator, and the caller learns no more than that", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const errors: object[] = [];
  const log = {
    ...ctx.log,
    error: (event: string, fields?: object) => void errors.push({ event, ...fields }),
  };
  const request = () => Promise.reject(new TypeError("a fault of ours"));
  const broken = { ...ctx, state: new ServerStates(), log, http: { ...ctx.http, request } };

  const asked = getFreshCredentials(broken, { ...prepared, force: false });

  await expect(asked).rejects.toMatchObject({ code: "server_error" });
  expect(errors).toMatchObject([
    { event: "connection.refresh_failed", connection: prepared.connection.uuid },
  ]);
});

test("a copy in quarantine refuses to renew, regardless of who asks", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const { connection, integration } = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const { refresh } = getAuthMode(connection.authMode);
  if (refresh === undefined) throw new Error("there is nothing to renew");
  const quarantine = { ...ctx.settings.quarantine, since: ctx.clock.now() };
  const copy = { ...ctx, settings: { ...ctx.settings, quarantine } };

  const ask = () => joinAttempt(copy, { connection, integration, refresh, force: true });

  expect(ask).toThrow("another copy may renew these credentials");
  expect(server.requests).toEqual([]);
});

test("in quarantine a token that is still valid is handed out, and an expired one is said to wait for the operator", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const due = await prepareConnection(ctx, { ...server, expiresIn: 60 });
  const expired = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const quarantine = { ...ctx.settings.quarantine, since: ctx.clock.now() };
  const copy = { ...ctx, settings: { ...ctx.settings, quarantine } };

  const handedOut = await getFreshCredentials(copy, { ...due, force: false });

  expect(handedOut.credentials["access_token"]).toBe("access-0");
  await expect(getFreshCredentials(copy, { ...expired, force: false })).rejects.toMatchObject({
    ...{ code: "quarantined", headers: { "Retry-After": "60" } },
    message: expect.stringContaining("jackfield resume"),
  });
  await expect(getFreshCredentials(copy, { ...due, force: true })).rejects.toMatchObject({
    code: "quarantined",
  });
  expect(server.requests).toEqual([]);
});

test("a spool that cannot be read is a fault, not an empty spool", async () => {
  const file = join(ctx.settings.spoolDir, "..", "no-folder");
  await writeFile(file, "");
  const broken = { ...ctx, settings: { ...ctx.settings, spoolDir: join(file, "spool") } };

  await expect(replaySpool(broken, { minAgeMs: 0 })).rejects.toMatchObject({ code: "ENOTDIR" });
  await expect(sweepRefreshSpool(broken)).rejects.toMatchObject({ code: "ENOTDIR" });
});
