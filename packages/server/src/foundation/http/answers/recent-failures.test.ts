import { expect, test } from "vitest";
import { RecentFailures } from "./recent-failures.ts";

test("the last twenty failures are kept, the newest first", () => {
  const failures = new RecentFailures();
  const at = new Date();

  for (let n = 1; n <= 25; n += 1) failures.add({ id: String(n), method: "GET", route: "/x", at });

  const ids = failures.list().map(({ id }) => Number(id));
  expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => 25 - index));
});
