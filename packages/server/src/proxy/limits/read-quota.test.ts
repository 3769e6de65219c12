import { expect, test } from "vitest";
import { isAboutQuota } from "./is-about-quota.ts";
import { readQuota } from "./read-quota.ts";

const now = new Date("2026-01-01T00:00:00Z");
const nowSeconds = now.getTime() / 1000;
const soon = nowSeconds + 30;

test.each<[string, number, Record<string, string>, number | undefined]>([
  ["nothing", 200, {}, undefined],
  ["some left", 200, { "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "30" }, undefined],
  ["429 alone", 429, {}, 5000],
  ["429 with seconds", 429, { "Retry-After": "7" }, 7000],
  ["429 with a date", 429, { "Retry-After": "Thu, 01 Jan 2026 00:00:09 GMT" }, 9000],
  [
    "429 with a date that is past",
    429,
    { "Retry-After": "Wed, 31 Dec 2025 00:00:00 GMT" },
    undefined,
  ],
  ["429 with zero", 429, { "Retry-After": "0" }, undefined],
  ["429 with nonsense", 429, { "Retry-After": "soon" }, 5000],
  ["429 with a negative number", 429, { "Retry-After": "-1" }, 5000],
  ["429 with far too much", 429, { "Retry-After": "1000000000" }, 3_600_000],
  ["503 with Retry-After", 503, { "Retry-After": "7" }, undefined],
  [
    "none left, epoch seconds",
    200,
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": `${soon}` },
    30_000,
  ],
  [
    "none left, epoch milliseconds",
    200,
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${soon}000` },
    30_000,
  ],
  [
    "none left, seconds",
    200,
    { "X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "30" },
    30_000,
  ],
  [
    "none left, a date",
    200,
    { "RateLimit-Remaining": "0", "RateLimit-Reset": "2026-01-01T00:00:30Z" },
    30_000,
  ],
  [
    "none left, fractions",
    200,
    { "X-RateLimit-Remaining": "0.0", "X-RateLimit-Reset": "0.5" },
    500,
  ],
  [
    "none left, reset-after",
    200,
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "1.5" },
    1500,
  ],
  ["none left, no time", 200, { "X-RateLimit-Remaining": "0" }, 5000],
  [
    "none left, time past",
    200,
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": `${nowSeconds - 9}` },
    undefined,
  ],
  ["below zero", 200, { "X-RateLimit-Remaining": "-3", "X-RateLimit-Reset": "30" }, 30_000],
  [
    "requests and tokens",
    200,
    { "x-ratelimit-remaining-requests": "0", "x-ratelimit-requests-reset": "8" },
    8000,
  ],
  [
    "the longest of several",
    429,
    { "Retry-After": "3", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30" },
    30_000,
  ],
  ["the older standard form", 200, { RateLimit: "limit=100, remaining=0, reset=5" }, 5000],
  [
    "the older form with some left",
    200,
    { RateLimit: "limit=100, remaining=2, reset=5" },
    undefined,
  ],
  ["the standard form", 200, { RateLimit: '"default";r=0;t=6' }, 6000],
  ["the standard form with some left", 200, { RateLimit: '"default";r=9;t=6' }, undefined],
  ["used of all", 200, { "X-Shopify-Shop-Api-Call-Limit": "40/40" }, 5000],
  ["used of all with some left", 200, { "X-Shopify-Shop-Api-Call-Limit": "39/40" }, undefined],
  ["an empty header", 200, { "X-RateLimit-Remaining": "" }, undefined],
  ["words", 200, { "X-RateLimit-Remaining": "none" }, undefined],
  ["an error with quota left", 500, { "X-RateLimit-Remaining": "5" }, undefined],
  [
    "403 with none left",
    403,
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": `${soon}` },
    30_000,
  ],
])("%s", (_name, status, headers, waitMs) => {
  const flat = Object.entries(headers).flat();

  const report = readQuota({ status, headers: flat }, undefined, now);

  expect(report?.waitMs).toBe(waitMs);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  expect(names.every(isAboutQuota)).toBe(true);
});

test("an entry may name headers of its own", () => {
  const hints = {
    remaining_header: "x-left-of-rate",
    at_header: "x-rate-at",
    after_header: "x-rate-in",
  };

  const used = ["X-Left-Of-Rate", "0", "X-Rate-In", "4"];
  const left = ["X-Left-Of-Rate", "1", "X-Rate-In", "4"];

  expect(readQuota({ status: 200, headers: used }, hints, now)?.waitMs).toBe(4000);
  expect(readQuota({ status: 200, headers: left }, hints, now)).toBeUndefined();
});

test("a header may tell that all connections share the quota", () => {
  const headers = ["X-App-Rate-Limit-Remaining", "0", "X-App-Rate-Limit-Reset", "30"];

  expect(readQuota({ status: 200, headers }, undefined, now)).toEqual({
    waitMs: 30_000,
    scope: "app",
  });
});
