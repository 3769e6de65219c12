import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { spendCpu } from "#foundation/testing";
import { createLogger, readLoopDelays, watchLoop } from "./index.ts";

test("a blocked event loop is reported with the routes that were served, and counted", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "loop-watch-")), "log");
  const before = readLoopDelays().count;
  using _watch = watchLoop({ log: createLogger("warn", file), inProgress: () => ["POST /things"] });

  await delay(150);
  spendCpu(500);
  await delay(150);

  const lines = (await readFile(file, "utf8")).trim().split("\n");
  // A busy machine delays the loop as well.
  const delays = lines.map((line) => JSON.parse(line));
  const own = delays.find(({ cpuMs }) => cpuMs > 250);
  expect(own).toMatchObject({ msg: "event_loop.delayed", routes: ["POST /things"] });
  expect(own.delayMs).toBeGreaterThan(250);
  expect(readLoopDelays().count).toBeGreaterThan(before);
  expect(readLoopDelays().longestMs).toBeGreaterThanOrEqual(own.delayMs);
});
