import type { Page, Response } from "playwright-core";

const NONSENSE = "no-such-value";

/**
 * What is wrong with the filters of the list that is shown: choices that the API refuses, and values in the address that
 * neither narrow the list nor are refused by it.
 */
export async function findFilterFaults(page: Page): Promise<readonly string[]> {
  const answers: Response[] = [];
  const note = (answer: Response) => answers.push(answer);
  page.on("response", note);
  const address = page.url();
  const faults: string[] = [];

  for (const name of await chipsOf(page)) {
    await show(page, address);
    const hasRows = (await page.locator(".empty").count()) === 0;
    const choices = await choicesOf(page, name);
    const word = choices.length === 0 ? undefined : await wordOf(page, name, address);
    if (word === undefined) continue;
    for (const choice of choices) {
      answers.length = 0;
      await show(page, withWord(address, word, choice));
      // What the page itself finds, the server cannot refuse.
      if (!answers.some(isOfApi)) break;
      const refused = answers.filter((answer) => isOfApi(answer) && answer.status() >= 400);
      faults.push(...refused.map((one) => `${word}=${choice}: ${one.status()} ${one.url()}`));
      if (await isRefused(page)) faults.push(`${word}=${choice} is offered and not known`);
    }
    answers.length = 0;
    await show(page, withWord(address, word, NONSENSE));
    const isAsked = answers.some((answer) => answer.url().includes(NONSENSE) && answer.ok());
    const finds = hasRows && (await page.locator(".empty").count()) > 0;
    const hasAlert = (await page.getByRole("alert").count()) > 0;
    if (!isAsked && !finds && !hasAlert && !(await isRefused(page))) {
      faults.push(`${word}=${NONSENSE} narrows nothing, and nothing says so`);
    }
  }
  page.off("response", note);
  return faults;
}

/** Chips, and selects that begin with their label: those have a value that says what the list shows. */
function chips(page: Page) {
  const selects = page
    .locator(".filters button[aria-haspopup=listbox]")
    .filter({ hasText: /^[^:]+: / });
  return page.locator(".filters .chip-button").or(selects);
}

/** Labels of the filters. */
async function chipsOf(page: Page): Promise<readonly string[]> {
  return (await chips(page).allTextContents()).map((text) => text.replace(/[:▾].*$/, "").trim());
}

function chip(page: Page, name: string) {
  return chips(page).filter({ hasText: name }).first();
}

const offered = ".popover [data-key]:is([role^=menuitem], [role=option])";

async function choicesOf(page: Page, name: string): Promise<readonly string[]> {
  await chip(page, name).click();
  await page.locator(".popover").first().waitFor();
  const isDialog = (await page.locator(".popover [role=dialog]").count()) > 0;
  const keys = await page
    .locator(offered)
    .evaluateAll((all) => all.map((one) => one.getAttribute("data-key") ?? ""));
  // A list of names closes by itself first, and then the dialog that it is in.
  for (let left = 5; left > 0 && (await page.locator(".popover").count()) > 0; left -= 1) {
    await page.keyboard.press("Escape");
    await page.waitForTimeout(100);
  }
  return isDialog ? [] : keys;
}

/** The word of the address that a filter sets. */
async function wordOf(page: Page, name: string, address: string): Promise<string | undefined> {
  await chip(page, name).click();
  await page.locator(offered).last().click();
  await page.waitForTimeout(50);
  const [before, after] = [new URL(address), new URL(page.url())].map((url) => url.searchParams);
  const changed = [...(after?.keys() ?? [])].find((key) => after?.get(key) !== before?.get(key));
  // One of which some can be chosen stays open.
  if ((await page.locator(".popover").count()) > 0) await page.keyboard.press("Escape");
  return changed;
}

function withWord(address: string, word: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(word, value);
  return url.href;
}

/** Goes there without loading the page again. */
async function show(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)})`);
  await page.evaluate(`(async () => {
    const until = performance.now() + 10_000;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const isBusy = () => document.querySelector(".skeleton, [data-busy=true]") !== null;
    for (let still = 0; still < 3 && performance.now() < until; ) {
      await frame();
      still = isBusy() ? 0 : still + 1;
    }
  })()`);
}

async function isRefused(page: Page): Promise<boolean> {
  return (await page.getByText("a filter that this list does not know").count()) > 0;
}

function isOfApi(answer: Response): boolean {
  return !new URL(answer.url()).pathname.startsWith("/dashboard");
}
