import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Remembered } from "./remembered.ts";

const HOUR = 3_600_000;

test("is read once for all who ask, and not again before its time", async () => {
  let readings = 0;
  const read = async () => {
    readings += 1;
    return readings;
  };
  const remembered = new Remembered({ everyMs: HOUR, keptMs: 0, onFailure: () => {} }, read);

  const together = await Promise.all([remembered.get(), remembered.get()]);
  const later = await remembered.get();

  expect([...together, later, readings]).toEqual([1, 1, 1, 1]);
});

test("what takes long is not waited for; an older value is shown while it is new enough", async () => {
  const gate = Promise.withResolvers<string>();
  const answers = [Promise.resolve("old"), gate.promise];
  const read = async () => (await answers.shift()) ?? "none";
  const kept = new Remembered({ everyMs: 0, keptMs: HOUR, onFailure: () => {} }, read);
  const strict = new Remembered(
    { everyMs: 0, keptMs: 0, onFailure: () => {} },
    async () => await gate.promise,
  );
  const first = await kept.get();
  const startedAt = performance.now();

  const [old, nothing] = await Promise.all([kept.get(), strict.get()]);
  const tookMs = performance.now() - startedAt;
  gate.resolve("new");
  await sleep(0);

  expect([first, old, nothing]).toEqual(["old", "old", undefined]);
  expect(tookMs).toBeLessThan(1000);
});

test("what cannot be read is reported, and asked for again only when it is due", async () => {
  const failures: unknown[] = [];
  let readings = 0;
  const read = async () => {
    readings += 1;
    throw new Error("away");
  };
  const onFailure = (error: unknown) => failures.push(error);
  const remembered = new Remembered({ everyMs: HOUR, keptMs: HOUR, onFailure }, read);

  const found = [await remembered.get(), await remembered.get()];

  expect(found).toEqual([undefined, undefined]);
  expect([readings, failures.length]).toEqual([1, 1]);
});
