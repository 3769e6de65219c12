import { expect, test } from "vitest";
import { runThroughKills, WRITES } from "./killed-scripts.ts";

const all = Array.from({ length: WRITES }, (_, n) => n);

test("a script continues when the server was killed, and writes nothing twice", async () => {
  const { notes, value, kills } = await runThroughKills([
    { write: 2, moment: "before" },
    { write: 9, moment: "arrived" },
  ]);

  expect(kills).toBe(2);
  expect(value).toBe("finished");
  expect(notes).toEqual(all);
}, 120_000);
