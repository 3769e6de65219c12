import type { Page } from "playwright-core";

/** Pictures of the first switch of a page in both states; leaves the page where it was. */
export async function looksOfSwitch(
  page: Page,
  settings: string,
): Promise<{ readonly on: Buffer; readonly off: Buffer }> {
  const before = page.url();
  await page.goto(settings);
  const toggle = page.locator(".choice.toggle").first();
  const look = async () => {
    await page.mouse.move(0, 0);
    return await toggle.screenshot({ animations: "disabled" });
  };
  await toggle.waitFor();
  const on = await look();
  await toggle.click();
  const off = await look();
  await page.goto(before);
  await page.locator("a[data-row='0']").waitFor();
  return { on, off };
}
