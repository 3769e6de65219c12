import { expect, test } from "vitest";
import { placeFaults, wordFaults } from "./place-faults.ts";

test("a fault is at the field of its value, by name or by the path that the form gives", () => {
  const details = [
    { path: ["display_name"], message: "is missing" },
    { path: ["tags", "end_user_id"], message: "must be a string." },
    { path: ["credentials", "client_id"], message: "is too long" },
  ];
  const names = ["display-name", "user", "client-id"];

  const placed = placeFaults(details, { names, values: { user: "tags.end_user_id" } });

  expect(placed).toEqual({
    atFields: {
      "display-name": "Is missing.",
      user: "Must be a string.",
      "client-id": "Is too long.",
    },
    rest: [],
  });
});

test("what no field is about is left for the banner, which gives it a readable name", () => {
  const details = [
    { path: ["name"], message: "is missing" },
    { path: ["allowed_integrations", 0], message: "must be a string" },
    { path: ["provider_config_key"], message: "is missing" },
  ];

  const { atFields, rest } = placeFaults(details, { names: ["name"], values: {} });
  const words = wordFaults(rest, { provider_config_key: "integration" });

  expect(atFields).toEqual({ name: "Is missing." });
  expect(words).toBe("Allowed integrations must be a string. Integration is missing.");
  expect(wordFaults([{ message: "is too large" }], {})).toBeUndefined();
});

test("of two fields the one with the longer path has the fault", () => {
  const details = [{ path: ["retry", "url"], message: "must be a URL" }];
  const form = { names: ["url", "retry-url"], values: { "retry-url": "retry.url" } };

  expect(placeFaults(details, form).atFields).toEqual({ "retry-url": "Must be a URL." });
});
