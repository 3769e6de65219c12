import { afterAll, expect, test } from "vitest";
import { createLogger, type EnvironmentId, newRandomId } from "#foundation";
import { openDatabase, withTransaction } from "#foundation/db";
import { createTestDatabase, ManualClock, testKeys } from "#foundation/testing";
import { deriveKey, forgetDataKeys, lookupHash, open, seal, verifyMasterKey } from "#vault";
import { hasDataKeys } from "./store.ts";

const database = await createTestDatabase();
afterAll(async () => await database[Symbol.asyncDispose]());
const ctx = { db: database.db, clock: new ManualClock(), keys: testKeys() };
const environmentId = newRandomId<EnvironmentId>();
const aad = { environmentId, table: "connections", column: "credentials", row: "1" };

test("opens what was sealed with the same associated data", async () => {
  const sealed = await seal(ctx, aad, Buffer.from("secret"));

  expect(sealed.includes("secret")).toBe(false);
  expect((await open(ctx, aad, sealed)).toString()).toBe("secret");
});

test.each(["table", "column", "row", "environmentId"] as const)(
  "does not open at another %s",
  async (part) => {
    const sealed = await seal(ctx, aad, Buffer.from("secret"));

    const elsewhere = open(ctx, { ...aad, [part]: "other" }, sealed);

    await expect(elsewhere).rejects.toMatchObject({ code: "decryption_failed" });
  },
);

test("does not open with any byte changed, nor cut short anywhere", async () => {
  const sealed = await seal(ctx, aad, Buffer.from("secret"));

  for (let index = 0; index < sealed.byteLength; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    for (const text of [changed, sealed.subarray(0, index)]) {
      await expect(open(ctx, aad, text)).rejects.toMatchObject({ code: "decryption_failed" });
    }
  }
});

test("another process with the same master key opens it; one with another key gets an error that says so", async () => {
  const sealed = await seal(ctx, aad, Buffer.from("secret"));
  const sameRing = { ...ctx, keys: { ring: ctx.keys.ring, dataKeys: new Map() } };
  const otherRing = { ...ctx, keys: testKeys() };

  expect((await open(sameRing, aad, sealed)).toString()).toBe("secret");
  await expect(open(otherRing, aad, sealed)).rejects.toMatchObject({
    code: "decryption_failed",
    cause: { message: expect.stringMatching(/no master key/) },
  });
  expect(await verifyMasterKey(sameRing)).toBeUndefined();
  expect(await verifyMasterKey(otherRing)).toMatch(/does not open this database/);
});

test("a key of the right name with other bytes does not pass for the master key", async () => {
  const [known] = ctx.keys.ring;
  if (known === undefined) throw new Error("no test key");
  await seal(ctx, aad, Buffer.from("secret"));
  const ring = testKeys().ring.map((strange) => ({ ...strange, id: known.id }));

  const problem = await verifyMasterKey({ ...ctx, keys: { ring, dataKeys: new Map() } });

  expect(problem).toMatch(/^the encryption key does not open this database \(/);
});

test("a database has data keys once something was sealed", async () => {
  await using fresh = await createTestDatabase();
  const own = { ...ctx, db: fresh.db, keys: testKeys() };

  const before = await hasDataKeys(fresh.db);
  await seal(own, aad, Buffer.from("secret"));

  expect([before, await hasDataKeys(fresh.db)]).toEqual([false, true]);
});

test("a database that is away is not taken for a secret that was altered", async () => {
  const sealed = await seal(ctx, aad, Buffer.from("secret"));
  const connectionString = "postgres://nobody@127.0.0.1:1/none";
  const options = { connectionString, maxConnections: 1, pooled: false, onError: () => {} };
  await using nowhere = openDatabase(options);
  const keys = { ring: ctx.keys.ring, dataKeys: new Map() };

  await expect(open({ ...ctx, db: nowhere.db, keys }, aad, sealed)).rejects.toMatchObject({
    code: "overloaded",
    status: 503,
  });
});

test("lookup hashes and derived keys are stable and differ by purpose", async () => {
  const again = { ...ctx, keys: { ring: ctx.keys.ring, dataKeys: new Map() } };

  expect(await lookupHash(ctx, "api_key", "a")).toEqual(await lookupHash(again, "api_key", "a"));
  expect(await lookupHash(ctx, "api_key", "a")).not.toEqual(await lookupHash(ctx, "state", "a"));
  const wanted = { environmentId, purpose: "record-hash" };
  expect(await deriveKey(ctx, wanted)).toEqual(await deriveKey(again, wanted));
  expect(await deriveKey(ctx, wanted)).not.toEqual(
    await deriveKey(ctx, { environmentId, purpose: "record-cursor" }),
  );
});

test("two processes that need the first key at once end up with the same one", async () => {
  const fresh = newRandomId<EnvironmentId>();
  const processes = Array.from({ length: 5 }, () => ({
    ...ctx,
    keys: { ring: ctx.keys.ring, dataKeys: new Map() },
  }));

  const keys = await Promise.all(
    processes.map(async (own) => await deriveKey(own, { environmentId: fresh, purpose: "x" })),
  );

  expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
});

test("a key that was made in a transaction and rolled back is forgotten", async () => {
  const fresh = { ...aad, environmentId: newRandomId<EnvironmentId>() };

  await withTransaction(ctx, async (trx) => {
    await seal(trx, fresh, Buffer.from("secret"));
    throw new Error("roll back");
  }).catch(() => undefined);
  const sealed = await seal(ctx, fresh, Buffer.from("secret"));
  const another = { ...ctx, keys: { ring: ctx.keys.ring, dataKeys: new Map() } };

  expect((await open(another, fresh, sealed)).toString()).toBe("secret");
});

test("without its data keys everything of an environment is unreadable, and nothing of others", async () => {
  const gone = { ...aad, environmentId: newRandomId<EnvironmentId>() };
  const [lost, kept] = [
    await seal(ctx, gone, Buffer.from("a")),
    await seal(ctx, aad, Buffer.from("b")),
  ];

  // This process knows the key by now.
  expect((await open(ctx, gone, lost)).toString()).toBe("a");
  await forgetDataKeys(ctx, gone.environmentId);

  await expect(open(ctx, gone, lost)).rejects.toMatchObject({ code: "decryption_failed" });
  expect((await open(ctx, aad, kept)).toString()).toBe("b");
});

test("the operator's log names table and column of what does not open, the caller learns neither", async () => {
  const lines: unknown[] = [];
  const error = (event: string, fields?: object) => lines.push({ event, ...fields });
  const log = { ...createLogger("silent"), error };
  const sealed = await seal(ctx, aad, Buffer.from("secret"));

  const failure = await open({ ...ctx, log }, { ...aad, row: "2" }, sealed).catch((e) => e);

  const { table, column } = aad;
  expect(lines).toEqual([
    expect.objectContaining({ event: "vault.decryption_failed", table, column }),
  ]);
  expect([failure.status, failure.message]).toEqual([500, expect.not.stringContaining(table)]);
});
