import { expect, test } from "vitest";
import { createLogger, type EnvironmentId, type MasterKey, newRandomId } from "#foundation";
import type { Db } from "#foundation/db";
import { createTestDatabase, ManualClock, testKeys } from "#foundation/testing";
import { lookupHash, open, seal, verifyMasterKey } from "#vault";
import { changeMasterKey, isMasterKeyChanged } from "./change-master-key.ts";
import { startKeyKeeper } from "./key-keeper.ts";

const log = createLogger("silent");
const newAad = () => ({
  environmentId: newRandomId<EnvironmentId>(),
  table: "connections",
  column: "credentials",
  row: "1",
});

/** One process: its own cache, the ring given. */
function processWith(db: Db, ...ring: MasterKey[]) {
  return { db, clock: new ManualClock(), keys: { ring, dataKeys: new Map() }, log };
}

function newMaster(): MasterKey {
  const [key] = testKeys().ring;
  if (key === undefined) throw new Error("no test key");
  return key;
}

test("an old process reads and writes until it ends; then the old key is needed no more", async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const [oldKey, newKey] = [newMaster(), newMaster()];
  const [aad, later] = [newAad(), newAad()];
  const oldProcess = processWith(db, oldKey);
  const sealed = await seal(oldProcess, aad, Buffer.from("secret"));
  const hash = await lookupHash(oldProcess, "state", "text");
  const both = processWith(db, newKey, oldKey);

  const serving = await startKeyKeeper({ ctx: oldProcess, readRing: undefined });
  const during = await changeMasterKey(both);
  const written = await seal(both, later, Buffer.from("later"));
  const read = await open(processWith(db, oldKey), later, written);
  await serving[Symbol.asyncDispose]();
  const after = await changeMasterKey(both);

  expect(during).toMatchObject({ dataKeys: 2, underOthers: 2, otherHolders: 1 });
  expect(read.toString()).toBe("later");
  expect(after).toMatchObject({ dataKeys: 3, underOthers: 0, otherHolders: 0 });
  const onlyNew = processWith(db, newKey);
  expect((await open(onlyNew, aad, sealed)).toString()).toBe("secret");
  expect(await lookupHash(onlyNew, "state", "text")).toEqual(hash);
  expect(await verifyMasterKey(processWith(db, oldKey))).toContain(newKey.id);
});

test("a process is known as a holder of its key before it has looked at the key file", async () => {
  await using database = await createTestDatabase();
  const [oldKey, newKey] = [newMaster(), newMaster()];
  const look = Promise.withResolvers<readonly MasterKey[]>();
  const both = processWith(database.db, newKey, oldKey);
  await seal(both, newAad(), Buffer.from("secret"));

  const keeper = await startKeyKeeper({
    ctx: processWith(database.db, oldKey, newKey),
    readRing: async () => await look.promise,
  });
  const counts = await changeMasterKey(both);
  look.resolve([oldKey, newKey]);
  await keeper[Symbol.asyncDispose]();

  expect(counts.otherHolders).toBe(1);
});

test("the master key counts as changed when every data key is wrapped by it, and by no other", async () => {
  await using database = await createTestDatabase();
  const [oldKey, newKey] = [newMaster(), newMaster()];
  await seal(processWith(database.db, oldKey), newAad(), Buffer.from("secret"));
  const both = processWith(database.db, newKey, oldKey);

  const before = await isMasterKeyChanged(both);
  await changeMasterKey(both);

  expect([before, await isMasterKeyChanged(both)]).toEqual([false, true]);
});

test("a process takes up a new key file and wraps by it, but none that does not open the database", async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const [first, next, strange] = [newMaster(), newMaster(), newMaster()];
  const aad = newAad();
  const warnings: string[] = [];
  const warn = (event: string) => warnings.push(event);
  const holder = { ...processWith(db, first), log: { ...log, warn } };
  const sealed = await seal(holder, aad, Buffer.from("secret"));
  let looks = 0;
  let file: readonly MasterKey[] = [strange];
  const readRing = async () => {
    looks += 1;
    return file;
  };

  const refused = await startKeyKeeper({ ctx: processWith(db, strange), readRing }).catch((e) => e);
  await using _keeper = await startKeyKeeper({ ctx: holder, readRing });
  await expect.poll(() => looks, { timeout: 20_000 }).toBeGreaterThan(2);
  const kept = holder.keys.ring[0];
  file = [next, first];
  const takenUp = async () => await verifyMasterKey(processWith(db, next));
  await expect.poll(takenUp, { timeout: 20_000 }).toBeUndefined();

  expect(refused.message).toMatch(/does not open this database/);
  expect(kept).toBe(first);
  expect(warnings).toEqual(["vault.keys_not_updated"]);
  expect((await open(processWith(db, next), aad, sealed)).toString()).toBe("secret");
});

test("without the database a process seals by the key that it knows", async () => {
  await using database = await createTestDatabase();
  const known = processWith(database.db, newMaster());
  const aad = newAad();
  await seal(known, aad, Buffer.from("before"));
  for (const [name, { key }] of known.keys.dataKeys) {
    known.keys.dataKeys.set(name, { key, readAtMs: -Infinity });
  }
  const away = await createTestDatabase();
  await away[Symbol.asyncDispose]();

  const sealed = await seal({ ...known, db: away.db }, aad, Buffer.from("token"));

  expect((await open(known, aad, sealed)).toString()).toBe("token");
});
