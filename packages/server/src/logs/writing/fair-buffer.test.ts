import { expect, test } from "vitest";
import type { EnvironmentId } from "#foundation";
import { FairBuffer } from "./fair-buffer.ts";

/** Buffers do not look into ids. */
const asId = (name: string): EnvironmentId => name as EnvironmentId;

function newBuffer(limits: { total: number; each: number }) {
  const dropped: string[] = [];
  const buffer = new FairBuffer<number>(limits, (entry) => dropped.push(entry.environmentId));
  const push = (name: string, count: number): void => {
    for (let item = 0; item < count; item += 1) {
      buffer.push({ environmentId: asId(name), item, size: 1 });
    }
  };
  const count = (name: string) => dropped.filter((each) => each === name).length;
  return { buffer, push, count };
}

test("a full queue drops rows of its own", () => {
  const { buffer, push, count } = newBuffer({ total: 1000, each: 100 });

  push("loud", 500);
  push("quiet", 50);

  expect([count("loud"), count("quiet"), buffer.size]).toEqual([400, 0, 150]);
});

test("when all is full the longest queue makes room for those below their share", () => {
  const { buffer, push, count } = newBuffer({ total: 400, each: 100 });

  for (const name of ["a", "b", "c", "d"]) push(name, 1000);
  push("quiet", 60);
  push("another", 60);

  expect(count("quiet") + count("another")).toBe(0);
  expect(buffer.size).toBeLessThanOrEqual(400);
});

test("ten thousand queues stay within the total, and each keeps something", () => {
  const { buffer, push } = newBuffer({ total: 50_000, each: 1000 });

  for (let queue = 0; queue < 10_000; queue += 1) push(`queue ${queue}`, 10);

  const queues = new Set<string>();
  for (let batch = buffer.take(500, 1e9); batch.length > 0; batch = buffer.take(500, 1e9)) {
    for (const { environmentId } of batch) queues.add(environmentId);
  }
  expect(queues.size).toBe(10_000);
  expect(buffer.size).toBe(0);
});

test("queues alternate, each in its own order", () => {
  const { buffer, push } = newBuffer({ total: 10_000, each: 5000 });
  push("loud", 2000);
  push("quiet", 3);

  const first = buffer.take(100, 1e9);

  expect(first.filter(({ environmentId }) => environmentId === "quiet")).toHaveLength(3);
  expect(first.slice(0, 50).map(({ item }) => item)).toEqual(Array.from(Array(50).keys()));
});

test("what is put back comes first again, in its order", () => {
  const { buffer, push } = newBuffer({ total: 10_000, each: 5000 });
  push("one", 10);
  push("two", 10);
  const taken = buffer.take(15, 1e9);

  buffer.putBack(taken);

  expect(buffer.size).toBe(20);
  expect(buffer.hasUpTo(1, asId("one"))).toBe(true);
  expect(buffer.hasUpTo(10, asId("two"))).toBe(false);
  const again = buffer.take(100, 1e9).filter(({ environmentId }) => environmentId === "two");
  expect(again.map(({ item }) => item)).toEqual(Array.from(Array(10).keys()));
});
