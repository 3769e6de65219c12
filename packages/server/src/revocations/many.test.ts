import { test } from "vitest";
import { revokeMany } from "./testing/revoke-many.ts";

test("thousands of connections are frozen before the answer, and reported page by page within a bound of memory", async () => {
  await revokeMany({ count: 2000, mostHeapBytes: 12 * 1024 * 1024 });
}, 240_000);
