import { expect, test } from "vitest";
import { isWebPage } from "./load-page.ts";
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

test.each([
  ["https://example.com/docs", true],
  ["javascript:alert(1)", false],
  ["data:text/html,x", false],
  ["/docs", false],
  [undefined, false],
])("%s as a link: %s", (address, isPage) => {
  expect(isWebPage(address)).toBe(isPage);
});
