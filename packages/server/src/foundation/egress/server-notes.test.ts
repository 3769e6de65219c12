import { expect, test } from "vitest";
import { createServerNotes, readClockAhead } from "./server-notes.ts";

const receivedAt = Date.UTC(2026, 0, 2, 12, 0, 0);
const dateOf = (aheadMs: number) => new Date(receivedAt + aheadMs).toUTCString();

test("a server's note is by origin, keeps what a change does not name, and ends when it says nothing", () => {
  const notes = createServerNotes();

  notes.note("https://a.example/token", { clockAheadMs: 7000 });
  notes.note("https://a.example/api", { dpopNonces: { token: "n1" } });
  const both = notes.find("https://a.example/other");
  notes.note("https://b.example/", { clockAheadMs: 9000 });
  notes.note("https://b.example/", { clockAheadMs: 0 });

  expect(both).toEqual({ clockAheadMs: 7000, dpopNonces: { token: "n1" } });
  expect(notes.find("https://b.example/")).toEqual({ clockAheadMs: 0, dpopNonces: {} });
  expect(notes.find("https://c.example/")).toEqual({ clockAheadMs: 0, dpopNonces: {} });
});

test.each([
  // Half a second is added, since a Date has whole seconds.
  ["10 s ahead", { date: dateOf(10_000) }, 10_500],
  ["10 s behind", { date: dateOf(-10_000) }, -9500],
  ["4 s ahead, which may be the way", { date: dateOf(4000) }, 0],
  ["5 s ahead", { date: dateOf(5000) }, 5500],
  ["a day ahead and more", { date: dateOf(24 * 60 * 60 * 1000) }, undefined],
  ["an answer of a cache", { date: dateOf(10_000), age: "3" }, undefined],
  ["a fresh answer of a cache", { date: dateOf(10_000), age: " 0 " }, 10_500],
  ["no HTTP date", { date: "2026-01-02T12:00:10Z" }, undefined],
  ["no date", {}, undefined],
])("the clock of a server by its answer: %s", (_name, answer, aheadMs) => {
  expect(readClockAhead(answer, receivedAt)).toBe(aheadMs);
});
