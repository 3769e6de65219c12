import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLogger, readLoopDelays, watchLoop } from "./index.ts";

test("a blocked event loop is reported with the routes that were served, and counted", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "loop-watch-")), "log");
  const before = readLoopDelays().count;
  using _watch = watchLoop({ log: createLogger("warn", file), inProgress: () => ["POST /things"] });

  await delay(150);
  block(500);
  await delay(150);

  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const [first] = lines.map((line) => JSON.parse(line));
  expect(first).toMatchObject({ msg: "event_loop.delayed", routes: ["POST /things"] });
  expect(first.delayMs).toBeGreaterThan(250);
  expect(first.cpuMs).toBeGreaterThan(100);
  expect(readLoopDelays().count).toBeGreaterThan(before);
  expect(readLoopDelays().longestMs).toBeGreaterThanOrEqual(first.delayMs);
});

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
