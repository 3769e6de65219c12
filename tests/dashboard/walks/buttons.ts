import type { Page, Request } from "playwright-core";

/** Buttons that cannot be pressed, without a word why. */
export async function listSilent(page: Page): Promise<readonly string[]> {
  return toTexts(
    await page.evaluate(`const saysWhy = (one) => {
      one.focus();
      const why = document.getElementById(one.getAttribute("aria-describedby"));
      return document.activeElement === one && why !== null && why.innerText !== "" && why.checkVisibility();
    };
    [...document.querySelectorAll("button:disabled, button[aria-disabled=true]")]
      .filter((one) => one.closest("main, [role=dialog]") !== null && one.checkVisibility())
      .filter((one) => !saysWhy(one))
      .map((one) => (one.ariaLabel || one.innerText).replace("▾", "").trim())`),
  );
}

// What only shows something, and needs no more than the screen itself.
const harmless = /^(<\/>|Show as code|Columns|Refresh|Try again|Copy.*|✕|Close|Show .*)$/;

/** Calls that the server forbids after a press of what may be pressed. */
export async function pressAll(page: Page): Promise<readonly string[]> {
  const forbidden: string[] = [];
  const names = toTexts(
    await page.evaluate(`[...document.querySelectorAll("main button:enabled:not([aria-haspopup], [aria-disabled=true])")]
      .filter((one) => one.checkVisibility() && one.closest(".filters, thead, [role=tablist]") === null)
      .map((one) => (one.ariaLabel || one.innerText).replace("▾", "").trim())`),
  );
  for (const name of new Set(names)) {
    if (name === "" || harmless.test(name)) continue;
    const button = page.locator("main").getByRole("button", { name, exact: true }).first();
    if ((await button.count()) === 0 || !(await button.isEnabled())) continue;
    const answers: number[] = [];
    const note = (answer: { status(): number }) => answers.push(answer.status());
    page.on("response", note);
    const asked = watchRequests(page);
    await button.click();
    await asked.settle();
    page.off("response", note);
    if (answers.includes(403)) forbidden.push(name);
    await closeDialogs(page);
  }
  return forbidden;
}

const SETTLED_WITHIN_MS = 2000;

/** What the page asks for from now on: whether all of it was answered, once the press has been drawn. */
function watchRequests(page: Page) {
  const waiting = new Set<Request>();
  const begin = (request: Request) => waiting.add(request);
  const end = (request: Request) => waiting.delete(request);
  page.on("request", begin);
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  return {
    async settle() {
      const until = performance.now() + SETTLED_WITHIN_MS;
      do await page.evaluate(threeFrames);
      while (waiting.size > 0 && performance.now() < until);
      page.off("request", begin);
      page.off("requestfinished", end);
      page.off("requestfailed", end);
    },
  };
}

const threeFrames =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))";

/** Names of the buttons that open a dialog. */
export async function listOpeners(page: Page): Promise<readonly string[]> {
  const names = toTexts(
    await page.evaluate(`[...document.querySelectorAll("main button[aria-expanded=false]:enabled:not([aria-haspopup])")]
      .filter((one) => one.checkVisibility() && one.closest(".filters") === null)
      .map((one) => (one.ariaLabel || one.innerText).replace("▾", "").trim())`),
  );
  return [...new Set(names)].filter((name) => name !== "" && name !== "Show as code");
}

/** A list within a dialog closes by itself first. */
export async function closeDialogs(page: Page): Promise<void> {
  for (let left = 5; left > 0 && (await page.getByRole("dialog").count()) > 0; left -= 1) {
    await page.keyboard.press("Escape");
    await page.evaluate(threeFrames);
  }
}

function toTexts(found: unknown): string[] {
  return Array.isArray(found) ? found.map(String) : [];
}
