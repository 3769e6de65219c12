import { expect, test } from "vitest";
import { NoConnection } from "../db/index.ts";
import { presentError } from "./answers/present-error.ts";

test("a caller that finds no connection to the database is asked to come back", () => {
  const surroundings = { errorId: "1", route: undefined, settings: { bodyLimitBytes: 1 } };

  expect(presentError(new NoConnection(), surroundings)).toMatchObject({
    status: 503,
    headers: { "Retry-After": "2" },
    body: { error: { code: "overloaded" } },
    unexpected: false,
  });
});
