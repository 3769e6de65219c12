import assert from "node:assert";
import { expect, test } from "vitest";
import { makeDataFolder } from "./data-folder.ts";
import { StartFailure, startPlatformProcess } from "./platform-process.ts";

test("a start that gets no turn on a busy machine ends with what to do, and without a stack", async () => {
  await using folder = await makeDataFolder();

  const failure = await startPlatformProcess({ dataDir: folder.path, readyWithinMs: 1 }).catch(
    (error: unknown) => error,
  );

  assert(failure instanceof StartFailure);
  const { message } = failure;
  expect(message).toMatch(/not ready after 0\.001 s\. This machine may be too busy.*try again/s);
  expect(message).not.toMatch(/^ +at /m);
});

test("a start logs no warning of Node or a library", async () => {
  await using folder = await makeDataFolder();

  const platform = await startPlatformProcess({ dataDir: folder.path });
  await platform.stop();

  expect(platform.output).not.toMatch(/process\.warning|Warning:/);
});
