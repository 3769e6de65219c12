import { once } from "node:events";
import { expect, test } from "vitest";
import { killLaunched, startIn } from "./launch.ts";

test("what a wrapper has started ends with it, also when it is not tied to the wrapper yet", async (context) => {
  if (process.platform === "win32") context.skip("not run: Windows has no process groups");
  const cell = {
    program: "sleep",
    files: [],
    descriptors: [],
    wrap: () => ["/bin/sh", "-c", '"$@" & echo started >&2; wait', "sh"],
  };
  const child = startIn({}, cell, ["600"]);
  const closed = once(child, "close");
  if (child.stderr !== null) await once(child.stderr, "data");

  killLaunched(child);
  child.stdio[3]?.destroy();

  // It would hold the pipe of stderr open for ten minutes.
  await closed;
  expect(child.signalCode).toBe("SIGKILL");
});
