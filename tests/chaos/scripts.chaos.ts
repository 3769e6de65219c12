import { expect, test } from "vitest";
import { runThroughKills, WRITES } from "../agents/code/killed-scripts.ts";

const all = Array.from({ length: WRITES }, (_, n) => n);

test("T9: a script of 20 writes, the server killed at each of them, writes nothing twice", async () => {
  const points = all.map((write) => ({ write, moment: "arrived" as const }));

  const { notes, value, kills } = await runThroughKills(points);

  process.stdout.write(`T9: ${kills} kills, ${notes.length} writes of ${WRITES}\n`);
  expect(kills).toBe(WRITES);
  expect(value).toBe("finished");
  expect(notes).toEqual(all);
}, 600_000);
