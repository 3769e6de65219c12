import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  newBundle,
  newSync,
  newUpload,
} from "../../../packages/server/src/functions/testing/index.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type DataFolder, makeDataFolder } from "../../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../../launcher/platform-process.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { wakeWork } from "../../wake-work.ts";
import { addConnections } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, openAsOwner } from "../open-dashboard.ts";

// What the screens say of a run that ends its workers, which are processes of their own here.

vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 });

const patience = { timeout: 120_000, interval: 500 };
const environment = "dev";

let folder: DataFolder;
let people: PeopleUnderTest;
let owner: Browser;
let worker: PlatformProcess | undefined;

beforeAll(async () => {
  folder = await makeDataFolder();
  people = await startPeople({ SVC_DATA_DIR: folder.path, SVC_ROLES: "api" });
  owner = await people.owner();
  await addConnections(owner, environment, ["ada"]);
  worker = await startWorker();
});
afterAll(async () => {
  await closeBrowser();
  await worker?.kill();
  await people[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function startWorker(): Promise<PlatformProcess> {
  return await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_DATABASE_URL: people.database.connectionString,
      SVC_DATABASE_POOLED: "false",
      SVC_ROLES: "worker",
      SVC_LOG_LEVEL: "error",
    },
  });
}

async function call(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, { environment, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

/** How often the run of the sync was begun; nothing while none is in progress. */
async function countBegins(): Promise<number | undefined> {
  const { rows } = await people.database.pool.query<{ attempts: number }>(
    "select attempts from runs where state = 'running'",
  );
  return rows[0]?.attempts;
}

test("a run that ends its worker again and again: how often, what becomes of it, and the button that cancels it", async (context) => {
  const body = "await new Promise((resolve) => setTimeout(resolve, 300_000));";
  const fileBody = newBundle("sync", body);
  const sync = newSync("slow", { providerConfigKey: "open", runs: "every day", fileBody });
  await call("POST", "/sync/deploy", newUpload({ flowConfigs: [sync] }));
  for (let begun = 1; begun < 3; begun += 1) {
    await vi.waitFor(async () => expect(await countBegins()).toBe(begun), patience);
    await worker?.kill();
    worker = await startWorker();
  }
  await vi.waitFor(async () => expect(await countBegins()).toBe(3), patience);
  await vi.waitFor(async () => {
    await wakeWork(people.database);
    const { body: found } = await call("GET", "/problems?state=open&kind=run_stuck");
    expect(found.data).toHaveLength(1);
  }, patience);
  await using visit = await openAsOwner(context, people, "/dev/problems?kind=run_stuck");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByText("Its worker stopped during the run. It was started 3 times.").waitFor();
  await page.getByText("Begun 3 times.").waitFor();
  await page.getByText(/Who is affected: 1 connection/).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel the run" }).click();
  await page.getByText("The run ends within seconds.").waitFor();

  await vi.waitFor(async () => expect(await countBegins()).toBeUndefined(), patience);
  await page.goto(`${dashboardOf(people)}/dev/syncs?name=slow`);
});
