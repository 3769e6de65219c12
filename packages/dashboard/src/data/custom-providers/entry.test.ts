import { expect, test } from "vitest";
import {
  faultAt,
  faultsElsewhere,
  newEntry,
  readText,
  tidyEntry,
  toFault,
  withMode,
  writeText,
} from "./entry.ts";
import type { EntryField } from "./entry-modes.ts";

const baseUrl: EntryField = { path: "base_url", kind: "text" };
const check: EntryField = { path: "verification.path", kind: "text" };
const scopes: EntryField = { path: "required_scopes", kind: "lines" };

test("a text is written at its path, and an empty one leaves nothing behind", () => {
  const written = writeText(newEntry("Acme"), check, "/me");

  const removed = writeText(written, check, "");

  expect(written["verification"]).toEqual({ path: "/me" });
  expect(Object.keys(removed)).not.toContain("verification");
});

test("what the form does not know stays as it was", () => {
  const entry = { ...newEntry("Acme"), verification: { path: "/a", method: "POST" } };

  const changed = writeText(writeText(entry, check, "/b"), baseUrl, "https://api.acme.com");

  expect(changed).toMatchObject({
    verification: { path: "/b", method: "POST" },
    base_url: "https://api.acme.com",
  });
});

test("several values where the form has one are left to JSON", () => {
  const entry = { ...newEntry("Acme"), base_url: ["https://a.acme.com", "https://b.acme.com"] };

  const text = readText(entry, baseUrl);

  expect(text).toBeUndefined();
  expect(tidyEntry(entry)["base_url"]).toEqual(entry.base_url);
});

test("lines are kept while they are typed, and tidied when they are sent", () => {
  const entry = writeText(withMode(newEntry("Acme"), "OAUTH2"), scopes, " read\n\nwrite \n");

  expect(readText(entry, scopes)).toBe(" read\n\nwrite \n");
  expect(tidyEntry(entry)["required_scopes"]).toEqual(["read", "write"]);
});

test("another auth mode drops what belonged to the one before", () => {
  const entry = withMode(newEntry("Acme"), "OAUTH2");

  expect(Object.keys(entry)).not.toContain("api_key");
  expect(entry).toMatchObject({ id: "acme", auth_mode: "OAUTH2", pkce: "s256" });
});

test.each([
  ['entry: base_url: "x" starts with neither', "base_url", '"x" starts with neither'],
  ["entry: base_url is not https", "base_url", "is not https"],
  ["entry: categories.0: Invalid string", "categories.0", "Invalid string"],
  ["entry: verification needs a base_url", "verification", "needs a base_url"],
  ["entry: api_key.name: Too small", "api_key.name", "Too small"],
])("a line of the server says where it belongs: %s", (line, path, message) => {
  const fault = toFault(line);

  expect(fault).toEqual({ path, message });
});

test("a fault is at its field, and one without a field is listed", () => {
  const faults = [toFault("entry: api_key.value: is bad"), toFault("entry: retry: is bad")];

  expect(faultAt(faults, "api_key.value")?.message).toBe("is bad");
  expect(faultsElsewhere(faults, ["api_key.value"])).toEqual([
    { path: "retry", message: "is bad" },
  ]);
});
