import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { matchesGlob } from "node:path";
import { expect, test } from "vitest";
import { alone } from "../vitest.config.ts";

const measures = /cpuMsOf|costOf|cpuUsage|memoryUsage|monitorEventLoopDelay/;

test("a test that measures its process has one of its own", async () => {
  const shared: string[] = [];
  let measured = 0;
  for await (const path of glob(["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"])) {
    if (path === "tests/measured-alone.test.ts") continue;
    if (!measures.test(readFileSync(path, "utf8"))) continue;
    measured += 1;
    if (!alone.some((pattern) => matchesGlob(path, pattern))) shared.push(path);
  }

  expect(shared).toEqual([]);
  expect(measured).toBeGreaterThan(10);
});
