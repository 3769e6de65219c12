import { afterAll, afterEach, expect, test, vi } from "vitest";
import { Breakers } from "./breakers.ts";

const origin = "https://api.example.com";
const now = vi.spyOn(performance, "now").mockReturnValue(0);
afterEach(() => void now.mockReturnValue(0));
afterAll(() => now.mockRestore());

function refusal(code = "ECONNREFUSED"): Error {
  return Object.assign(new Error(code), { code, syscall: "connect" });
}

function fail(breakers: Breakers, times: number, error: Error = refusal()): void {
  for (let n = 0; n < times; n += 1) breakers.noteFailure(origin, error);
}

test("opens after five failures to connect, and lets one call try after the pause", () => {
  const breakers = new Breakers();

  fail(breakers, 4);
  breakers.require(origin);
  fail(breakers, 1);
  expect(() => breakers.require(origin)).toThrow(
    expect.objectContaining({ code: "upstream_circuit_open", headers: { "Retry-After": "5" } }),
  );
  breakers.require("https://other.example.com");
  now.mockReturnValue(5000);
  breakers.require(origin);
  expect(() => breakers.require(origin)).toThrow("takes no connections");
  breakers.noteAnswer(origin);
  breakers.require(origin);
});

test("an answer in between starts the count again", () => {
  const breakers = new Breakers();

  fail(breakers, 4);
  breakers.noteAnswer(origin);
  fail(breakers, 4);

  breakers.require(origin);
});

test.each([
  "ECONNRESET",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "ENOTFOUND",
])("%s does not count", (code) => {
  const breakers = new Breakers();

  fail(breakers, 10, Object.assign(new Error(code), { code }));

  breakers.require(origin);
});

test("counts when all addresses of a name refuse", () => {
  const breakers = new Breakers();

  fail(breakers, 5, new AggregateError([refusal("EHOSTUNREACH"), refusal()]));

  expect(() => breakers.require(origin)).toThrow("takes no connections");
});
