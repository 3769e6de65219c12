import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { withTransaction } from "#foundation/db";
import { createTestDatabase } from "#foundation/testing";
import type { Notices } from "../notices.ts";
import { ServerStates } from "../server-state.ts";
import { catchUpCaches, defineCache, openCaches } from "./index.ts";

const database = await createTestDatabase();
afterAll(async () => await database[Symbol.asyncDispose]());

let wake: (detail?: string) => void;
let notices: { -readonly [Name in keyof Notices]: Notices[Name] };
let loads: number;
const numbers = defineCache<number>({ maxEntries: 2 });

beforeEach(() => {
  loads = 0;
  notices = {
    isListening: true,
    heardUntil: Number.POSITIVE_INFINITY,
    wake: () => undefined,
    catchUp: async () => true,
    subscribe(_name, subscriber) {
      wake = subscriber;
      return { [Symbol.dispose]() {} };
    },
  };
});

function open() {
  const ctx = { db: database.db, state: new ServerStates(), notices };
  const caches = openCaches(ctx);
  return { ctx, [Symbol.dispose]: () => caches[Symbol.dispose]() };
}

async function load() {
  loads += 1;
  return { value: loads, rows: ["t 1", "t 2"] };
}

test("remembers until one of its rows changes", async () => {
  using opened = open();
  const { ctx } = opened;

  expect(await numbers.find(ctx, "a", load)).toBe(1);
  expect(await numbers.find(ctx, "a", load)).toBe(1);
  expect(numbers.getIfCached(ctx, "a")).toBe(1);
  wake("t 3");
  expect(await numbers.find(ctx, "a", load)).toBe(1);
  wake("t 2");
  expect(numbers.getIfCached(ctx, "a")).toBeUndefined();
  expect(await numbers.find(ctx, "a", load)).toBe(2);
});

test("forgets all when changes may have been missed", async () => {
  using opened = open();
  const { ctx } = opened;
  await numbers.find(ctx, "a", load);

  wake();

  expect(numbers.getIfCached(ctx, "a")).toBeUndefined();
});

test("does not keep what was read while something changed", async () => {
  using opened = open();
  const { ctx } = opened;

  const found = await numbers.find(ctx, "a", async () => {
    wake("t 1");
    return await load();
  });

  expect(found).toBe(1);
  expect(numbers.getIfCached(ctx, "a")).toBeUndefined();
});

test("without a listening connection entries live 500 ms; with a silent one 900 ms", async () => {
  using opened = open();
  const { ctx } = opened;
  const now = vi.spyOn(performance, "now");

  notices.heardUntil = Number.NEGATIVE_INFINITY;
  now.mockReturnValue(10_000);
  await numbers.find(ctx, "a", load);
  now.mockReturnValue(10_500);
  const young = numbers.getIfCached(ctx, "a");
  now.mockReturnValue(10_501);
  const old = numbers.getIfCached(ctx, "a");
  notices.heardUntil = 20_000;
  now.mockReturnValue(20_000);
  await numbers.find(ctx, "a", load);
  now.mockReturnValue(20_900);
  const heard = numbers.getIfCached(ctx, "a");
  now.mockReturnValue(20_901);
  const silent = numbers.getIfCached(ctx, "a");

  now.mockRestore();
  expect([young, old, heard, silent]).toEqual([1, undefined, 2, undefined]);
});

test("keeps no more than its number of entries, and nothing that was not found", async () => {
  using opened = open();
  const { ctx } = opened;

  for (const name of ["a", "b", "c"]) await numbers.find(ctx, name, load);
  const missing = await numbers.find(ctx, "d", async () => undefined);

  expect(missing).toBeUndefined();
  expect(["a", "b", "c", "d"].map((name) => numbers.getIfCached(ctx, name))).toEqual([
    undefined,
    2,
    3,
    undefined,
  ]);
});

test("heavy entries make room for each other, and one that is too heavy is not kept", async () => {
  using opened = open();
  const { ctx } = opened;
  const trees = defineCache<number>({ maxEntries: 10, maxWeight: 5 });
  const plant = async (name: string, weight: number) =>
    await trees.find(ctx, name, async () => ({ ...(await load()), weight }));
  const kept = () => ["oak", "elm", "yew"].filter((name) => trees.getIfCached(ctx, name));

  await plant("oak", 3);
  await plant("elm", 2);
  expect(kept()).toEqual(["oak", "elm"]);
  await plant("yew", 3);
  expect(kept()).toEqual(["elm", "yew"]);
  await plant("oak", 6);
  expect(kept()).toEqual(["elm", "yew"]);
  wake("t 1");
  expect(kept()).toEqual([]);
});

test("nothing is cached within a transaction or without openCaches", async () => {
  using opened = open();
  const closed = { db: database.db, state: new ServerStates() };

  await withTransaction(opened.ctx, async (ctx) => await numbers.find(ctx, "a", load));
  await numbers.find(closed, "a", load);
  await numbers.find(closed, "a", load);

  expect(loads).toBe(3);
  expect(numbers.getIfCached(opened.ctx, "a")).toBeUndefined();
});

test("catching up forgets all where it cannot know", async () => {
  using opened = open();
  const { ctx } = opened;
  await numbers.find(ctx, "a", load);

  await catchUpCaches(ctx);
  const known = numbers.getIfCached(ctx, "a");
  notices.catchUp = async () => false;
  await catchUpCaches(ctx);

  expect([known, numbers.getIfCached(ctx, "a")]).toEqual([1, undefined]);
});
