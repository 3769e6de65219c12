import { test } from "vitest";

test("needs a program that is missing", (context) => {
  context.skip();
});
