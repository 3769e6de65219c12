import { test } from "vitest";
import { revokeMany } from "../../packages/server/src/revocations/testing/revoke-many.ts";

test("O14: 10,000 connections are frozen before the answer, and reported within a bound of memory", async () => {
  await revokeMany({ count: 10_000, mostHeapBytes: 60 * 1024 * 1024 });
});
