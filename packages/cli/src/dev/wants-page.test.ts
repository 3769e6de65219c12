import { expect, test } from "vitest";
import { wantsPage } from "./wants-page.ts";

test.each([
  ["in a terminal", {}, true, true],
  ["without a terminal, or in CI", {}, false, false],
  ["with --no-ui", { ui: false }, true, false],
  ["with --ui, wherever it runs", { ui: true }, false, true],
  ["with an option that the page does not take", { save: true }, true, false],
])("the page is shown or not: %s", (_where, options, isInteractive, isShown) => {
  expect(wantsPage(options, isInteractive)).toBe(isShown);
});
