import { expect, test } from "vitest";
import { SharedAnswers, textOfShared } from "./shared-answers.ts";

const EVERY_MS = 50;

test("those who ask the same at once share one read, which began after they asked", async () => {
  const shared = new SharedAnswers(EVERY_MS);
  let value = 0;
  let reads = 0;
  const ask = async () =>
    await shared.get("list", async () => {
      reads += 1;
      return { value };
    });

  const first = await ask();
  value = 1;
  const others = await Promise.all(Array.from({ length: 50 }, ask));
  value = 2;
  const last = await ask();

  expect(first).toEqual({ value: 0 });
  expect(others).toEqual(others.map(() => ({ value: 1 })));
  expect(new Set(others).size).toBe(1);
  expect(last).toEqual({ value: 2 });
  expect(reads).toBe(3);
});

test("who asks while a slow read runs gets the next one", async () => {
  const shared = new SharedAnswers(0);
  const slow = Promise.withResolvers<void>();
  let value = "before";
  const first = shared.get("list", async () => {
    const read = { value };
    await slow.promise;
    return read;
  });

  value = "after";
  const second = shared.get("list", async () => ({ value }));
  slow.resolve();

  expect(await first).toEqual({ value: "before" });
  expect(await second).toEqual({ value: "after" });
});

test("other questions wait for nobody, and none is remembered once it is quiet", async () => {
  const shared = new SharedAnswers(EVERY_MS);
  const startedAt = performance.now();

  const answers = await Promise.all(
    ["a", "b", "c"].map(async (name) => await shared.get(name, async () => ({ name }))),
  );
  const tookMs = performance.now() - startedAt;

  expect(answers).toEqual([{ name: "a" }, { name: "b" }, { name: "c" }]);
  expect(tookMs).toBeLessThan(EVERY_MS);
  await expect.poll(() => shared.size).toBe(0);
});

test("a read that fails is an error of those who shared it, and of nobody after them", async () => {
  const shared = new SharedAnswers(EVERY_MS);
  let isAway = false;
  const ask = async () =>
    await shared.get("list", async () => {
      if (isAway) throw new Error("the database is away");
      return { rows: 1 };
    });

  await ask();
  isAway = true;
  const outcomes = await Promise.allSettled([ask(), ask()]);
  isAway = false;

  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await ask()).toEqual({ rows: 1 });
});

test("a shared answer is JSON that is made once; any other is left to the framework", async () => {
  const shared = new SharedAnswers(EVERY_MS);
  let made = 0;
  const row = {
    toJSON: () => {
      made += 1;
      return "row";
    },
  };

  const answer = await shared.get("list", async () => ({ row }));

  expect([textOfShared(answer), textOfShared(answer)]).toEqual(['{"row":"row"}', '{"row":"row"}']);
  expect(made).toBe(1);
  expect([textOfShared({ row }), textOfShared(null), textOfShared("text")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
