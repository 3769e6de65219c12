import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { breakAndRecover, walkToRecords } from "../../../tests/dashboard/walk-first-steps.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import type { BenchRow } from "../meters/row.ts";
import type { Subject } from "./subject.ts";

const PATIENCE_MS = 120_000;
const BAR_S = 60;

/**
 * What a new user waits for, with a database of its own: from the empty folder to the first records, and until the
 * provider has failed in three ways and works again. Nobody reads or thinks in between.
 */
export async function measureJourney({ chrome }: Subject): Promise<BenchRow[]> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const startedAt = performance.now();
  const since = () => (performance.now() - startedAt) / 1000;
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_EGRESS_ALLOW: "" },
    readyWithinMs: PATIENCE_MS,
  });
  stack.defer(async () => void (await platform.stop()));
  const started = since();
  const link = (await readFile(join(folder.path, "setup-link"), "utf8")).trim();
  const context = await chrome.newContext();
  stack.defer(async () => await context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const walker = {
    page,
    async nextPopup(click: () => Promise<void>) {
      const [popup] = await Promise.all([page.waitForEvent("popup"), click()]);
      return popup;
    },
  };
  const { clicks } = await walkToRecords(walker, link);
  const records = since();
  await breakAndRecover(walker);
  return [
    {
      name: "dashboard: first journey, from an empty folder to records",
      value: records,
      unit: "s",
      note: `${clicks} clicks; the server took ${started.toFixed(1)} s to start; bar ${BAR_S}`,
    },
    {
      name: "dashboard: first journey, until the provider has failed and recovered",
      value: since(),
      unit: "s",
      note: `calls are refused for 5 of them; bar ${BAR_S}`,
    },
  ];
}
