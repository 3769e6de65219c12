import { expect, test } from "vitest";
import { addNumber, countMissing, readNumber, type Sequence } from "./sequence.ts";

function sequenceOf(numbers: readonly number[]): Sequence {
  let sequence: Sequence | undefined;
  for (const number of numbers) sequence = addNumber(sequence, number);
  if (sequence === undefined) throw new Error("no number");
  return sequence;
}

test.each([
  ["in order", [7, 8, 9], { highest: 9, missing: [], repeated: 0 }],
  ["with a gap", [1, 2, 5], { highest: 5, missing: [[3, 4]], repeated: 0 }],
  ["late", [1, 4, 3], { highest: 4, missing: [[2, 2]], repeated: 0 }],
  [
    "late, from the middle",
    [1, 7, 4],
    {
      highest: 7,
      missing: [
        [2, 3],
        [5, 6],
      ],
      repeated: 0,
    },
  ],
  ["again", [1, 2, 2, 1], { highest: 2, missing: [], repeated: 2 }],
  ["of a new sequence", [5_000_000, 1, 2], { highest: 2, missing: [], repeated: 0 }],
])("numbers that come %s", (_name, numbers, expected) => {
  expect(sequenceOf(numbers)).toMatchObject(expected);
});

test("of many gaps the latest 50 are named, and all are counted", () => {
  const sequence = sequenceOf(Array.from({ length: 200 }, (_, n) => 3 * n));

  expect(sequence.missing).toHaveLength(50);
  expect(countMissing(sequence)).toBe(2 * 199);
});

test("the number is read at a pointer, and nothing else is one", () => {
  const payload = JSON.parse(
    '{"a":{"n":5},"t":"12","big":"12345678901234567","__proto__":{"x":1}}',
  );
  const read = (pointer: string) => readNumber(payload, pointer);

  expect([
    read("/a/n"),
    read("/t"),
    read("/big"),
    read("/a"),
    read("/toString"),
    read("/no/n"),
  ]).toEqual([5, 12, undefined, undefined, undefined, undefined]);
});
