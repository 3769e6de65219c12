import { expect, test } from "vitest";
import { inTime, within } from "./within.ts";

const never = new Promise<never>(() => undefined);

test("work that ends in time gives its result, and other work nothing", async () => {
  const results = [await inTime(60_000, Promise.resolve("a")), await inTime(1, never)];

  expect(results).toEqual(["a", undefined]);
  expect([await within(60_000, Promise.resolve()), await within(1, never)]).toEqual([true, false]);
});

test("a failure is the caller's while it waits, and nobody's afterwards", async () => {
  const late = Promise.withResolvers<void>();

  await expect(inTime(60_000, Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await inTime(1, late.promise)).toBeUndefined();
  late.reject(new Error("late"));
});

test("a caller that has gone waits no longer", async () => {
  const gone = new AbortController();

  const waiting = inTime(60_000, never, gone.signal);
  gone.abort(new Error("gone"));

  await expect(waiting).rejects.toThrow("gone");
  await expect(inTime(60_000, never, gone.signal)).rejects.toThrow("gone");
});
