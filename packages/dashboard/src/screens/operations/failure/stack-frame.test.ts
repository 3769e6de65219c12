import { expect, test } from "vitest";
import { frameOf } from "./stack-frame.ts";

test.each([
  ["    at exec (crm/syncs/contacts.ts:12:5)", "crm/syncs/contacts.ts:12:5", 12],
  ["    at contacts.ts:7:1", "contacts.ts:7:1", 7],
])("%j is a place of the function", (text, place, line) => {
  const frame = frameOf(text, "contacts");

  expect(frame).toMatchObject({ place, line });
  expect(`${frame?.before}${frame?.place}${frame?.after}`).toBe(text);
});

test.each([
  "Error: at contacts.ts:1:1",
  "    at read (crm/contact.ts:3:4)",
  "    at node:internal/timers:1:2",
  "    at contacts.ts",
])("%j is none", (text) => {
  expect(frameOf(text, "contacts")).toBeUndefined();
});
