import { expect, test } from "vitest";
import { webOrigin } from "./fields.ts";

test.each([
  "*",
  "https://*",
  "https://*.example.com",
  "https://a.example.com https://b.example.com",
  "https://a;sandbox",
  "https://a.example;script-src",
  "https://a.example,b.example",
  "https://a'b.example",
  "https://a.example/",
  "https://user@a.example",
  "https://a.example\r\nX-Evil: 1",
  "javascript:alert(1)",
  "null",
  "",
  "https://",
  "HTTPS://A.example",
  "https://a.example:0x50",
  "https://a.example:443",
])("%j is no origin of a page", (origin) => {
  expect(webOrigin.safeParse(origin).success).toBe(false);
});

test.each([
  "https://a.example",
  "http://localhost:3000",
  "http://127.0.0.1:8080",
  "https://[::1]:8443",
  "https://xn--bcher-kva.example",
])("%j is an origin of a page", (origin) => {
  expect(webOrigin.safeParse(origin).success).toBe(true);
});

test("space around an origin is taken off, so that it reaches no header", () => {
  expect(webOrigin.parse(" https://a.example\n")).toBe("https://a.example");
});
