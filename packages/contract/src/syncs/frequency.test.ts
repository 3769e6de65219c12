import { expect, test } from "vitest";
import { MIN_FREQUENCY_MS, parseFrequency } from "./frequency.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test.each([
  ["every 1 minute", MINUTE, "1 minute"],
  ["every minute", MINUTE, "minute"],
  ["every hour", 60 * MINUTE, "1h"],
  ["every 2 days", 2 * DAY, "2 days"],
  ["every 3 week", 21 * DAY, "3 week"],
  ["every week", 7 * DAY, "1w"],
  ["every month", 30 * DAY, "30d"],
  ["every half day", DAY / 2, "12h"],
  ["half hour", 30 * MINUTE, "30m"],
  ["every quarter hour", 15 * MINUTE, "15m"],
  ["every day", DAY, "1d"],
  ["every 30s", 30_000, "30s"],
  ["every 45 secs", 45_000, "45 secs"],
  ["5 mins", 5 * MINUTE, "5 mins"],
  ["12hr", 12 * 60 * MINUTE, "12hr"],
  ["Every  6  Hours", 6 * 60 * MINUTE, "6 hours"],
])("reads %s", (text, ms, stored) => {
  expect(parseFrequency(text)).toEqual({ ms, stored });
});

test("a stored form reads as the same time", () => {
  for (const text of ["every half day", "every week", "every month", "every 3 week"]) {
    const frequency = parseFrequency(text);
    expect(parseFrequency(frequency?.stored ?? "")).toEqual(frequency);
  }
});

test.each([
  "",
  "every",
  "often",
  "every 1.5 hours",
  "-1 hour",
  "1 hour 5 minutes",
  "0x10 s",
  "every 1 fortnight",
])("refuses %j", (text) => {
  expect(parseFrequency(text)).toBeUndefined();
});

test("leaves the minimum to the caller", () => {
  expect(parseFrequency("every 10 seconds")?.ms).toBeLessThan(MIN_FREQUENCY_MS);
});
