import { createSecretKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { runIn, startDecryptThread } from "./decrypt-many.ts";
import { decryptMany, encrypt } from "./index.ts";
import { toJob } from "./sealed-texts.ts";

const key = createSecretKey(randomBytes(32));

// 400 of 1 KB go to a thread, where there is a second core.
function sealTexts(plain: readonly Buffer[]) {
  const rests = plain.map((_, index) => `row ${index}`);
  const sealed = plain.map((text, index) => encrypt(key, `records/${rests[index]}`, text));
  return { key, beginning: "records/", rests, sealed };
}

const shapes = { few: [3, 1000], many: [400, 1000], large: [80, 20_000] } as const;

test.for(Object.entries(shapes))("%s texts come back in their order", async ([, shape]) => {
  const [count, bytes] = shape;
  const plain = Array.from({ length: count }, (_, index) => randomBytes(bytes + index));

  const [first, second] = await Promise.all([
    decryptMany(sealTexts(plain)),
    decryptMany(sealTexts(plain.toReversed())),
  ]);

  expect(Buffer.concat(first).equals(Buffer.concat(plain))).toBe(true);
  expect(second.map(({ byteLength }) => byteLength).toReversed()).toEqual(
    plain.map(({ byteLength }) => byteLength),
  );
});

test("a thread opens texts itself, and answers nothing for what does not open", async () => {
  const plain = [randomBytes(10), randomBytes(1000)];
  const texts = sealTexts(plain);
  const thread = startDecryptThread(() => {});

  const answers = await Promise.all([
    runIn(thread, toJob(texts)),
    runIn(thread, toJob({ ...texts, beginning: "others/" })),
  ]);

  expect(Buffer.from(answers[0] ?? []).equals(Buffer.concat(plain))).toBe(true);
  expect(answers[1]).toBeUndefined();
  expect(thread.waiting).toBe(0);
});

test("a text with other associated data fails them all, and the next texts still open", async () => {
  const texts = sealTexts(Array.from({ length: 400 }, () => randomBytes(1000)));
  const moved = { ...texts, rests: texts.rests.with(399, "row 398") };

  await expect(decryptMany(moved)).rejects.toThrow();
  await expect(decryptMany(texts)).resolves.toHaveLength(400);
});
