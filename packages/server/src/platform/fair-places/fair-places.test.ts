import { expect, test } from "vitest";
import { ceilingOf } from "./ceiling.ts";
import { FairPlaces } from "./fair-places.ts";
import { AGEING_MS, inTurn, turnOf } from "./turn.ts";

test.each([
  { places: 1, share: 0.8, ceiling: 1 },
  { places: 2, share: 0.8, ceiling: 1 },
  { places: 3, share: 0.8, ceiling: 2 },
  { places: 10, share: 0.8, ceiling: 8 },
  { places: 10, share: 0.99, ceiling: 9 },
  { places: 10, share: 0.01, ceiling: 1 },
  { places: 10, share: 1, ceiling: 10 },
])("of $places places and a share of $share one holds $ceiling", ({ places, share, ceiling }) => {
  expect(ceilingOf(places, share)).toBe(ceiling);
});

test("those who hold less go first, and of one environment who came first", () => {
  const waiting = ["a", "a", "b", "c", "b"].map((owner, since) => ({ owner, since }));

  const order = inTurn(waiting, (owner) => (owner === "a" ? 1 : 0), 10);

  expect(order.map(({ owner, since }) => `${owner}${since}`)).toEqual([
    "b2",
    "c3",
    "a0",
    "b4",
    "a1",
  ]);
});

test("waiting makes up for places that are held, but passes nobody who holds none", () => {
  const fresh = turnOf({ held: 0, nth: 1, waitedMs: 0 });
  const busy = turnOf({ held: 3, nth: 1, waitedMs: 0 });
  const patient = turnOf({ held: 3, nth: 1, waitedMs: 2 * AGEING_MS });
  const ancient = turnOf({ held: 3, nth: 1, waitedMs: 100 * AGEING_MS });

  expect([fresh, ancient, patient, busy]).toEqual([1, 1.5, 2, 4]);
});

/** Lets all that can go on do so. */
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

test("one environment never holds all places, however many it asks for", async () => {
  const places = new FairPlaces({ places: 4, ceiling: 3 });
  const served: string[] = [];
  const take = async (owner: string) => {
    const place = await places.take(owner);
    served.push(owner);
    return place;
  };

  const flood = Array.from({ length: 50 }, () => take("a"));
  await settle();
  const other = await take("b");

  expect(served).toEqual(["a", "a", "a", "b"]);
  other[Symbol.dispose]();
  await settle();
  expect([places.heldBy("a"), places.waitingOf("a")]).toEqual([3, 47]);
  for (const each of flood) (await each)[Symbol.dispose]();
  expect([places.heldBy("a"), places.waitingOf("a")]).toEqual([0, 0]);
});

test("a place that becomes free goes to who holds least, not to who came first", async () => {
  const places = new FairPlaces({ places: 2, ceiling: 2 });
  const [first, second] = [await places.take("a"), await places.take("a")];
  const served: string[] = [];
  const wait = async (owner: string) => {
    using _place = await places.take(owner);
    served.push(owner);
    await settle();
  };

  const waiting = [wait("a"), wait("a"), wait("b"), wait("c")];
  first[Symbol.dispose]();
  await Promise.all(waiting);
  second[Symbol.dispose]();

  expect(served).toEqual(["b", "c", "a", "a"]);
});

test("who hangs up or waits too long leaves the queue, and a place is given back once", async () => {
  const places = new FairPlaces({ places: 1, ceiling: 1 });
  const place = await places.take("a");
  const gone = new AbortController();
  const left = places.take("b", { signal: gone.signal }).catch((error: unknown) => error);
  const late = places.take("b", { waitMs: 1, tooLate: () => new Error("late") });

  gone.abort(new Error("hung up"));

  await expect(left).resolves.toMatchObject({ message: "hung up" });
  await expect(late).rejects.toThrow("late");
  place[Symbol.dispose]();
  place[Symbol.dispose]();
  expect([places.waitingOf("b"), places.heldBy("a")]).toEqual([0, 0]);
  expect(places.tryTake("c")).toBeDefined();
  expect(places.tryTake("d")).toBeUndefined();
});
