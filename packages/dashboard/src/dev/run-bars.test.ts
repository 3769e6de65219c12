import { expect, test } from "vitest";
import { layOutRun } from "./run-bars.ts";

const answer = { isGood: true, asked: undefined, answered: undefined };

test("calls, saves and lines of a run are in the order of their time, as shares of the run", () => {
  const bars = layOutRun({
    ranMs: 200,
    calls: [
      { ...answer, call: "GET /a", status: 200, startedMs: 50, tookMs: 50 },
      { ...answer, call: "GET /b", status: 404, isGood: false, startedMs: 150, tookMs: 100 },
    ],
    saves: [{ change: "saved", model: "Contact", count: 2, atMs: 120 }],
    log: [
      { level: "info", message: "begins", atMs: 0 },
      { level: "warn", message: "slow", atMs: 200 },
    ],
  });

  expect(
    bars.map(({ id, kind, from, to, answer: status }) => [id, kind, from, to, status]),
  ).toEqual([
    ["log 0", "own", 0, 0, undefined],
    ["call 0", "call", 0.25, 0.5, "200"],
    ["save 0", "saved", 0.6, 0.6, undefined],
    ["call 1", "failed", 0.75, 1, "404"],
    ["log 1", "retry", 1, 1, undefined],
  ]);
});

test("a run that took no time has its bars at its end", () => {
  const log = [{ level: "error", message: "no", atMs: 3 }] as const;

  const [bar] = layOutRun({ ranMs: 0, calls: [], saves: [], log });

  expect(bar).toMatchObject({ kind: "failed", from: 1, to: 1 });
});
