import { expect, test } from "vitest";
import { camelCaseOf, resolveSynonyms } from "./synonyms.ts";

const synonyms = camelCaseOf("provider_config_key", "force_refresh");

test.each([
  [
    { providerConfigKey: "a", forceRefresh: "1" },
    { provider_config_key: "a", force_refresh: "1" },
  ],
  [{ provider_config_key: "a", providerConfigKey: "a" }, { provider_config_key: "a" }],
  [
    { provider_config_key: "a", other: 1 },
    { provider_config_key: "a", other: 1 },
  ],
  [["providerConfigKey"], ["providerConfigKey"]],
  [undefined, undefined],
])("reads %j as %j", (given, expected) => {
  expect(resolveSynonyms(given, synonyms)).toEqual({ values: expected, conflict: undefined });
});

test("names both spellings when their values differ", () => {
  const given = { provider_config_key: "a", providerConfigKey: "b" };

  expect(resolveSynonyms(given, synonyms).conflict).toEqual({
    name: "provider_config_key",
    synonym: "providerConfigKey",
  });
});

test("does not treat inherited names as given", () => {
  expect(resolveSynonyms({}, { constructor: "x" }).values).toEqual({});
});
