import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#foundation";
import { addInterval, awayMs, findQuietMs, newRhythm } from "./rhythm.ts";

const START = 1_760_000_000_000 - (1_760_000_000_000 % (28 * DAY));

/** The rhythm of webhooks at these times after the start. */
function rhythmOf(timesMs: readonly number[]) {
  const rhythm = newRhythm();
  const [first = 0] = timesMs;
  let last = first;
  for (const at of timesMs.slice(1)) {
    addInterval(rhythm, at - last, START + at);
    last = at;
  }
  return { rhythm, quietMs: findQuietMs(rhythm, { firstMs: first, lastMs: last }) };
}

const every = (ms: number, days: number) =>
  Array.from({ length: Math.floor((days * DAY) / ms) + 1 }, (_, n) => n * ms);
const onWorkdays = (times: readonly number[]) =>
  times.filter((at) => Math.floor(at / DAY) % 7 < 5 && at % DAY < 9 * HOUR);

test.each([
  ["every 10 minutes", every(10 * MINUTE, 15), 1, 2],
  ["every hour", every(HOUR, 20), 3, 4],
  ["every day", every(DAY, 25), 72, 73],
  ["every 10 minutes of office hours", onWorkdays(every(10 * MINUTE, 21)), 90, 120],
] as const)("webhooks %s are missed after hours that fit", (_name, times, least, most) => {
  const { quietMs = 0 } = rhythmOf(times);

  expect(quietMs / HOUR).toBeGreaterThanOrEqual(least);
  expect(quietMs / HOUR).toBeLessThanOrEqual(most);
});

test.each([
  ["for 13 days", every(HOUR, 13)],
  ["19 times in a month", every(36 * HOUR, 28).slice(0, 20)],
  ["in two bursts", [...every(1000, 0.1), ...every(1000, 0.1).map((at) => at + 20 * DAY)]],
])("of webhooks that came %s nothing is expected", (_name, times) => {
  expect(rhythmOf(times).quietMs).toBeUndefined();
});

test("a holiday is known for four to eight weeks, and forgotten then", () => {
  const before = every(HOUR, 20);
  const after = (days: number) => every(HOUR, days).map((at) => at + 30 * DAY);

  const soon = rhythmOf([...before, ...after(10)]);
  const late = rhythmOf([...before, ...after(60)]);

  expect(soon.quietMs).toBe(15 * DAY);
  expect(late.quietMs).toBeLessThan(5 * HOUR);
});

test("a rhythm of millions of webhooks stays small", () => {
  const { rhythm } = rhythmOf(every(2 * MINUTE, 100));

  expect(rhythm.count).toBeLessThanOrEqual(1000);
  expect(rhythm.sizes.length).toBeLessThanOrEqual(24);
});

test("what the server was down of a time is summed up", () => {
  const gaps = [
    { beganMs: 0, endedMs: 10 },
    { beganMs: 50, endedMs: 100 },
  ];

  expect([awayMs(gaps, 5, 60), awayMs(gaps, 10, 50), awayMs(gaps, 200, 300)]).toEqual([15, 0, 0]);
});
