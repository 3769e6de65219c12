import fc from "fast-check";
import { expect, test } from "vitest";
import { type Rank, ranks, WaitingCalls } from "./waiting-calls.ts";

function call(rank: Rank, share = "a") {
  return { rank, share, since: 0, go() {} };
}

test("owners of a rank take turns, each in the order of its calls", () => {
  const waiting = new WaitingCalls();
  const [first, second, third] = [call("action"), call("action"), call("action", "b")];
  for (const each of [first, second, third]) waiting.add(each);

  expect([waiting.take(), waiting.take(), waiting.take()]).toEqual([first, third, second]);
  expect(waiting.take()).toBeUndefined();
});

test("each tenth call goes to the last rank", () => {
  const waiting = new WaitingCalls();
  for (let n = 0; n < 30; n += 1) waiting.add(call("person"));
  for (let n = 0; n < 30; n += 1) waiting.add(call("sync"));

  const taken = Array.from({ length: 20 }, () => waiting.take()?.rank);

  expect(taken.filter((rank) => rank === "sync")).toHaveLength(2);
  expect([taken[9], taken[19]]).toEqual(["sync", "sync"]);
});

test("it says how many wait, since when, and whose calls they are", () => {
  const waiting = new WaitingCalls();
  waiting.add({ ...call("sync", "a"), since: 20 });
  waiting.add({ ...call("sync", "b"), since: 10 });
  waiting.add({ ...call("person", "a"), since: 30 });

  expect(waiting.describe()).toEqual({
    person: { calls: 1, since: 30 },
    action: { calls: 0, since: undefined },
    sync: { calls: 2, since: 10 },
  });
  expect([...waiting.countByShare()]).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
});

test("each call leaves once, however calls come, leave and are taken", () => {
  const step = fc.record({
    kind: fc.constantFrom("add", "remove", "take"),
    rank: fc.constantFrom(...ranks),
    share: fc.constantFrom("a", "b", "c"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const waiting = new WaitingCalls();
      const inside = new Set<ReturnType<typeof call>>();
      for (const { kind, rank, share } of steps) {
        const [oldest] = inside;
        if (kind === "add") {
          const added = call(rank, share);
          inside.add(added);
          waiting.add(added);
        } else if (kind === "remove" && oldest !== undefined) {
          inside.delete(oldest);
          waiting.remove(oldest);
        } else if (kind === "take") {
          const taken = waiting.take();
          expect(taken === undefined).toBe(inside.size === 0);
          if (taken !== undefined) expect(inside.delete(taken as never)).toBe(true);
        }
        expect(waiting.size).toBe(inside.size);
      }
    }),
  );
});
