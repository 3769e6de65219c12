import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
  type Request,
  type Response,
  type WebError,
} from "playwright-core";
import { expect, type TestContext } from "vitest";
import { requireTool } from "../require-tool.ts";

let launched: Promise<Browser> | undefined;
/** Of visits that ask for nothing else, while none of them lasts. */
let shared: BrowserContext | undefined;

/** The file's one Chromium; skips the test where there is none. */
export async function openBrowser(test: TestContext): Promise<Browser> {
  const executablePath = requireTool("chromium", test);
  const isRoot = process.getuid?.() === 0;
  launched ??= chromium.launch({
    executablePath,
    // One process draws all pages of a context: what it has compiled, the next visit does not compile again.
    // No page of a test runs long enough to earn back what the optimizing compilers take.
    args: [
      "--renderer-process-limit=1",
      "--js-flags=--no-opt --no-maglev",
      ...(isRoot ? ["--no-sandbox"] : []),
    ],
    chromiumSandbox: !isRoot,
  });
  return await launched;
}

export async function closeBrowser(): Promise<void> {
  const browser = await launched;
  [launched, shared] = [undefined, undefined];
  await browser?.close();
}

/** With a page that stays, so that its process does. */
async function makeShared(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.newPage();
  return context;
}

/** As new: only the page that stays, and what it has compiled. */
async function clear(context: BrowserContext): Promise<void> {
  const [first, ...others] = context.pages();
  for (const page of others) await page.close();
  await context.unrouteAll();
  await context.setOffline(false);
  await context.clearCookies();
  if (first === undefined) throw new Error("the page that stays was closed");
  const session = await context.newCDPSession(first);
  await session.send("Storage.clearDataForOrigin", { origin: "*", storageTypes: "all" });
  await session.detach();
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

/** For a visit that changes its context, as by `addInitScript`, or counts its pages: it is lent to no other. */
export const ofItsOwn = { acceptDownloads: true } as const satisfies BrowserContextOptions;

/** Ends with a failure if a page threw, or did what its content security policy forbids. */
export async function startVisit(
  test: TestContext,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const browser = await openBrowser(test);
  const isPlain = Object.keys(options).length === 0;
  const lent = isPlain ? (shared ?? (await makeShared(browser))) : undefined;
  if (lent !== undefined) shared = undefined;
  const context = lent ?? (await browser.newContext(options));
  const faults: string[] = [];
  const refused: string[] = [];
  const stopWatching = watch(context, { faults, refused });
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
      stopWatching();
      if (lent === undefined || shared !== undefined) await context.close();
      else {
        await clear(context);
        shared = context;
      }
      expect(faults).toEqual([]);
    },
  };
}

/** Notes what goes wrong in any page, until the returned function is called. */
function watch(
  context: BrowserContext,
  { faults, refused }: { faults: string[]; refused: string[] },
): () => void {
  const onError = (error: WebError) => void faults.push(String(error.error()));
  const onConsole = (message: ConsoleMessage) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text());
  };
  const onFailure = (request: Request) =>
    void refused.push(
      `${request.method()} ${request.url()}: ${request.failure()?.errorText ?? ""}`,
    );
  const onResponse = (response: Response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  };
  context.on("weberror", onError);
  context.on("console", onConsole);
  context.on("requestfailed", onFailure);
  context.on("response", onResponse);
  return () => {
    context.off("weberror", onError);
    context.off("console", onConsole);
    context.off("requestfailed", onFailure);
    context.off("response", onResponse);
  };
}
