import { expect, test } from "vitest";
import { coversHost, egressHosts, normalizeEgress, parseEgressHost } from "./egress-hosts.ts";

test.each([
  ["api.hubapi.com", "api.hubapi.com"],
  ["API.HubAPI.com", "api.hubapi.com"],
  ["api.hubapi.com.", "api.hubapi.com"],
  ["api.hubapi.com:8443", "api.hubapi.com:8443"],
  ["api.hubapi.com:0443", "api.hubapi.com:443"],
  ["*.s3.amazonaws.com", "*.s3.amazonaws.com"],
  ["*.S3.amazonaws.com:444", "*.s3.amazonaws.com:444"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["ａpi.example", "api.example"],
  ["crm", "crm"],
  ["127.0.0.1:4010", "127.0.0.1:4010"],
  ["[::1]:4010", "[::1]:4010"],
  ["{integration}", "{integration}"],
  ["*", "*"],
])("%s is compared as %s", (text, host) => {
  expect(parseEgressHost(text)).toEqual({ host });
});

test.each([
  ...["https://api.example.com", "api.example.com/v1", "api.example.com?x", "api.example.com#x"],
  ...["user@api.example.com", "api.example.com\\x", "api example.com", "api%2eexample.com", ""],
  ...["*.com", "**.example.com", "a.*.example.com", "*example.com", "*.*.example.com", "*."],
  ...["*.127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]"],
  ...["[0:0:0:0:0:0:0:1]", "::1", "api.example.com:0", "api.example.com:65536"],
  ...["api.example.com:", "api.example.com:http", "api..example.com", "-", ".", "{any}", "{a}.com"],
  ...["a".repeat(300), "a.example,b.example", "api.example.com\n", "\u0000.example"],
])("%j is refused", (text) => {
  expect(parseEgressHost(text)).toHaveProperty("fault");
});

const covers = (entry: string, url: string) => coversHost(entry, new URL(url));

test("an entry covers its very host, on the usual ports unless it has one", () => {
  expect(covers("api.example.com", "https://api.example.com/x")).toBe(true);
  expect(covers("api.example.com", "https://API.example.com./x")).toBe(true);
  expect(covers("api.example.com", "http://api.example.com/x")).toBe(true);
  expect(covers("api.example.com", "https://api.example.com:8443/x")).toBe(false);
  expect(covers("api.example.com:443", "https://api.example.com/x")).toBe(true);
  expect(covers("api.example.com:443", "http://api.example.com/x")).toBe(false);
  expect(covers("api.example.com", "https://x.api.example.com/")).toBe(false);
  expect(covers("api.example.com", "https://api.example.com.evil.example/")).toBe(false);
  expect(covers("api.example.com", "https://api.example.com@evil.example/")).toBe(false);
});

test("a wildcard covers the names below it, and not its own", () => {
  expect(covers("*.example.com", "https://a.example.com/")).toBe(true);
  expect(covers("*.example.com", "https://a.b.example.com/")).toBe(true);
  expect(covers("*.example.com", "https://example.com/")).toBe(false);
  expect(covers("*.example.com", "https://aexample.com/")).toBe(false);
  expect(covers("*.example.com:444", "https://a.example.com:444/")).toBe(true);
  expect(covers("*.example.com:444", "https://a.example.com/")).toBe(false);
});

test("the words for all hosts and those of the integration cover no address by themselves", () => {
  expect(covers("*", "https://a.example.com/")).toBe(false);
  expect(covers("{integration}", "https://a.example.com/")).toBe(false);
});

test("a list has a bound, and the word for all hosts stands alone in it", () => {
  const many = Array.from({ length: 51 }, (_, n) => `a${n}.example.com`);

  expect(egressHosts.safeParse(many).success).toBe(false);
  expect(egressHosts.safeParse(many.slice(1)).success).toBe(true);
  expect(egressHosts.safeParse(["*", "a.example.com"]).success).toBe(false);
  expect(egressHosts.safeParse([]).success).toBe(true);
  expect(normalizeEgress(["A.example.com", "a.example.com."])).toEqual(["a.example.com"]);
});
