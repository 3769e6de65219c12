import { expect, test } from "vitest";
import { toFunnel } from "./funnel.ts";

test("each step says how many left before it, as a part of the step before", () => {
  const rows = toFunnel({ sessions: 20, opened: 16, chosen: 8, started: 8, completed: 2 });

  expect(rows).toEqual([
    { step: "sessions", reached: 20, lost: 0, lostShare: 0 },
    { step: "opened", reached: 16, lost: 4, lostShare: 0.2 },
    { step: "chosen", reached: 8, lost: 8, lostShare: 0.5 },
    { step: "started", reached: 8, lost: 0, lostShare: 0 },
    { step: "completed", reached: 2, lost: 6, lostShare: 0.75 },
  ]);
});

test("sessions created before they were counted lose nobody", () => {
  const rows = toFunnel({ sessions: 0, opened: 0, chosen: 1, started: 1, completed: 1 });

  expect(rows.map(({ lost }) => lost)).toEqual([0, 0, 0, 0, 0]);
});
