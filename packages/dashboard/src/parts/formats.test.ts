import { expect, onTestFinished, test } from "vitest";
import { setZone } from "./clock/zone.ts";
import {
  formatBytes,
  formatDate,
  formatMoment,
  formatShortDay,
  formatSpan,
  formatTime,
  plainText,
  shortenId,
  withLocalTimes,
  zoneOf,
} from "./formats.ts";

test.each([
  [0, "0 ms"],
  [212, "212 ms"],
  [1900, "1.9 s"],
  [12_400, "12 s"],
  [200_000, "3 min 20 s"],
  [7_500_000, "2 h 5 min"],
  [86_400_000, "1 d"],
  [273_600_000, "3 d 4 h"],
])("%d ms is written %s", (milliseconds, text) => {
  expect(formatSpan(milliseconds)).toBe(text);
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1500, "1.5 kB"],
  [16_800_000, "16.8 MB"],
  [270_600_000_000, "270.6 GB"],
  [5e15, "5,000 TB"],
])("%d bytes are written %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("marks that cannot be seen are shown, and long texts are cut", () => {
  expect(plainText("abc\u202egnp.exe")).toBe("abc⟨U+202E⟩gnp.exe");
  expect(plainText("x".repeat(300))).toHaveLength(201);
});

test("a text that is written from right to left is isolated, once, and nothing else is", () => {
  expect(plainText("שלום-1")).toBe("\u2068שלום-1\u2069");
  expect(plainText("عميل")).toBe("\u2068عميل\u2069");
  expect(plainText("שלום\u2069")).toBe("\u2068שלום⟨U+2069⟩\u2069");
  expect(plainText("שלום שלום", 4)).toBe("\u2068שלום…\u2069");
  expect(plainText("Łódź 東京 Ωμέγα")).toBe("Łódź 東京 Ωμέγα");
});

test("a day without a time is the same day everywhere", () => {
  expect(formatDate("2026-11-28")).toBe("28 Nov 2026");
});

test("an id is cut in its middle", () => {
  expect(shortenId("0ece6fd6-734f-4021-955d-2eaab852a105")).toBe("0ece6fd6-…ab852a105");
  expect(shortenId("short")).toBe("short");
});

test("times have milliseconds, of another day too", () => {
  const now = new Date(2026, 10, 30, 12);
  const today = new Date(2026, 10, 30, 9, 8, 7, 6);
  const before = new Date(2026, 10, 28, 9, 8, 7, 6);

  expect(formatTime(today.toISOString(), now)).toBe("09:08:07.006");
  expect(formatTime(before.toISOString(), now)).toBe("28 Nov 09:08:07.006");
});

test("in UTC, times and days are those of UTC and say so", () => {
  const now = new Date("2026-01-01T00:30:00Z");
  setZone("UTC");
  onTestFinished(() => setZone("local"));

  expect(formatTime("2026-01-01T00:10:00.123Z", now)).toBe("00:10:00.123Z");
  expect(formatTime("2025-12-31T23:50:00.123Z", now)).toBe("31 Dec 23:50:00.123Z");
  expect(formatMoment("2025-12-31T23:50:00.123Z")).toBe("31 Dec 23:50:00Z");
  expect(formatShortDay("2026-01-02T03:04:00Z", now)).toBe("2 Jan 03:04Z");
  expect(formatShortDay("2025-12-31T23:50:00Z", now)).toBe("31 Dec 2025");
  expect(zoneOf(undefined)).toBe("UTC");
});

test("times within a sentence of the server are those of the reader's clock", () => {
  const at = "2026-01-31T12:00:00.123Z";

  expect(withLocalTimes(`Nothing since ${at}. Again at ${at}.`)).toBe(
    `Nothing since ${formatMoment(at)}. Again at ${formatMoment(at)}.`,
  );
  expect(withLocalTimes("Nothing on 2026-01-31.")).toBe("Nothing on 2026-01-31.");
});
