import { expect, test } from "vitest";
import type { BackupItem } from "./backup-item.ts";
import { decodeItems, encodeItems } from "./frames.ts";
import { inspectItems } from "./inspect-items.ts";

const header: BackupItem = {
  kind: "header",
  format: 1,
  version: "0.2.0",
  madeAt: "2026-11-22T00:00:00.000Z",
  postgresVersion: "18.4",
  migrations: ["0001_foundation.sql"],
};
const partition = (bound: string, key: string | null = null): BackupItem => ({
  kind: "partitions",
  partitions: [{ schema: "public", name: "p", parent: "records", bound, key, options: null }],
});
const items: BackupItem[] = [
  header,
  { kind: "keys", keys: [Buffer.alloc(32).toString("base64")] },
  partition("FOR VALUES FROM ('2026-11-22 00:00:00+00') TO ('2026-11-23 00:00:00+00')"),
  partition("FOR VALUES FROM (MINVALUE) TO ('2026-11-30 00:00:00+00')"),
  partition("FOR VALUES FROM ('4294967296') TO ('8589934592')", "HASH (model_id)"),
  partition("FOR VALUES WITH (modulus 4, remainder 3)"),
  partition("DEFAULT"),
  { kind: "table", schema: "public", name: "records", columns: ["model_id"] },
  { kind: "rows", bytes: Buffer.alloc(100_000, 7) },
  { kind: "table-end", rows: 3 },
  { kind: "sequences", sequences: [{ schema: "public", name: "s", value: "9" }] },
  { kind: "end", tables: 1, rows: 3 },
];

async function collect<Item>(given: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of given) collected.push(item);
  return collected;
}

async function encode(given: readonly BackupItem[]): Promise<Buffer> {
  async function* all() {
    yield* given;
  }
  return Buffer.concat(await collect(encodeItems(all())));
}

/** The bytes, cut into chunks of this size. */
async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([1, 7, 4096, 1_000_000])("items come back from chunks of %i bytes", async (size) => {
  const read = await collect(decodeItems(chunksOf(await encode(items), size)));

  expect(read).toEqual(items);
});

test("what is not whole frames is refused", async () => {
  const bytes = await encode(items);

  const reading = collect(decodeItems(chunksOf(bytes.subarray(0, -1), 4096)));

  await expect(reading).rejects.toThrow("it ends within a frame");
});

test.each([
  ["a bound with SQL", partition("DEFAULT; drop table accounts")],
  ["a bound with a quote", partition("FOR VALUES FROM ('1') TO ('2'''); select 1 --')")],
  ["a bound with a function", partition("FOR VALUES FROM (MINVALUE()) TO ('1')")],
  ["a key with SQL", partition("DEFAULT", "HASH (f())")],
  ["a header of another format", { ...header, format: 2 }],
  ["a file outside of the spool", { kind: "file", place: "spool", name: "../x", content: "" }],
  ["a hidden file", { kind: "file", place: "spool", name: ".x", content: "" }],
  [
    "a table of the system",
    { kind: "table", schema: "pg_catalog", name: "pg_authid", columns: ["rolname"] },
  ],
])("%s is refused", async (_what, item) => {
  const bytes = await encode([JSON.parse(JSON.stringify(item))]);

  await expect(collect(decodeItems(chunksOf(bytes, 4096)))).rejects.toThrow();
});

test.each([
  ["without its end", items.slice(0, -1)],
  ["without its header", items.slice(1)],
  ["with something behind its end", [...items, header]],
  ["with other counts", [...items.slice(0, -1), { kind: "end", tables: 1, rows: 4 } as const]],
])("a backup %s is refused", async (_what, given) => {
  const reading = inspectItems(decodeItems(chunksOf(await encode(given), 4096)));

  await expect(reading).rejects.toThrow(/out of order|not whole/);
});
