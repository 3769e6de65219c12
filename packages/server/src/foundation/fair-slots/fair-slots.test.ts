import { expect, test } from "vitest";
import { ceilingOf } from "./ceiling.ts";
import { FairSlots } from "./fair-slots.ts";
import { AGEING_MS, byPriority, priorityOf } from "./priority.ts";

test.each([
  { slots: 1, share: 0.8, ceiling: 1 },
  { slots: 2, share: 0.8, ceiling: 1 },
  { slots: 3, share: 0.8, ceiling: 2 },
  { slots: 10, share: 0.8, ceiling: 8 },
  { slots: 10, share: 0.99, ceiling: 9 },
  { slots: 10, share: 0.01, ceiling: 1 },
  { slots: 10, share: 1, ceiling: 10 },
])("of $slots slots and a share of $share one holds $ceiling", ({ slots, share, ceiling }) => {
  expect(ceilingOf(slots, share)).toBe(ceiling);
});

test("those who hold less go first, and of one environment who came first", () => {
  const waiting = ["a", "a", "b", "c", "b"].map((owner, since) => ({ owner, since }));

  const order = byPriority(waiting, (owner) => (owner === "a" ? 1 : 0), 10);

  expect(order.map(({ owner, since }) => `${owner}${since}`)).toEqual([
    "b2",
    "c3",
    "a0",
    "b4",
    "a1",
  ]);
});

test("waiting makes up for slots that are held, but passes nobody who holds none", () => {
  const fresh = priorityOf({ held: 0, nth: 1, waitedMs: 0 });
  const busy = priorityOf({ held: 3, nth: 1, waitedMs: 0 });
  const patient = priorityOf({ held: 3, nth: 1, waitedMs: 2 * AGEING_MS });
  const ancient = priorityOf({ held: 3, nth: 1, waitedMs: 100 * AGEING_MS });

  expect([fresh, ancient, patient, busy]).toEqual([1, 1.5, 2, 4]);
});

/** Lets all that can continue do so. */
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

test("one environment never holds all slots, however many it asks for", async () => {
  const slots = new FairSlots({ slots: 4, ceiling: 3 });
  const served: string[] = [];
  const take = async (owner: string) => {
    const slot = await slots.take(owner);
    served.push(owner);
    return slot;
  };

  const flood = Array.from({ length: 50 }, () => take("a"));
  await settle();
  const other = await take("b");

  expect(served).toEqual(["a", "a", "a", "b"]);
  other[Symbol.dispose]();
  await settle();
  expect([slots.heldBy("a"), slots.waitingOf("a")]).toEqual([3, 47]);
  for (const each of flood) (await each)[Symbol.dispose]();
  expect([slots.heldBy("a"), slots.waitingOf("a")]).toEqual([0, 0]);
});

test("a slot that becomes free goes to who holds least, not to who came first", async () => {
  const slots = new FairSlots({ slots: 2, ceiling: 2 });
  const [first, second] = [await slots.take("a"), await slots.take("a")];
  const served: string[] = [];
  const wait = async (owner: string) => {
    using _slot = await slots.take(owner);
    served.push(owner);
    await settle();
  };

  const waiting = [wait("a"), wait("a"), wait("b"), wait("c")];
  first[Symbol.dispose]();
  await Promise.all(waiting);
  second[Symbol.dispose]();

  expect(served).toEqual(["b", "c", "a", "a"]);
});

test("who hangs up or waits too long leaves the queue, and a slot is given back once", async () => {
  const slots = new FairSlots({ slots: 1, ceiling: 1 });
  const slot = await slots.take("a");
  const gone = new AbortController();
  const left = slots.take("b", { signal: gone.signal }).catch((error: unknown) => error);
  const late = slots.take("b", { waitMs: 1, tooLate: () => new Error("late") });

  gone.abort(new Error("hung up"));

  await expect(left).resolves.toMatchObject({ message: "hung up" });
  await expect(late).rejects.toThrow("late");
  slot[Symbol.dispose]();
  slot[Symbol.dispose]();
  expect([slots.waitingOf("b"), slots.heldBy("a")]).toEqual([0, 0]);
  expect(slots.tryTake("c")).toBeDefined();
  expect(slots.tryTake("d")).toBeUndefined();
});
