import { expect, test } from "vitest";
import { englishFieldTexts as texts } from "./field-texts.ts";
import { type FormField, listVisibleFields, toField, toFields } from "./form-fields.ts";
import { toProblem } from "./problem.ts";
import { tidyValue, validateField } from "./validate-field.ts";

function fieldOf(field: Partial<FormField>): FormField {
  return { ...toField("credentials", "value", { title: "Value" }), ...field };
}

test.each([
  [{ required: true }, "", "Value is missing."],
  [{ required: false }, "", undefined],
  [{ required: true }, "   ", "Value is missing."],
  [{ pattern: "^[a-z]+$" }, "ABC", "Value does not have the right form."],
  [{ pattern: "^[a-z]+$" }, "abc", undefined],
  [{ pattern: "(" }, "anything", undefined],
  [{ format: "uri" }, "example.com", texts.invalid.uri],
  [{ format: "uri" }, "javascript:alert(1)", texts.invalid.uri],
  [{ format: "uri" }, "https://example.com/x", undefined],
  [{ format: "hostname" }, "a b", texts.invalid.hostname],
  [{ format: "hostname" }, "https://crm.example.com/path", undefined],
  [{ format: "email" }, "me", texts.invalid.email],
  [{ format: "uuid" }, "123e4567-e89b-12d3-a456-426614174000", undefined],
  [{ choices: ["eu"] }, "us", texts.invalid.choose],
])("%j with %j says %j", (field, value, fault) => {
  expect(validateField(fieldOf(field), value, texts)).toBe(fault);
});

test.each([
  [{ format: "hostname" }, " https://crm.example.com/path?x ", "crm.example.com"],
  [{ prefix: "https://", suffix: ".example.com" }, "https://acme.example.com/home", "acme"],
  [{ prefix: "https://", suffix: ".example.com" }, "acme", "acme"],
  [{ secret: true }, " https://secret ", "https://secret"],
  [{}, " a/b ", "a/b"],
])("%j tidies %j to %j", (field, value, tidy) => {
  expect(tidyValue(fieldOf(field), value)).toBe(tidy);
});

test("a field shows when the field that it hangs on is shown and has the value", () => {
  const fields = toFields("credentials", {
    kind: { order: 1 },
    first: { order: 2, visible_when: { field: "kind", equals: "a" } },
    second: { order: 3, visible_when: { field: "first", equals: ["x", "y"] } },
  });
  const namesFor = (values: Record<string, string>) =>
    listVisibleFields(fields, values).map(({ name }) => name);

  expect(namesFor({})).toEqual(["kind"]);
  expect(namesFor({ "credentials-kind": "a", "credentials-first": "y" })).toEqual([
    "kind",
    "first",
    "second",
  ]);
  expect(namesFor({ "credentials-kind": "b", "credentials-first": "y" })).toEqual(["kind"]);
});

test("a failure is shown in the words of the page, and its faults at their fields", () => {
  const words = {
    failedTitle: "That did not work",
    failureTitles: new Map([["refused", "These details were refused"]]),
    failures: new Map([["slow", { title: "Too slow", text: "Try again." }]]),
    refusals: new Map([["Not accepted.", "Nicht angenommen."]]),
  };
  const details = [{ path: ["credentials", "value"], message: "Value is wrong." }, { path: ["x"] }];

  expect(toProblem({ type: "refused", message: "No.", details }, [fieldOf({})], words)).toEqual({
    type: "refused",
    title: "These details were refused",
    text: "No.",
    faults: new Map([["credentials-value", "Value is wrong."]]),
  });
  expect(toProblem({ type: "slow", message: "", details: [] }, [], words)).toMatchObject({
    title: "Too slow",
    text: "Try again.",
  });
  expect(
    toProblem({ type: "refused", message: "Not accepted.", details: [] }, [], words),
  ).toMatchObject({ text: "Nicht angenommen." });
});
