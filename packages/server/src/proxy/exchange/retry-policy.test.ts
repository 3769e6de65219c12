import { expect, test } from "vitest";
import { AppError } from "#foundation";
import { isRetryableAnswer, isRetryableFailure, nextWaitMs } from "./retry-policy.ts";

test.each([
  [200, [], undefined, false],
  [304, [], undefined, false],
  [400, [], undefined, false],
  [401, [], undefined, true],
  [403, [], undefined, false],
  [404, [404], undefined, true],
  [429, [], undefined, true],
  [500, [], undefined, true],
  [599, [], undefined, true],
  [500, [], ["429"], false],
  [429, [], ["429"], true],
  [503, [], ["5xx"], true],
  [401, [], ["5xx"], false],
  [401, [401], ["5xx"], true],
])(
  "status %i with Retry-On %j and the provider's list %j: %s",
  (status, retryOn, statuses, expected) => {
    expect(isRetryableAnswer(status, [], { retryOn, listed: statuses })).toBe(expected);
  },
);

test("an empty quota is worth a retry only where the call names its header", () => {
  const named = { retryOn: [], retryHeader: { remaining_header: "x-left" } };

  expect(isRetryableAnswer(403, ["X-Left", "0"], named)).toBe(true);
  expect(isRetryableAnswer(403, ["X-Left", "1"], named)).toBe(false);
  expect(isRetryableAnswer(200, ["X-Left", "0"], named)).toBe(false);
  expect(isRetryableAnswer(404, ["X-Left", "0"], { retryOn: [], listed: ["429"] })).toBe(false);
});

const now = new Date("2026-05-01T12:00:00.000Z");

test("waits 3 s, doubling, at most 10 minutes", () => {
  const waits = [1, 2, 3, 8, 9, 10].map((next) =>
    nextWaitMs(next, { headers: [] }, undefined, now),
  );

  expect(waits).toEqual([3000, 6000, 12_000, 384_000, 600_000, 600_000]);
});

test.each([
  ["5", 5000],
  ["0", 0],
  ["-1", 3000],
  ["soon", 3000],
  ["", 3000],
  ["1.5", 1500],
  ["1000000000", 600_000],
  ["Fri, 01 May 2026 12:00:07 GMT", 7000],
  ["Fri, 01 May 2026 11:00:00 GMT", 0],
])("Retry-After: %s waits %i ms", (value, ms) => {
  expect(nextWaitMs(1, { headers: ["Retry-After", value] }, undefined, now)).toBe(ms);
});

test.each([
  [["x-reset", "20"], 20_000],
  [["x-reset", "1777636830"], 30_000],
  [["x-reset", "1777636830000"], 30_000],
  [["x-reset", "1777636830", "retry-after", "40"], 40_000],
  [["x-reset", "1777636830", "x-left", "12"], 3000],
  [["x-reset", "1777636830", "x-left", "0"], 30_000],
])("the provider's own headers %j wait %i ms", (headers, ms) => {
  const hints = { at_header: "x-reset", remaining_header: "x-left" };

  expect(nextWaitMs(1, { headers }, hints, now)).toBe(ms);
});

test.each([
  [{ wait: 7 }, [], "after", 7000],
  [{ wait: "30.5s" }, [], "after", 30_500],
  [{ wait: "retry after 9 seconds" }, [], "after", 9000],
  [{ wait: 1777636830 }, [], "at", 30_000],
  [{ wait: 7 }, ["retry-after", "2"], "after", 2000],
  [{ wait: "soon" }, [], "after", 3000],
  [{ other: 7 }, [], "after", 3000],
  [undefined, [], "after", 3000],
] as const)(
  "the body %j with the headers %j, read as %s, waits %i ms",
  (body, headers, strategy, ms) => {
    const hints = { in_body: { path: "wait", strategy } };

    expect(nextWaitMs(1, { headers, body }, hints, now)).toBe(ms);
  },
);

test("a server whose circuit is open is not asked again", () => {
  expect(isRetryableFailure(new AppError("upstream_circuit_open"))).toBe(false);
});

test.each([
  ["ECONNRESET", true],
  ["ECONNREFUSED", true],
  ["EAI_AGAIN", true],
  ["UND_ERR_SOCKET", false],
  ["ENOTFOUND", false],
  ["CERT_HAS_EXPIRED", false],
  ["UND_ERR_HEADERS_TIMEOUT", false],
])("a failure with %s: %s", (code, expected) => {
  const failure = Object.assign(new Error("x"), { code });

  expect(isRetryableFailure(failure)).toBe(expected);
  expect(isRetryableFailure(new Error("wrapped", { cause: failure }))).toBe(expected);
  expect(isRetryableFailure(new AggregateError([new Error("y"), failure]))).toBe(expected);
});
