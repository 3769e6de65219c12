import { expect, test } from "vitest";
import { MINUTE } from "./clock.ts";
import { WindowCounts } from "./rate-window.ts";

test("each owner has so many in a minute of the clock, and as many in the next", () => {
  let now = 10 * MINUTE;
  const clock = { now: () => new Date(now) };
  const counts = new WindowCounts();
  const admit = (owner: string) => counts.admit(owner, { clock, most: 2 });

  const first = [admit("a"), admit("a"), admit("a"), admit("b")];
  now += MINUTE - 1;
  const stillFull = admit("a");
  now += 1;
  const next = [admit("a"), admit("a"), admit("a")];

  expect(first).toEqual([true, true, false, true]);
  expect(stillFull).toBe(false);
  expect(next).toEqual([true, true, false]);
});
