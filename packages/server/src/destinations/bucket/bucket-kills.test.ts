import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { type TestApp, testApp } from "#testing";
import { destinations } from "../index.ts";
import {
  type BucketEnvironment,
  bucketEnvironment,
  type Line,
  linesOf,
  stateOfLines,
} from "../testing/bucket-destinations.ts";
import { startTestBucket, type TestBucket } from "../testing/test-bucket.ts";

let app: TestApp;
let own: BucketEnvironment;
let bucket: TestBucket;

beforeAll(async () => {
  app = await testApp({
    slices: [destinations],
    caller: async ({ signal }) => ({ ...own.ctx, signal }),
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  await app.database.pool.query("delete from record_destinations");
  own = await bucketEnvironment(app);
  bucket = await startTestBucket();
  return async () => await bucket[Symbol.asyncDispose]();
});

class Killed extends Error {}

/** The process ends at the first step of that name: nothing after it happens, not even the note of a failure. */
function killedAt(name: string) {
  const ended = Promise.withResolvers<void>();
  const hit = (step: string): void | Promise<void> => {
    if (step !== name) return;
    ended.resolve();
    return new Promise(() => {});
  };
  return { inside: { ...own.ctx, failpoints: { hit } }, ended: ended.promise };
}

function changesOf(lines: readonly Line[]): string[] {
  return lines.map(({ model, id, sequence }) => `${model} ${id} ${sequence}`);
}

test.each(["destinations.object_planned", "destinations.object_put", "destinations.delivered"])(
  "a process that dies at %s leaves no change twice: the next writes objects of the same names",
  async (step) => {
    await own.create(bucket);
    await own.save("Contact", ["1", "2"], "first");
    await own.save("Deal", ["1"]);
    const { inside, ended } = killedAt(step);
    void own.deliverWhenDue(inside);
    await ended;
    // Between the two, one of the records changes and others are added.
    await own.save("Contact", ["2", "3"], "second");
    await own.deliverWhenDue();
    await own.deliverWhenDue();

    const changes = changesOf(linesOf(bucket));
    expect(new Set(changes).size).toBe(changes.length);
    expect([...stateOfLines(linesOf(bucket)).values()].toSorted()).toEqual([
      ...["", "first", "second", "second"],
    ]);
  },
);

test("a process that comes late overwrites what another wrote with nothing less", async () => {
  await own.create(bucket);
  await own.save("Contact", ["1", "2"], "first");
  const late = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const hit = async (step: string): Promise<void> => {
    if (step !== "destinations.object_planned") return;
    reached.resolve();
    await late.promise;
  };
  const lateDelivery = own.deliverWhenDue({ ...own.ctx, failpoints: { hit } });
  await reached.promise;
  await own.save("Contact", ["2"], "second");
  await own.deliverWhenDue();
  await own.deliverWhenDue();
  const before = linesOf(bucket);
  late.resolve();
  await lateDelivery;
  await own.deliverWhenDue();

  const changes = changesOf(linesOf(bucket));
  expect(before.length).toBe(2);
  expect(new Set(changes).size).toBe(changes.length);
  expect([...stateOfLines(linesOf(bucket)).values()]).toEqual(["first", "second"]);
});

test("two workers that are killed at any point, or come late: nothing is lost, nothing twice, all in order", async () => {
  await own.create(bucket);
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  let kills = 0;
  let isDone = false;
  const sleepers: (() => void)[] = [];
  const hit = async (onEnd: () => void): Promise<void> => {
    if (isDone || random() > 0.5) return;
    kills += 1;
    const fate = random();
    if (fate < 0.3) throw new Killed();
    onEnd();
    // It stands still until long after another has taken over, or for good.
    await new Promise<void>((resolve) => {
      if (fate < 0.6) sleepers.push(resolve);
    });
  };
  const worker = async () => {
    while (!isDone) {
      app.clock.advance(5 * MINUTE);
      const ended = Promise.withResolvers<void>();
      const failpoints = { hit: async () => await hit(ended.resolve) };
      await Promise.race([own.deliverOnce({ ...own.ctx, failpoints }), ended.promise]);
      if (random() < 0.3) sleepers.shift()?.();
      await sleep(5);
    }
  };
  const workers = [worker(), worker()];
  const truth = new Map<string, string>();
  // On a busy machine few deliveries happen meanwhile.
  for (let round = 0; round < 100 || kills < 12; round += 1) {
    const ids = Array.from({ length: 60 }, () => String(Math.floor(random() * 200)));
    const unique = [...new Set(ids)];
    await own.save("Contact", unique, `round ${round}`);
    for (const id of unique) truth.set(id, `round ${round}`);
    const gone = unique.slice(0, 5);
    await own.remove("Contact", gone);
    for (const id of gone) truth.set(id, "deleted");
    await sleep(10);
  }
  isDone = true;
  await Promise.all(workers);
  for (const wake of sleepers) wake();
  for (let attempt = 0; attempt < 4; attempt += 1) await own.deliverWhenDue();
  await sleep(200);

  const lines = linesOf(bucket);
  const sequences = lines.map(({ sequence }) => sequence);
  const state = [...stateOfLines(lines)].map(([key, value]): [string, string] => [
    key.split(" ")[1] ?? "",
    value,
  ]);
  expect(kills).toBeGreaterThan(10);
  expect(new Map(state)).toEqual(truth);
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => Number(a) - Number(b)));
}, 240_000);
