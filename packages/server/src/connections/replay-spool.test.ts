import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMs, DAY, type EnvironmentContext, ServerStates } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getConnectionByUuid } from "./read/get-connection.ts";
import { getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { replaySpool, sweepRefreshSpool } from "./refresh/replay-spool.ts";
import { deleteConnection } from "./revoke/delete-connection.ts";
import { createConnection } from "./save/create-connection.ts";
import { type Prepared, prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());

/** The same installation in a process that ends at the failpoint, as far as anybody else can tell. */
function processEndingAt(failpoint: string): { dying: EnvironmentContext; ended: Promise<void> } {
  const ended = Promise.withResolvers<void>();
  const failpoints = {
    async hit(name: string) {
      if (name !== failpoint) return;
      ended.resolve();
      await new Promise(() => {});
    },
  };
  const state = new ServerStates();
  return { dying: { ...ctx, state, failpoints }, ended: ended.promise };
}

async function refreshUntil(failpoint: string, prepared: Prepared): Promise<void> {
  const { dying, ended } = processEndingAt(failpoint);
  // What it waits for never comes; in the end it gives up, when this file may be over.
  getFreshCredentials(dying, { ...prepared, force: false }).catch(() => undefined);
  await ended;
}

async function spooled(): Promise<string[]> {
  return await readdir(ctx.settings.spoolDir);
}

async function tokenOf({ connection, integration }: Prepared): Promise<unknown> {
  const current = await getConnectionByUuid(ctx, connection.uuid);
  const fresh = await getFreshCredentials(ctx, { connection: current, integration, force: false });
  return fresh.credentials["access_token"];
}

const reconnect = {
  metadata: undefined,
  connectionConfig: undefined,
  tags: undefined,
  webhookUrlOverride: undefined,
};

test("an answer that was not stored lies encrypted in the spool, and is stored by the next start", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });

  await refreshUntil("refresh.before_commit", prepared);
  const [name = ""] = await spooled();
  const file = join(ctx.settings.spoolDir, name);
  const { mode } = await stat(file);
  const bytes = await readFile(file);
  const left = await replaySpool(ctx, { minAgeMs: 0 });

  expect(mode & 0o777).toBe(0o600);
  expect(bytes.includes("access-1") || bytes.includes("refresh-1")).toBe(false);
  expect(left).toBe(0);
  expect(await spooled()).toEqual([]);
  expect(await tokenOf(prepared)).toBe("access-1");
  expect(server.requests).toEqual(["refresh-0"]);
});

test("a younger entry is left to the attempt that wrote it", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  await refreshUntil("refresh.before_commit", prepared);

  await replaySpool(ctx, { minAgeMs: 60_000 });
  const young = await spooled();
  await replaySpool(ctx, { minAgeMs: 0 });

  expect(young).toHaveLength(1);
  expect(await spooled()).toEqual([]);
});

test("the next attempt finds the answer of one that died, and asks the provider nothing", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  await refreshUntil("refresh.before_commit", prepared);
  await endLease(prepared);

  const token = await tokenOf(prepared);

  expect(token).toBe("access-1");
  expect(server.requests).toEqual(["refresh-0"]);
  expect(await spooled()).toEqual([]);
});

test("an answer that was stored is dropped from the spool without a second write", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  await refreshUntil("refresh.after_commit", prepared);

  await replaySpool(ctx, { minAgeMs: 0 });
  const connection = await getConnectionByUuid(ctx, prepared.connection.uuid);

  expect(connection.credentialVersion).toBe(prepared.connection.credentialVersion + 1);
  expect(await spooled()).toEqual([]);
});

test("an answer in the spool never replaces newer credentials, nor a deleted connection", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  await using other = await startRotatingServer({ expiresIn: 3600 });
  const overridden = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const deleted = await prepareConnection(ctx, { ...other, expiresIn: -1 });
  await refreshUntil("refresh.before_commit", overridden);
  await refreshUntil("refresh.before_commit", deleted);
  await createConnection(ctx, {
    ...reconnect,
    integration: overridden.integration,
    connectionId: overridden.connection.connectionId,
    credentials: { type: "OAUTH2", access_token: "newer", refresh_token: "newer" },
  });
  const { connectionId } = deleted.connection;
  await deleteConnection(ctx, { integration: deleted.integration, connectionId });

  await replaySpool(ctx, { minAgeMs: 0 });

  expect(await tokenOf(overridden)).toBe("newer");
  await expect(tokenOf(deleted)).rejects.toMatchObject({ code: "unknown_connection" });
  expect(await spooled()).toEqual([]);
});

test("an answer waits while a later attempt asks the provider, and is used when that one fails", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  await refreshUntil("refresh.before_commit", prepared);
  const [name = ""] = await spooled();
  const bytes = await readFile(join(ctx.settings.spoolDir, name));
  const elsewhere = {
    ...ctx,
    settings: { ...ctx.settings, spoolDir: `${ctx.settings.spoolDir}-2` },
  };
  await endLease(prepared);
  server.answerWith({ status: 503, body: "" });
  const { arrived, release } = server.hold();
  const later = getFreshCredentials(elsewhere, { ...prepared, force: false });
  await arrived;

  const leftMeanwhile = await replaySpool(ctx, { minAgeMs: 0 });
  release();
  await expect(later).rejects.toMatchObject({ code: "connection_refresh_backoff" });
  await replaySpool(ctx, { minAgeMs: 0 });

  expect(bytes.byteLength).toBeGreaterThan(0);
  expect(leftMeanwhile).toBe(1);
  expect(await tokenOf(prepared)).toBe("access-1");
});

test("an answer that could not be stored keeps other hosts from asking with the token it replaces", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const hit = async (name: string) => {
    if (name === "refresh.before_commit") throw new Error("the database is away");
  };
  const failing = { ...ctx, state: new ServerStates(), failpoints: { hit } };
  const elsewhere = {
    ...ctx,
    settings: { ...ctx.settings, spoolDir: `${ctx.settings.spoolDir}-2`, refreshPatienceMs: 200 },
  };

  await expect(getFreshCredentials(failing, { ...prepared, force: false })).rejects.toThrow("away");
  await expect(getFreshCredentials(elsewhere, { ...prepared, force: false })).rejects.toMatchObject(
    { code: "refresh_in_progress" },
  );
  await replaySpool(ctx, { minAgeMs: 0 });

  expect(server.requests).toEqual(["refresh-0"]);
  expect(await tokenOf(prepared)).toBe("access-1");
});

test("a file that does not open is kept and stops nothing", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const { uuid, credentialVersion } = prepared.connection;
  const name = `${ctx.environment.id}.${uuid}.${credentialVersion}`;
  await writeFile(join(ctx.settings.spoolDir, name), "not sealed by us");

  const left = await replaySpool(ctx, { minAgeMs: 0 });
  const token = await tokenOf(prepared);

  expect(left).toBe(1);
  expect(token).toBe("access-1");
});

test("what cannot be replayed is deleted after a month, which the operator's log tells", async () => {
  const spoolDir = `${ctx.settings.spoolDir}-leftovers`;
  const lines: object[] = [];
  const warn = (event: string, fields?: object) => void lines.push({ event, ...fields });
  const own = { ...ctx, settings: { ...ctx.settings, spoolDir }, log: { ...ctx.log, warn } };
  await mkdir(spoolDir);
  for (const [name, days] of [
    ["older", 31],
    ["younger", 29],
  ] as const) {
    const file = join(spoolDir, `${ctx.environment.id}.${randomUUID()}.${days}`);
    await writeFile(file, name);
    const changedAt = addMs(new Date(), -days * DAY);
    await utimes(file, changedAt, changedAt);
  }

  await sweepRefreshSpool(own);
  await sweepRefreshSpool(own);

  expect(await readdir(spoolDir)).toEqual([expect.stringMatching(/\.29$/)]);
  expect(lines).toEqual([{ event: "connection.spool_swept", deleted: 1 }]);
});

test("a spool that cannot be written does not stop a refresh", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const file = join(ctx.settings.spoolDir, "in-the-way");
  await writeFile(file, "");
  const broken = { ...ctx, settings: { ...ctx.settings, spoolDir: join(file, "spool") } };

  const { credentials } = await getFreshCredentials(broken, { ...prepared, force: false });

  expect(credentials["access_token"]).toBe("access-1");
});

async function endLease({ connection }: Prepared): Promise<void> {
  await sql`
    update connections set refresh_lease_until = clock_timestamp() - interval '1 second'
     where uuid = ${connection.uuid}`.execute(ctx.db);
}
