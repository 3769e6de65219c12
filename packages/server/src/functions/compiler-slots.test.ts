import { expect, test } from "vitest";
import { CompilerSlots } from "./jobs/compiling/compiler-slots.ts";

const newSlots = () => new CompilerSlots({ atOnce: 2, maxWaiting: 4, maxWaitingOfOwner: 2 });
const request = (owner: string, signal?: AbortSignal) => ({ owner, signal, isQueued: false });

/** Lets all that can continue do so. */
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

test("an owner has one slot at a time, and others are served past those who wait for it", async () => {
  const slots = newSlots();
  const served: string[] = [];
  const take = async (owner: string) => {
    const slot = await slots.take(request(owner));
    served.push(owner);
    return slot;
  };

  const first = await take("a");
  const second = take("a");
  const other = await take("b");
  const third = take("c");
  await settle();
  const before = [...served];
  other[Symbol.dispose]();
  await third;
  first[Symbol.dispose]();
  await second;

  expect(before).toEqual(["a", "b"]);
  expect(served).toEqual(["a", "b", "c", "a"]);
});

test("past the limit a request is asked to come back, and queued work still waits", async () => {
  const slots = newSlots();
  const slot = await slots.take(request("a"));
  const waiting = [slots.take(request("a")), slots.take(request("a"))];

  const refused = await slots.take(request("a")).catch((error: unknown) => error);
  const queued = slots.take({ owner: "a", isQueued: true });
  slot[Symbol.dispose]();
  for (const each of waiting) (await each)[Symbol.dispose]();

  expect(refused).toMatchObject({ code: "overloaded", headers: { "Retry-After": "5" } });
  await expect(queued).resolves.toBeDefined();
});

test("who has gone leaves the queue to others", async () => {
  const slots = newSlots();
  const slot = await slots.take(request("a"));
  const gone = new AbortController();
  const left = slots.take(request("a", gone.signal)).catch((error: unknown) => error);
  const next = slots.take(request("a"));

  gone.abort(new Error("hung up"));
  slot[Symbol.dispose]();

  await expect(left).resolves.toMatchObject({ message: "hung up" });
  (await next)[Symbol.dispose]();
  await expect(slots.take(request("a", gone.signal))).rejects.toThrow("hung up");
});

test("an owner with many waiting requests leaves room for those of others", async () => {
  const slots = newSlots();
  const held = [await slots.take(request("a")), await slots.take(request("b"))];
  const many = [1, 2, 3].map(async () => await slots.take(request("a")));
  const outcomes = Promise.allSettled(many);
  const other = slots.take(request("c"));

  for (const slot of held) slot[Symbol.dispose]();
  (await other)[Symbol.dispose]();
  for (const each of many.slice(0, 2)) (await each)[Symbol.dispose]();

  expect((await outcomes).map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
  ]);
});

test("queued work that waits takes no room from requests", async () => {
  const slots = newSlots();
  const slot = await slots.take(request("a"));
  const queued = [1, 2, 3, 4].map(async () => await slots.take({ owner: "a", isQueued: true }));
  const asked = slots.take(request("a"));

  slot[Symbol.dispose]();
  for (const each of queued) (await each)[Symbol.dispose]();

  await expect(asked).resolves.toBeDefined();
});

test("owners that fill the queue keep out no one who has nothing in it", async () => {
  const slots = newSlots();
  const held = [await slots.take(request("a")), await slots.take(request("b"))];
  const serve = async (owner: string) => {
    using _slot = await slots.take(request(owner));
  };
  const many = ["a", "a", "b", "b"].map(serve);

  const refused = await serve("a").catch((error: unknown) => error);
  const other = serve("c");
  for (const slot of held) slot[Symbol.dispose]();

  expect(refused).toMatchObject({ code: "overloaded" });
  await Promise.all([other, ...many]);
});

test("an owner that had a slot a moment ago learns so, others do not", async () => {
  const slots = newSlots();
  const seen: boolean[] = [];
  for (const owner of ["a", "a", "b", "a"]) {
    using slot = await slots.take(request(owner));
    seen.push(slot.isRepeated);
  }

  expect(seen).toEqual([false, true, false, true]);
});
