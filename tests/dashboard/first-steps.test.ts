import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { closeBrowser, startVisit } from "../connect-ui/browser.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { expectAccessible, isTooWide } from "./open-dashboard.ts";
import { breakAndRecover, walkToRecords } from "./walk-first-steps.ts";

vi.setConfig({ testTimeout: 900_000 });
afterAll(closeBrowser);

const MOST_CLICKS = 9;
// A minute on a machine that does nothing else.
const PATIENCE_MS = 120_000;

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
  page.setDefaultTimeout(PATIENCE_MS);

  const work = await walkToRecords(visit, link);

  expect(work.fields).toEqual(["E-mail address", "Password"]);
  expect(work.clicks).toBeLessThanOrEqual(MOST_CLICKS);
  await expectAccessible(page);

  await breakAndRecover(visit, async () => {
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await isTooWide(page)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
