import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** More than any page has to stop at. */
const MOST_STOPS = 120;

/** Tabs to it, wherever the focus is now. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  const focused = wanted.and(page.locator(":focus"));
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  expect.fail(`Tab does not lead to ${wanted}`);
}

/** Tab leads to a button that its role cannot press, which says why and does nothing. */
export async function expectRefused(page: Page, button: Locator): Promise<void> {
  const reason = page.getByRole("tooltip");
  await tabTo(page, button);
  expect(await button.isDisabled()).toBe(true);
  await reason.getByText(/environment:\w+/).waitFor();
  await page.keyboard.press("Enter");
  await reason.waitFor();
  await page.keyboard.press("Escape");
  await reason.waitFor({ state: "hidden" });
}

export async function press(page: Page, wanted: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, wanted);
  await page.keyboard.press(key);
}

/** Types into a field, in place of what is in it. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
}

/** Opens a list of choices and takes one, by the arrow keys. */
export async function choose(page: Page, button: Locator, choice: Locator): Promise<void> {
  await press(page, button);
  await choice.waitFor();
  const focused = choice.and(page.locator(":focus"));
  for (let steps = 0; steps < MOST_STOPS && (await focused.count()) === 0; steps += 1) {
    await page.keyboard.press("ArrowDown");
  }
  expect(await focused.count(), `arrow keys do not lead to ${choice}`).toBe(1);
  await page.keyboard.press("Enter");
}

/** Opens a filter that suggests names, and takes the first that matches. */
export async function pick(page: Page, label: string, typed: string): Promise<void> {
  await press(page, page.getByRole("button", { name: label }));
  await page.getByRole("combobox", { name: label }).waitFor();
  await page.keyboard.type(typed);
  await page.getByRole("option", { name: new RegExp(typed) }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: label }).waitFor({ state: "detached" });
}

/** Opens the row of this name: Tab leads to the list, and the arrow keys to its rows. */
export async function openNamed(page: Page, name: string): Promise<void> {
  const row = page.locator("a[data-row]", { hasText: name });
  await row.waitFor();
  await tabTo(page, page.locator("a[data-row][tabindex='0']"));
  await page.keyboard.press("Home");
  const focused = row.and(page.locator(":focus"));
  for (let steps = 0; steps < MOST_STOPS && (await focused.count()) === 0; steps += 1) {
    await page.keyboard.press("ArrowDown");
  }
  expect(await focused.count(), `arrow keys do not lead to ${name}`).toBe(1);
  await page.keyboard.press("Enter");
}

/** Opens the first row of a list in its panel, and gives the panel. */
export async function openRow(page: Page): Promise<Locator> {
  await press(page, page.locator("a[data-row='0']"));
  const panel = page.getByRole("complementary");
  await panel.waitFor();
  return panel;
}

/** Escape closes the panel, and the focus is at the row that it was opened from. */
export async function leavePanel(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("complementary").waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement?.dataset.row")).toBe("0");
}
