import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  newRandomId,
  newTimeId,
  type RunId,
} from "../../packages/server/src/foundation/index.ts";
import {
  createTestContext,
  type TestContext,
} from "../../packages/server/src/foundation/testing/index.ts";
import { countRecords } from "../../packages/server/src/records/index.ts";
import { listRecords } from "../../packages/server/src/records/reading/list-records.ts";
import {
  asLines,
  presentRecords,
} from "../../packages/server/src/records/reading/present-records.ts";
import { pruneRecords } from "../../packages/server/src/records/retention/prune-records.ts";
import {
  endTracking,
  startTracking,
} from "../../packages/server/src/records/tracking/track-deletes.ts";
import { saveRecords } from "../../packages/server/src/records/writing/save-records.ts";

const RECORDS = 1_000_000;
const BATCH = 1000;
const GONE = 10_000;

let app: TestContext;
let ctx: EnvironmentContext;
const place = { connection: newRandomId<ConnectionUuid>(), model: "Row" };
const by = { kind: "sync", functionId: 1 } as const;
const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

beforeAll(async () => {
  app = await createTestContext();
  ctx = app.ctx;
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function saveAll(from: number): Promise<void> {
  for (let start = from; start < RECORDS; start += BATCH) {
    const ids = Array.from({ length: BATCH }, (_, offset) => String(start + offset));
    const lines = ids.map((id) => Buffer.from(`{"id":"${id}","text":"${id.padEnd(200, "x")}"}`));
    await saveRecords(ctx, { ...place, writer, ids, lines });
  }
}

/** Prints seconds and the memory that the step took on at its highest, in MB. */
async function measured<Result>(name: string, step: () => Promise<Result>): Promise<Result> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const startedAt = performance.now();
  try {
    return await step();
  } finally {
    clearInterval(sampling);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    // biome-ignore lint/suspicious/noConsole: the figures are what this prints
    console.info(`${name}: ${seconds} s, memory +${Math.round((peak - before) / 1024 / 1024)} MB`);
  }
}

async function readAll(): Promise<{ lines: number; bytes: number; lastCursor: string }> {
  const all = { cursor: undefined, modifiedAfter: undefined, filter: undefined, ids: undefined };
  let lines = 0;
  let bytes = 0;
  let lastCursor = "";
  const chunks = (async function* () {
    const listing = { ...place, ...all, limit: undefined, maxBytes: undefined };
    for await (const chunk of listRecords(ctx, listing)) {
      lines += chunk.records.length;
      lastCursor = chunk.records.at(-1)?.cursor ?? lastCursor;
      yield chunk;
    }
  })();
  for await (const part of presentRecords(chunks, asLines)) bytes += part.byteLength;
  return { lines, bytes, lastCursor };
}

async function count(): Promise<number | undefined> {
  return (await countRecords(ctx, { connections: [place.connection] }))[0]?.count;
}

test("a million records of one model are saved, read, tracked and pruned with flat memory", async () => {
  await measured("saved, new", async () => await saveAll(0));
  expect(await count()).toBe(RECORDS);

  const read = await measured("read", readAll);
  expect(read.lines).toBe(RECORDS);

  await startTracking(ctx, { ...place, by, goesOn: false });
  await measured("saved, unchanged and tracked", async () => await saveAll(GONE));
  const ended = await measured(
    "deletes tracked",
    async () => await endTracking(ctx, { ...place, by, writer, guardShare: undefined }),
  );
  expect(ended).toMatchObject({ kind: "done", deleted: GONE });
  expect(await count()).toBe(RECORDS - GONE);

  const { lastCursor } = await readAll();
  let pruned = 0;
  await measured("pruned", async () => {
    for (;;) {
      const page = { ...place, until: { cursor: lastCursor }, limit: 10_000 };
      const { count, hasMore } = await pruneRecords(ctx, page);
      pruned += count;
      if (!hasMore) return;
    }
  });
  expect(pruned).toBe(RECORDS);
});
