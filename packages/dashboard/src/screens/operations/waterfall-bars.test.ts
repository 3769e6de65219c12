import { expect, test } from "vitest";
import type { Operation, OperationMessage } from "../../data/operations.ts";
import { layOutCalls } from "./waterfall-bars.ts";

const operation: Operation = Object({
  id: "o",
  created_at: "2026-01-01T00:00:00.000Z",
  started_at: "2026-01-01T00:00:00.100Z",
  ended_at: "2026-01-01T00:00:01.000Z",
});

function call(more: object): OperationMessage {
  return Object({
    id: "m",
    type: "http",
    message: "GET /x",
    error: null,
    request: { method: "GET", url: "https://api.example.com/x?after=1" },
    response: { code: 200 },
    created_at: "2026-01-01T00:00:00.500Z",
    ended_at: "2026-01-01T00:00:00.500Z",
    duration_ms: 300,
    ...more,
  });
}

test("the wait and each call stand on one time line, where they began", () => {
  const { bars, milliseconds } = layOutCalls(operation, [call({})]);

  expect(milliseconds).toBe(1000);
  expect(bars).toEqual([
    { id: "o", name: "", part: "queue", from: 0, to: 0.1, milliseconds: 100, kind: "wait" },
    {
      id: "m",
      name: "GET /x?after=1",
      answer: "200",
      from: 0.2,
      to: 0.5,
      milliseconds: 300,
      kind: "call",
    },
  ]);
});

test.each([
  [{ response: { code: 500 } }, "failed"],
  [{ response: null, error: { type: "upstream_timeout" } }, "failed"],
  [{ response: { code: 304 } }, "call"],
])("%j is %s", (more, kind) => {
  const { bars } = layOutCalls({ ...operation, started_at: null }, [call(more)]);

  expect(bars.map((bar) => bar.kind)).toEqual([kind]);
});

test("texts are no calls, and an operation without an end has a time line", () => {
  const running = { ...operation, started_at: null, ended_at: null };

  expect(layOutCalls(running, [call({ type: "log" })])).toEqual({ bars: [], milliseconds: 1 });
});

test("a proxy request has a bar for each part of its time, one after the other", () => {
  const timing = { credentials_ms: 0, wait_ms: 200, upstream_ms: 600, other_ms: 100 };

  const { bars } = layOutCalls({ ...operation, timing }, []);

  expect(bars.map(({ part, kind, from, to }) => [part, kind, from, to])).toEqual([
    ["queue", "wait", 0, 0.1],
    ["wait", "wait", 0.1, 0.3],
    ["upstream", "call", 0.3, 0.9],
    ["other", "own", 0.9, 1],
  ]);
});

test("the share of a call that waited for the provider's rate limit is marked", () => {
  const timing = { credentials_ms: 0, wait_ms: 100, upstream_ms: 190, other_ms: 10 };

  const { bars } = layOutCalls({ ...operation, started_at: null }, [call({ timing })]);

  expect(bars).toMatchObject([{ timing, held: 0.1 }]);
});

test("the run of a function is a bar, and an attempt that failed is one for the pause after it", () => {
  const run = { ...operation, started_at: null, function: { id: 1, name: "contacts" } };
  const retry = { attempt: 1, waited_ms: 200 };
  const attempt = call({ id: "r", message: "Attempt 1 was answered with 429", retry });

  const { bars } = layOutCalls({ ...run, started_at: "2026-01-01T00:00:00.100Z" }, [attempt]);

  expect(
    bars.map(({ kind, part, name, milliseconds }) => [kind, part ?? name, milliseconds]),
  ).toEqual([
    ["wait", "queue", 100],
    ["own", "function", 900],
    ["retry", "Attempt 1 was answered with 429", 200],
  ]);
  expect(bars[2]).toMatchObject({ from: 0.5, to: 0.7, answer: "200" });
  expect(layOutCalls({ ...run, ended_at: null }, []).bars).toEqual([]);
});

const phases = {
  queue_ms: 1000,
  before_ms: 50,
  process_wait_ms: 0,
  process_start_ms: 150,
  is_cold: true,
  function_ms: 700,
  saves: { count: 3, after_ms: 100, busy_ms: 200 },
};

test("a run has a bar for each phase, the wait in the queue before its creation", () => {
  const run = { ...operation, started_at: operation.created_at, function: { id: 1, name: "x" } };

  const { bars, milliseconds } = layOutCalls({ ...run, phases }, [call({})]);

  expect(milliseconds).toBe(2000);
  expect(bars.map(({ part, kind, from, to }) => [part, kind, from, to])).toEqual([
    ["queue", "wait", 0, 0.5],
    ["before", "own", 0.5, 0.525],
    ["cold", "own", 0.525, 0.6],
    ["function", "own", 0.6, 0.95],
    ["saves", "own", 0.65, 0.75],
    [undefined, "call", 0.6, 0.75],
  ]);
  expect(bars[4]).toMatchObject({ saves: 3 });
});

test("a warm process that was ready at once, and a function that never began, have no bars of their own", () => {
  const run = { ...operation, started_at: operation.created_at, function: { id: 1, name: "x" } };
  const warm = { ...phases, process_start_ms: 4, is_cold: false, saves: null };
  const never = { ...warm, process_wait_ms: 80, process_start_ms: null, function_ms: null };

  const partsOf = (given: typeof warm | typeof never) =>
    layOutCalls({ ...run, phases: Object(given) }, []).bars.map(({ part }) => part);

  expect(partsOf(warm)).toEqual(["queue", "before", "warm", "function"]);
  expect(partsOf(never)).toEqual(["queue", "before", "process"]);
});
