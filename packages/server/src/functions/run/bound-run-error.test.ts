import { expect, test } from "vitest";
import { boundRunError } from "./bound-run-error.ts";

test("a failure that a function forged is cut in every part, and says so", () => {
  const long = "x".repeat(3_000_000);
  const many = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`h${index}`, long]),
  );

  const error = boundRunError({
    type: long,
    message: long,
    stack: `${long}\n`.repeat(3),
    payload: { list: Array.from({ length: 100_000 }, () => ({ a: "-eyJ" })) },
    upstream: { status: 500, headers: many, body: long },
  });

  expect(JSON.stringify(error).length).toBeLessThan(1_200_000);
  expect(error.type.length).toBe(100);
  expect(error.message).toMatch(/^x+… \[\d+ characters cut\]$/);
  expect(error.stack?.length).toBe(20_000);
  expect(JSON.stringify(error.payload)).toMatch(/items cut\]/);
  expect(error.upstream?.body).toMatch(/characters cut\]$/);
});

test("an ordinary failure stays as it is", () => {
  const error = {
    type: "script_http_error",
    message: "Request failed with status code 422",
    stack: "Error: no\n  at run (sync.ts:3:4)",
    payload: { code: 7, list: ["a", null, true, 1.5] },
    upstream: { status: 422, headers: { "content-type": "application/json" }, body: { a: 1 } },
  };

  expect(boundRunError(error)).toEqual(error);
});
