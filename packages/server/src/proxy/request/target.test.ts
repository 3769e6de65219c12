import { expect, test } from "vitest";
import { readProxiedPath, toTarget } from "./target.ts";

test.each([
  ["/proxy/a/b?c=d", "a/b?c=d"],
  ["/PROXY/a%2Fb/../c//d?x=%20&&y", "a%2Fb/../c//d?x=%20&&y"],
  ["/proxy/", ""],
  ["/proxy", ""],
  ["/proxy?x=1", "?x=1"],
  ["/proxy//evil.com", "/evil.com"],
  ["http://127.0.0.1:3003/proxy/a?b", "a?b"],
])("reads %s as %s", (url, path) => {
  expect(readProxiedPath(url)).toBe(path);
});

const base = "https://api.example.com/v1";

test.each([
  ["contacts", "/v1/contacts"],
  ["/contacts", "/v1/contacts"],
  ["", "/v1/"],
  ["?a=b", "/v1/?a=b"],
  ["a%2Fb/c//d?x=%zz&y=%20", "/v1/a%2Fb/c//d?x=%zz&y=%20"],
  ["a/../b", "/v1/a/../b"],
  ["a/./b/", "/v1/a/./b/"],
  ["a?x=../../..", "/v1/a?x=../../.."],
  ["a?u=https://evil.com//", "/v1/a?u=https://evil.com//"],
  ["@evil.com", "/v1/@evil.com"],
  ["evil.com:80", "/v1/evil.com:80"],
  [";a=b", "/v1/;a=b"],
  ["$\x7bconfig.x}/{{credentials.apiKey}}", "/v1/$\x7bconfig.x}/{{credentials.apiKey}}"],
  ["https%3A%2F%2Fevil.com%2Fa", "/v1/https%3A%2F%2Fevil.com%2Fa"],
  ["%00", "/v1/%00"],
  ["caf\u00e9", "/v1/caf\u00e9"],
  ["https://api.example.com/v1/contacts?a", "/v1/contacts?a"],
  ["https://API.example.com/v1", "/v1/"],
  ["...", "/v1/..."],
  ["/https://api.example.com/v1/contacts", "/v1/contacts"],
])("sends %s to %s", (path, sent) => {
  expect(toTarget(base, path)).toEqual({
    origin: "https://api.example.com",
    path: sent,
  });
});

test.each([
  ["v1/contacts", "/v1/contacts"],
  ["/v1/contacts?a=/v1", "/v1/contacts?a=/v1"],
  ["v1", "/v1"],
  ["/v1/", "/v1/"],
  ["v1?a=b", "/v1?a=b"],
  // Whole segments count.
  ["v10/contacts", "/v1/v10/contacts"],
  ["v1-beta", "/v1/v1-beta"],
  ["v1;a", "/v1/v1;a"],
  ["V1/contacts", "/v1/V1/contacts"],
  ["%761/contacts", "/v1/%761/contacts"],
  ["contacts/v1", "/v1/contacts/v1"],
  // A path that does repeat the base is written from the host's root, or as a whole address.
  ["/v1/v1/contacts", "/v1/v1/contacts"],
  ["https://api.example.com/v1/v1/contacts", "/v1/v1/contacts"],
])("takes %s from the root where it begins with the base's path: %s", (path, sent) => {
  expect(toTarget(base, path).path).toBe(sent);
});

test("a base of several segments is repeated as a whole or not at all", () => {
  const cloud = "https://api.example.com/ex/jira/11-22/";

  const sent = (path: string) => toTarget(cloud, path).path;

  expect(sent("/ex/jira/11-22/rest/api/3/myself")).toBe("/ex/jira/11-22/rest/api/3/myself");
  expect(sent("/ex/jira/33-44/rest")).toBe("/ex/jira/11-22/ex/jira/33-44/rest");
  expect(sent("/ex/jira/11-22-33/rest")).toBe("/ex/jira/11-22/ex/jira/11-22-33/rest");
});

test.each(["v1/../admin", "/v1/a/../../admin", "v1/%2e%2e/admin", "v1/..;/admin", "v1//../admin"])(
  "refuses %s, which begins with the base's path and leaves it",
  (path) => {
    expect(() => toTarget(base, path)).toThrow(
      expect.objectContaining({ code: "invalid_uri_params" }),
    );
  },
);

test.each([
  "..",
  "../",
  "../admin",
  "a/../../admin",
  "./../admin",
  "a/./../../b",
  "%2e%2e/admin",
  "%2E%2e/admin",
  ".%2e/admin",
  "%2e./admin",
  "a/%2e%2e/%2e%2e/admin",
  "..%2fadmin",
  "a%2f..%2f..%2fadmin",
  "%252e%252e/admin",
  "%25252e%25252e%25252fadmin",
  "..\\admin",
  "a\\..\\..\\admin",
  "..%5cadmin",
  "%5c..%5c..%5cadmin",
  "..;/admin",
  "..;a=b/admin",
  "%2e%2e;/admin",
  "a/..;x/..;y/admin",
  ".%09./admin",
  ".%0a./admin",
  "%00../admin",
  "a//../../admin",
  "//evil.com",
  "/\\evil.com",
  "\\evil.com",
  "\\\\evil.com",
  "///evil.com/a",
  "https://evil.com/a",
  "/https://evil.com/a",
  "https://api.example.com/v1//evil.com",
  "HTTP://evil.com",
  "ftp://evil.com",
  "file:///etc/passwd",
  "https://api.example.com.evil.com/v1",
  "https://api.example.com/v10",
  "https://api.example.com/v1@evil.com",
  "https://api.example.com/v1/../admin",
  "https://api.example.com/",
  "https://user@api.example.com/v1",
  "a b",
  "a#b",
  "a\tb",
  "a\r\nx: y",
  "a\0",
  "a\u0100",
])("refuses %j", (path) => {
  expect(() => toTarget(base, path)).toThrow(
    expect.objectContaining({ code: "invalid_uri_params" }),
  );
});

test("a base without a path takes any path, and none can change its host", () => {
  for (const path of ["@evil.com", ".evil.com", ":80@evil.com", "a", "%2f%2fevil.com"]) {
    const { origin, path: sent } = toTarget("https://api.example.com", path);

    expect(new URL(origin + sent).host).toBe("api.example.com");
  }
});

test.each(["ftp://a.b", "a.b", "https://u:p@a.b", "https://a.b/?x=1", "https://a.b/#x"])(
  "refuses the base %s",
  (text) => {
    expect(() => toTarget(text, "a")).toThrow(
      expect.objectContaining({ code: "missing_base_url" }),
    );
  },
);
