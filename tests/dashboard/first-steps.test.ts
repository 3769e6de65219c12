import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test, vi } from "vitest";
import { closeBrowser, startVisit } from "../connect-ui/browser.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { OWNER } from "../people/people-under-test.ts";
import { expectAccessible, isTooWide } from "./open-dashboard.ts";

vi.setConfig({ testTimeout: 900_000 });
afterAll(closeBrowser);

const MOST_CLICKS = 9;
// A minute on a machine that does nothing else.
const patience = { timeout: 120_000 };

/** Counts what a person does: clicks, and fields that they fill in. */
function countWork(page: Page) {
  const work = { clicks: 0, fields: [] as string[] };
  return {
    work,
    async press(name: string | RegExp, from: Page | ReturnType<Page["frameLocator"]> = page) {
      work.clicks += 1;
      await from.getByRole("button", { name }).or(from.getByRole("link", { name })).first().click();
    },
    async fill(label: string, value: string) {
      work.fields.push(label);
      await page.getByLabel(label).fill(value);
    },
  };
}

test("from an empty folder to records of a simulated provider, which then fails and recovers", async (context) => {
  const folder = await makeDataFolder();
  const dataDir = folder.path;
  context.onTestFinished(async () => await folder[Symbol.asyncDispose]());
  // As a user starts it: nothing is open to egress.
  const platform = await startPlatformProcess({
    dataDir,
    env: { SVC_EGRESS_ALLOW: "" },
    readyWithinMs: 240_000,
  });
  context.onTestFinished(async () => {
    await platform.stop();
  });
  const link = (await readFile(join(dataDir, "setup-link"), "utf8")).trim();
  await using visit = await startVisit(context);
  const { page } = visit;
  page.setDefaultTimeout(patience.timeout);
  const { work, press, fill } = countWork(page);

  await page.goto(link);
  await fill("E-mail address", OWNER.email);
  await fill("Password", OWNER.password);
  await press("Become the owner");
  await press("Try it with a simulated HubSpot");
  await press("Add the simulated HubSpot");
  await press("Open the connect page");
  const frame = page.frameLocator("iframe");
  const consent = await visit.nextPopup(async () => await press(/HubSpot/, frame));
  await press("Allow", consent);
  await press("Deploy it");
  await page.getByRole("link", { name: "1,000 records" }).waitFor();

  expect(work.fields).toEqual(["E-mail address", "Password"]);
  expect(work.clicks).toBeLessThanOrEqual(MOST_CLICKS);
  await expectAccessible(page);

  const step = (name: RegExp) => page.getByRole("listitem", { name });
  const happened = page.getByRole("region", { name: "What happened" });
  await page.getByRole("button", { name: "End its access tokens" }).click();
  await page.getByText("Access tokens from before are refused.").waitFor();
  await expectRefresh(page);
  await page.getByRole("button", { name: "Refuse calls with 429" }).click();
  await page.getByText("Calls are refused for 5 seconds.").waitFor();
  await happened.getByText("running").first().waitFor();
  await happened.getByText("running").first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Withdraw the access" }).click();
  const reconnect = step(/Connect an account/).getByRole("button", { name: "Connect again" });
  await reconnect.waitFor();
  const wrong = page.getByRole("region", { name: "What is wrong" });
  await wrong.getByRole("link", { name: "Why, and what helps" }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await reconnect.click();
  const again = await visit.nextPopup(async () => await press(/HubSpot/, frame));
  await again.getByRole("button", { name: "Allow" }).click();
  await step(/Connect an account/)
    .getByText("Works")
    .waitFor();
  // It runs the sync, too, which has failed since the access was withdrawn.
  await page.getByRole("button", { name: "Let it work again" }).click();

  await wrong.getByText("No open problems.").waitFor();
});

/** The refresh is an operation of its own, which is listed when it has ended. */
async function expectRefresh(page: Page): Promise<void> {
  const happened = page.getByRole("region", { name: "What happened" });
  await happened
    .getByText(/refresh/)
    .first()
    .waitFor();
}
