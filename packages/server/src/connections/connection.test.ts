import { expect, test } from "vitest";
import { addMs, MINUTE, SECOND } from "#foundation";
import { isRefreshDue, isUsable, nextAttemptAt } from "./connection.ts";
import { REFRESH_MARGIN_MS, refreshIdleMs, refreshMarginMs } from "./renewal-times.ts";

const now = new Date("2026-01-01T00:00:00Z");

function issued(lifeMs: number, ageMs: number) {
  const credentialsIssuedAt = addMs(now, -ageMs);
  return { credentialsIssuedAt, credentialsExpireAt: addMs(credentialsIssuedAt, lifeMs) };
}

test("a token is used up to 30 seconds before its end, in case the provider's clock is ahead", () => {
  expect(isUsable(issued(60 * MINUTE, 59 * MINUTE), now)).toBe(true);
  expect(isUsable(issued(60 * MINUTE, 60 * MINUTE - 29 * SECOND), now)).toBe(false);
});

test("a short life is cut by a tenth at most", () => {
  expect(isUsable(issued(60 * SECOND, 53 * SECOND), now)).toBe(true);
  expect(isUsable(issued(60 * SECOND, 55 * SECOND), now)).toBe(false);
});

test("an end that the customer gave is taken as given", () => {
  const credentialsExpireAt = addMs(now, 10 * SECOND);
  expect(isUsable({ credentialsIssuedAt: undefined, credentialsExpireAt }, now)).toBe(true);
});

test("a refresh is due 15 minutes before the end", () => {
  const isDue = (lifeMs: number, ageMs: number, marginMs = REFRESH_MARGIN_MS) =>
    isRefreshDue({ ...issued(lifeMs, ageMs), credentialVersion: 2 }, now, marginMs);

  expect(isDue(60 * MINUTE, 44 * MINUTE)).toBe(false);
  expect(isDue(60 * MINUTE, 45 * MINUTE)).toBe(true);
  expect(isDue(60 * MINUTE, 54 * MINUTE, 5 * MINUTE)).toBe(false);
  expect(isDue(60 * MINUTE, 55 * MINUTE, 5 * MINUTE)).toBe(true);
});

test("after a refresh, a token of a short life is used for half of it, 30 seconds at least; the first is not", () => {
  const isDue = (lifeMs: number, ageMs: number, credentialVersion: number) =>
    isRefreshDue({ ...issued(lifeMs, ageMs), credentialVersion }, now, REFRESH_MARGIN_MS);

  expect(isDue(10 * MINUTE, 1 * SECOND, 1)).toBe(true);
  expect(isDue(10 * MINUTE, 299 * SECOND, 2)).toBe(false);
  expect(isDue(10 * MINUTE, 300 * SECOND, 2)).toBe(true);
  expect(isDue(40 * SECOND, 29 * SECOND, 2)).toBe(false);
  expect(isDue(40 * SECOND, 30 * SECOND, 2)).toBe(true);
  expect(isDue(20 * SECOND, 19 * SECOND, 2)).toBe(true);
  expect(isDue(30 * MINUTE, 14 * MINUTE, 1)).toBe(false);
});

test("an entry may want its tokens renewed later, or its idle ones more often", () => {
  const settings = { refreshIdleMs: 7 };
  const idleOf = (provider: string) => refreshIdleMs(Object({ settings }), { provider });

  expect(refreshMarginMs({ provider: "exact-online" })).toBe(30 * SECOND);
  expect(refreshMarginMs({ provider: "oauth2-generic" })).toBe(15 * MINUTE);
  expect(idleOf("oauth2-generic")).toBe(7);
});

test("the back-off doubles from 30 seconds to 10 minutes, and a provider may ask for an hour", () => {
  const waits = [0, 1, 2, 3, 4, 5, 9].map((failures) => {
    return nextAttemptAt(now, { failures, retryAfterMs: undefined }).getTime() - now.getTime();
  });
  const asked = nextAttemptAt(now, { failures: 0, retryAfterMs: 90 * MINUTE });

  expect(waits.map((ms) => ms / SECOND)).toEqual([30, 60, 120, 240, 480, 600, 600]);
  expect(asked).toEqual(addMs(now, 60 * MINUTE));
});
