import assert from "node:assert";
import { getProvider } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { resolveConnectionConfig } from "./attempts/resolve-connection-config.ts";

const zoho = getProvider("zoho-crm");
assert(zoho !== undefined);

test("the customer may fix what the platform fills, but not another vendor's host", () => {
  const resolve = (server: string) =>
    resolveConnectionConfig(zoho, { fixed: { "accounts-server": server }, given: {} });

  expect(resolve("https://accounts.zoho.in")).toEqual({
    "accounts-server": "https://accounts.zoho.in",
  });
  expect(() => resolve("https://attacker.example")).toThrow("accounts-server");
});

test("an end user fixes nothing that the platform fills", () => {
  const given = { "accounts-server": "https://accounts.zoho.in" };

  expect(() => resolveConnectionConfig(zoho, { fixed: {}, given })).toThrow(
    "filled by the platform",
  );
});
