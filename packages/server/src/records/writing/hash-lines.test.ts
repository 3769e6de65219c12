import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { HASH_BYTES, hashLines } from "./hash-lines.ts";

test("each line gets its HMAC-SHA256, cut, regardless of its length", () => {
  const key = randomBytes(32);
  const lines = [1, 55, 1000, 16 * 1024, 16 * 1024 + 1].map((size) => randomBytes(size));

  const hashes = hashLines(key, lines);

  const expected = lines.map((line) =>
    createHmac("sha256", key).update(line).digest().subarray(0, HASH_BYTES),
  );
  expect(hashes.toString("hex")).toBe(Buffer.concat(expected).toString("hex"));
});
