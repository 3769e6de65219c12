import type { Page } from "playwright-core";
import { findFaults } from "../find-faults.ts";
import { type Commands, faultsOfTabs } from "./code.ts";

/**
 * Until two frames in a row have the same layout, and nothing is on its way. Read by the page itself, so that the frames
 * follow each other.
 */
export async function waitUntilStill(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const until = performance.now() + 5000;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const look = () => [...document.querySelectorAll("main *")].map((one) => one.scrollWidth).join();
    const isBusy = () => document.querySelector("[aria-busy=true], .loading, .skeleton") !== null;
    let before = look();
    for (let same = 0; same < 3 && performance.now() < until; ) {
      await frame();
      const now = look();
      same = now === before && !isBusy() ? same + 1 : 0;
      before = now;
    }
  })()`);
}

/** Of the panel with the code, which it closes again. */
export async function faultsOfCode(page: Page, commands: Commands): Promise<readonly string[]> {
  await page.getByRole("button", { name: "Show as code" }).first().click();
  const panel = page.getByRole("dialog", { name: "Show as code" });
  await panel.waitFor();
  const found = [...(await findFaults(page)), ...(await faultsOfTabs(page, commands))];
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  return found;
}

/** Charts are drawn again a moment after their size has changed. */
export async function faultsThatStay(page: Page): Promise<readonly string[]> {
  for (let left = 8; ; left -= 1) {
    const found = await findFaults(page);
    if (found.length === 0 || left === 0) return found;
    await page.waitForTimeout(250);
  }
}

/** Goes to another screen without loading the page again, which takes longer than drawing the screen. */
export async function goTo(page: Page, address: string): Promise<void> {
  // A screen that begins sets the title.
  await page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const before = location.pathname;
    const until = performance.now() + 10_000;
    document.title = "";
    history.pushState(null, "", ${JSON.stringify(address)});
    if (location.pathname === before) return;
    while (document.title === "" && performance.now() < until) await frame();
  })()`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await waitUntilStill(page);
}
