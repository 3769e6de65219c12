import { expect, test } from "vitest";
import { fromFunctionHeaders, toUpstreamHeaders } from "./request-headers.ts";
import { setQuery } from "./set-query.ts";

const added = {
  defaults: new Map([
    ["user-agent", "Jackfield"],
    ["x-version", "1"],
  ]),
  credentials: new Map([["authorization", "Bearer UPSTREAM"]]),
};

const none = { defaults: new Map(), credentials: new Map() };

test("passes end-to-end headers with their spelling, order and repetition", () => {
  const received = ["X-B", "1", "accept", "*/*", "x-b", "2", "Cookie", "a=b", "X-Empty", ""];

  expect(toUpstreamHeaders(received, none)).toEqual(received);
});

test("injects the credential in place of the caller's key, and defaults where nothing was sent", () => {
  const received = ["Authorization", "Bearer CALLER", "User-Agent", "curl"];

  expect(toUpstreamHeaders(received, added)).toEqual([
    "User-Agent",
    "curl",
    "authorization",
    "Bearer UPSTREAM",
    "x-version",
    "1",
  ]);
});

test.each([
  "Authorization",
  "Host",
  "Content-Length",
  "Expect",
  "Connection-Id",
  "PROVIDER-CONFIG-KEY",
  "Retries",
  "Retry-On",
  "Base-Url-Override",
  "Decompress",
  "Svc-Activity-Log-Id",
  "Svc-Is-Script",
  "svc-timing",
  "Connection",
  "Keep-Alive",
  "Proxy-Connection",
  "Proxy-Authorization",
  "Proxy-Authenticate",
  "TE",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
])("never passes %s", (name) => {
  expect(toUpstreamHeaders([name, "CANARY", "x", "y"], none)).toEqual(["x", "y"]);
});

test("drops what Connection names, also with the prefix", () => {
  const received = [
    "Connection",
    "X-Secret, close",
    "connection",
    " x-other",
    "x-secret",
    "1",
    "X-Other",
    "2",
    "x",
    "3",
  ];

  expect(toUpstreamHeaders(received, none)).toEqual(["x", "3"]);
});

test("a svc-proxy- header replaces the plain one, the entry's and the credential", () => {
  const received = [
    "User-Agent",
    "curl",
    "Svc-Proxy-User-Agent",
    "mine",
    "SVC-PROXY-X-Version",
    "2",
    "svc-proxy-Authorization",
    "Own",
    "svc-proxy-x",
    "a",
    "svc-proxy-x",
    "b",
  ];

  expect(toUpstreamHeaders(received, added)).toEqual([
    "User-Agent",
    "mine",
    "X-Version",
    "2",
    "Authorization",
    "Own",
    "x",
    "a",
    "x",
    "b",
  ]);
});

test.each(["host", "Content-Length", "connection", "TE", "transfer-encoding", "upgrade", ""])(
  "refuses svc-proxy-%s",
  (name) => {
    expect(() => toUpstreamHeaders([`svc-proxy-${name}`, "x"], none)).toThrow(
      expect.objectContaining({ code: "invalid_headers" }),
    );
  },
);

test("headers of a function stand for themselves", () => {
  const received = fromFunctionHeaders({ retries: "5", authorization: "Own", "svc-proxy-a": "b" });

  expect(toUpstreamHeaders(received, added)).toEqual([
    "user-agent",
    "Jackfield",
    "x-version",
    "1",
    "retries",
    "5",
    "authorization",
    "Own",
    "a",
    "b",
  ]);
  expect(() => toUpstreamHeaders(fromFunctionHeaders({ Host: "x" }), none)).toThrow(
    expect.objectContaining({ code: "invalid_headers" }),
  );
});

test.each<[string, [string, string][], string]>([
  ["/a", [], "/a"],
  ["/a?x=1", [], "/a?x=1"],
  ["/a", [["x", "1 &"]], "/a?x=1%20%26"],
  [
    "/a?x=1&y=%20&x=2",
    [
      ["x", "3"],
      ["z", ""],
    ],
    "/a?y=%20&x=3&z=",
  ],
  ["/a?%78=1", [["x", "2"]], "/a?x=2"],
])("sets the query of %s", (endpoint, query, expected) => {
  expect(setQuery(endpoint, query)).toBe(expected);
});
