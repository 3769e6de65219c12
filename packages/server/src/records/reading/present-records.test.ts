import { expect, test } from "vitest";
import type { ListedRecord, RecordChunk } from "./list-records.ts";
import { asLines, asPage, presentRecords } from "./present-records.ts";

const YEAR_MICROS = 366 * 24 * 60 * 60 * 1_000_000;

function listed(id: string, change: Partial<ListedRecord> = {}): ListedRecord {
  const row = {
    id,
    sequence: 1,
    firstSeen: 1,
    lastModified: YEAR_MICROS + 2,
    deleted: null,
    pruned: null,
    payload: null,
    document: null,
  };
  return {
    row,
    line: Buffer.from(`{"id":"${id}","name":"A"}`),
    isDamaged: false,
    cursor: "c",
    ...change,
  };
}

async function* inChunks(...chunks: ListedRecord[][]): AsyncGenerator<RecordChunk> {
  for (const [index, records] of chunks.entries()) {
    const isLast = index === chunks.length - 1;
    yield { records, isLast, nextCursor: isLast ? undefined : "c" };
  }
}

async function present(...input: Parameters<typeof presentRecords>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of presentRecords(...input)) parts.push(part);
  return Buffer.concat(parts).toString();
}

test("metadata and the last line stand under each spelling", async () => {
  const spell = (name: string) => [name, name.replace("svc", "acme")];

  const { records } = JSON.parse(await present(inChunks([listed("1")]), asPage, spell));
  const lines = await present(inChunks([]), asLines, spell);

  expect(records[0]).toMatchObject({
    id: "1",
    name: "A",
    _svc_metadata: {
      first_seen_at: "2000-01-01T00:00:00.000001+00:00",
      last_modified_at: "2001-01-01T00:00:00.000002+00:00",
      last_action: "UPDATED",
      cursor: "c",
    },
  });
  expect(records[0]._acme_metadata).toEqual(records[0]._svc_metadata);
  const end = { next_cursor: null };
  expect(JSON.parse(lines)).toEqual({ _svc_end: end, _acme_end: end });
});

test.each([
  [[[]]],
  [[["1"]]],
  [[["1", "2"], ["3"]]],
  [[["1"], []]],
  [[["1"], [], ["2"]]],
  [[[], ["1"]]],
])("chunks %j make one JSON object, or a line per record and one for the end", async (ids) => {
  const chunks = ids.map((chunk) => chunk.map((id) => listed(id)));

  const page = JSON.parse(await present(inChunks(...chunks), asPage));
  const text = await present(inChunks(...chunks), asLines);

  expect(page.records.map((record: { id: string }) => record.id)).toEqual(ids.flat());
  const lines = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(lines.slice(0, -1).map(({ id }) => id)).toEqual(ids.flat());
  expect(lines.at(-1)).toEqual({ _svc_end: { next_cursor: null } });
});

test("a pruned record has its id and its metadata", async () => {
  const chunk = [listed('a"ü', { line: undefined })];

  const { records } = JSON.parse(await present(inChunks(chunk), asPage));

  expect(Object.keys(records[0])).toEqual(["id", "_svc_metadata"]);
  expect(records[0].id).toBe('a"ü');
});

test("a damaged record has its id, and its metadata say so", async () => {
  const chunk = [listed("1"), listed("2", { line: undefined, isDamaged: true })];

  const { records } = JSON.parse(await present(inChunks(chunk), asPage));

  expect(records[0]._svc_metadata).not.toHaveProperty("damaged");
  expect(records[1]).toEqual({
    id: "2",
    _svc_metadata: expect.objectContaining({ damaged: true, pruned_at: null, cursor: "c" }),
  });
});
