import assert from "node:assert";
import { getProvider } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { resolveConnectionConfig } from "./resolve-connection-config.ts";

const zoho = getProvider("zoho-crm");
assert(zoho !== undefined);

test("the customer may fix what the server fills, but not another vendor's host", () => {
  const resolve = (server: string) =>
    resolveConnectionConfig(zoho, { fixed: { "accounts-server": server }, given: {} });

  expect(resolve("https://accounts.zoho.in")).toEqual({
    "accounts-server": "https://accounts.zoho.in",
  });
  expect(() => resolve("https://attacker.example")).toThrow("accounts-server");
});

test("an end user fixes nothing that the server fills", () => {
  const given = { "accounts-server": "https://accounts.zoho.in" };

  expect(() => resolveConnectionConfig(zoho, { fixed: {}, given })).toThrow("is set by Jackfield");
});

test("a value is taken under each name of its field, and two different ones are refused", () => {
  const provider = getProvider("servicenow");
  assert(provider !== undefined);
  const hostname = "acme.service-now.com";

  const given = resolveConnectionConfig(provider, { fixed: {}, given: { subdomain: "acme" } });
  const fixed = resolveConnectionConfig(provider, {
    fixed: { subdomain: "acme" },
    given: { hostname: "other.service-now.com" },
  });

  expect([given, fixed]).toEqual([{ hostname }, { hostname }]);
  expect(() =>
    resolveConnectionConfig(provider, { fixed: {}, given: { hostname, subdomain: "other" } }),
  ).toThrow("another name");
});

test("what only the server fills is not filled by an end user under another name", () => {
  const vend = getProvider("vend");
  assert(vend !== undefined);
  const given = { subdomain: "attacker" };

  expect(resolveConnectionConfig(vend, { fixed: {}, given })).toEqual(given);
  expect(resolveConnectionConfig(vend, { fixed: given, given: {} })).toEqual({
    domain_prefix: "attacker",
  });
});
