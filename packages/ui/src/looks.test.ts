import { expect, test } from "vitest";
import { toMonogram } from "./monogram.ts";
import { textColorOn } from "./theme.ts";

test.each([
  ["Harbor CRM", "HC"],
  ["OpenAI", "OP"],
  ["x", "X"],
  ["Ärzte-Portal", "ÄP"],
  ["***", "?"],
])("the letters of %s are %s, its colour the same each time", (name, letters) => {
  expect(toMonogram(name)).toMatchObject({ letters });
  expect(toMonogram(name)).toEqual(toMonogram(name));
});

test.each([
  ["#00b2e3", "#000000"],
  ["#1f6feb", "#ffffff"],
  ["#ffffff", "#000000"],
  ["#000000", "#ffffff"],
])("on %s stands %s", (background, color) => {
  expect(textColorOn(background)).toBe(color);
});
