import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, type TestContext } from "vitest";
import { requireTool } from "../require-tool.ts";

let launched: Promise<Browser> | undefined;

/** The file's one Chromium; skips the test where there is none. */
export async function openBrowser(test: TestContext): Promise<Browser> {
  const executablePath = requireTool("chromium", test);
  const isRoot = process.getuid?.() === 0;
  launched ??= chromium.launch({
    executablePath,
    args: isRoot ? ["--no-sandbox"] : [],
    chromiumSandbox: !isRoot,
  });
  return await launched;
}

export async function closeBrowser(): Promise<void> {
  const browser = await launched;
  launched = undefined;
  await browser?.close();
}

/** A window of a person with cookies of their own. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** The window that the next click opens. */
  nextPopup(click: () => Promise<void>): Promise<Page>;
  /** What went wrong so far, for a test that wants it to: it then does not fail the visit. */
  takeFaults(): string[];
}

// No journey is about time: a busy machine may take long. Shorter than the limit of a test, so that the step is named.
const PAGE_TIMEOUT_MS = 45_000;
/** What a page shows, for the report of a failed test. */
const READ_TEXT = "document.body.innerText.slice(0, 3000)";

/** Ends with a failure if a page threw, or did what its content security policy forbids. */
export async function startVisit(
  test: TestContext,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const browser = await openBrowser(test);
  const context = await browser.newContext(options);
  const faults: string[] = [];
  context.on("weberror", (error) => faults.push(String(error.error())));
  context.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text());
  });
  const refused: string[] = [];
  context.on("requestfailed", (request) => {
    refused.push(`${request.method()} ${request.url()}: ${request.failure()?.errorText ?? ""}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  let shown = "";
  test.onTestFailed(() => {
    const requests = refused.slice(-20).join("\n");
    process.stderr.write(`The page showed last:\n${shown}\nRequests that failed:\n${requests}\n`);
  });
  return {
    page,
    async nextPopup(click) {
      const [popup] = await Promise.all([page.waitForEvent("popup"), click()]);
      popup.setDefaultTimeout(PAGE_TIMEOUT_MS);
      return popup;
    },
    takeFaults: () => faults.splice(0),
    async [Symbol.asyncDispose]() {
      shown = await page.evaluate(READ_TEXT).then(String, String);
      await context.close();
      expect(faults).toEqual([]);
    },
  };
}
