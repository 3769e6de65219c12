import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { createLogger, type EnvironmentId, newRandomId } from "#foundation";
import { createTestDatabase, ManualClock, testKeys } from "#foundation/testing";
import { createBatchSealer, openMany } from "./seal-many.ts";

const database = await createTestDatabase();
afterAll(async () => await database[Symbol.asyncDispose]());
const lines: string[] = [];
const log = { ...createLogger("silent"), error: (event: string) => lines.push(event) };
const ctx = { db: database.db, clock: new ManualClock(), keys: testKeys(), log };

function newAad() {
  const environmentId = newRandomId<EnvironmentId>();
  return { environmentId, table: "records", column: "data", row: "1/" };
}

/** Each text sealed, and cut out of the batch. */
async function sealAll(aad: ReturnType<typeof newAad>, texts: Readonly<Record<string, string>>) {
  const sealBatch = await createBatchSealer(ctx, aad);
  const entries = Object.entries(texts);
  const { bytes, sizes } = sealBatch(
    entries.map(([rest, text]) => ({ rest, plaintext: Buffer.from(text) })),
  );
  expect(bytes.byteLength).toBe(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  return entries.map(([rest], n) => {
    const sealed = bytes.subarray(at, at + (sizes[n] ?? 0));
    at += sealed.byteLength;
    return { rest, sealed };
  });
}

async function replaceKey(environmentId: string): Promise<void> {
  await sql`update data_keys set replaced_at = now() where environment_id = ${environmentId}`.execute(
    ctx.db,
  );
  ctx.keys.dataKeys.clear();
}

test("texts that were sealed as a batch open, each under its own row, also by two keys", async () => {
  const aad = newAad();
  const older = await sealAll(aad, { a: "first", b: "" });
  await replaceKey(aad.environmentId);
  const newer = await sealAll(aad, { c: "third" });

  const opened = await openMany(ctx, aad, [...older, ...newer]);

  expect(opened.map(String)).toEqual(["first", "", "third"]);
  expect(lines).toEqual([]);
});

test("a text that was altered is left out alone; one without its key fails all", async () => {
  const aad = newAad();
  const [a, b] = await sealAll(aad, { a: "first", b: "second" });
  if (a === undefined || b === undefined) throw new Error("both were sealed");
  const altered = {
    rest: "b",
    sealed: Buffer.from(b.sealed.map((byte, n) => (n > 40 ? ~byte : byte))),
  };
  const keyless = {
    rest: "b",
    sealed: Buffer.from(b.sealed.map((byte, n) => (n === 5 ? ~byte : byte))),
  };

  const opened = await openMany(ctx, aad, [altered, a]);

  expect(opened.map((text) => text?.toString())).toEqual([undefined, "first"]);
  for (const texts of [[keyless], [altered, keyless]]) {
    await expect(openMany(ctx, aad, texts)).rejects.toMatchObject({ code: "decryption_failed" });
  }
});
