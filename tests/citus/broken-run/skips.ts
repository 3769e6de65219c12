import { test } from "vitest";

// For a run within a test: where something was skipped, an exception that nothing needs is reported, and does not fail it.
test("needs a program that is missing", (context) => {
  context.skip();
});
