import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  newAction,
  newBundle,
  newSync,
  newUpload,
} from "../../../packages/server/src/functions/testing/index.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { wakeWork } from "../../wake-work.ts";
import { addConnections, deployFunction } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, openAsOwner } from "../open-dashboard.ts";

// What the screens say of syncs that do not run, deletes that are refused, and functions that fail.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const patience = { timeout: 90_000, interval: 500 };
const environment = "dev";
const MINUTE = 60_000;

let people: PeopleUnderTest;
let owner: Browser;
let aheadMs = 0;

beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  // Of two slots an environment may have one.
  people = await startPeople({ SVC_RUN_PLACES: "2" }, { clock });
  owner = await people.owner();
  await addConnections(owner, environment, ["ada"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, { environment, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

const saving = (count: number) => `
  await svc.trackDeletesStart("Contact");
  await svc.batchSave(Array.from({ length: ${count} }, (_, n) => ({ id: "contact-" + n })), "Contact");
  await svc.trackDeletesEnd("Contact");`;

/** A bundle of a sync of the model Contact whose `exec` has this body. */
function bundleOf(body: string): { js: string; ts: string } {
  const any =
    "{ safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) }";
  const exec = `async (svc) => { ${body} }`;
  return {
    js: `module.exports.default = { type: "sync", models: { Contact: ${any} }, exec: ${exec} };`,
    ts: body,
  };
}

async function deploySync(name: string, code: string): Promise<void> {
  const fileBody = bundleOf(code);
  const given = { providerConfigKey: "open", runs: "every day", fileBody, models: ["Contact"] };
  await call("POST", "/sync/deploy", newUpload({ flowConfigs: [newSync(name, given)] }));
}

async function deployAction(version: string, code: string): Promise<void> {
  const fileBody = newBundle("action", code);
  const action = newAction("greet", { providerConfigKey: "open", fileBody, version });
  await call("POST", "/sync/deploy", newUpload({ flowConfigs: [action] }));
}

async function syncOf(name: string) {
  const { body } = await call("GET", `/syncs?provider_config_key=open&name=${name}`);
  return body.data[0];
}

async function run(name: string): Promise<void> {
  const body = { provider_config_key: "open", connection_id: "ada", syncs: [name] };
  await call("POST", "/sync/trigger", body);
}

async function waitForProblem(kind: string): Promise<void> {
  await vi.waitFor(async () => {
    await wakeWork(people.database);
    const { body } = await call("GET", `/problems?state=open&kind=${kind}`);
    expect(body.data).toHaveLength(1);
  }, patience);
}

async function openProblem(page: Page, kind: string): Promise<void> {
  await page.goto(`${dashboardOf(people)}/dev/problems?kind=${kind}`);
  await page.locator("a[data-row='0']").click();
  await page.getByRole("heading", { name: "What happens by itself" }).waitFor();
}

test("deletes that the guard refused: how many of how many, which, and what allows them", async (context) => {
  await call("PATCH", "/environment/settings", { delete_guard: { share: 0.5 } });
  await deploySync("contacts", saving(30));
  await vi.waitFor(async () => {
    const ran = { reason: null, last_success_at: expect.any(String) };
    expect(await syncOf("contacts")).toMatchObject(ran);
  }, patience);
  await deploySync("contacts", saving(2));
  await run("contacts");
  await waitForProblem("delete_guard");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "delete_guard");
  await page.getByText("The provider no longer has 28 of 30 stored records (93.3 %).").waitFor();
  await page.getByText("28 records of 30: 93.3%.").waitFor();
  await page.getByText(/The guard stopped the run at /).waitFor();
  expect(await page.getByLabel("Some of them, by id").getByRole("listitem").count()).toBe(20);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Allow the deletes" }).click();
  await page.getByText("28 deletes of Contact").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Allow the deletes" }).click();

  await page.getByText("The deletes are allowed; the next run makes them.").waitFor();
});

test("a function that fails: the version that began it, what it changed, and the way back", async (context) => {
  await deployAction("1.0.0", 'return "hello";');
  await deployAction("1.1.0", 'throw new Error("no such greeting");');
  for (let nth = 0; nth < 3; nth += 1) {
    const headers = { "connection-id": "ada", "provider-config-key": "open" };
    const body = { action_name: "greet", input: {} };
    const answer = await owner.call("POST", "/action/trigger", { environment, headers, body });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }
  await waitForProblem("function_error");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "function_error");
  await page.getByText(/Version 1\.1\.0, deployed .*, is the first that shows it\./).waitFor();
  await page.locator(".line.added", { hasText: "no such greeting" }).waitFor();
  await page.getByRole("link", { name: "Try the function" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Roll back" }).click();
  await page.getByRole("dialog").getByRole("button", { name: /dev/ }).click();

  await page.getByText(/Rolled back\./).waitFor();
});

test("values that do not match a schema: whose, how often, and what becomes of them", async (context) => {
  const code = `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Says a number",
  version: "1.0.0",
  input: z.any(),
  output: z.object({ n: z.number() }),
  exec: async (): Promise<any> => ({ n: "not a number" }),
});
`;
  await deployFunction(owner, environment, { type: "action", name: "number", code });
  for (let nth = 0; nth < 2; nth += 1) {
    const headers = { "connection-id": "ada", "provider-config-key": "open" };
    const body = { action_name: "number", input: {} };
    await owner.call("POST", "/action/trigger", { environment, headers, body });
  }
  await waitForProblem("validation_drift");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "validation_drift");
  await page
    .getByRole("heading", { name: "The output of number of open no longer matches the schema" })
    .waitFor();
  await page.getByText(/did not match the schema 2 times\./).waitFor();
  await page.getByText("What the settings of the environment say").waitFor();
  const about = page.getByRole("region", { name: "About" });
  await about.getByText("Since").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Failed operations" }).waitFor();
  await page.getByRole("link", { name: "Its versions, to take one back" }).click();

  await page.waitForURL("**/dev/functions?**integration=open**");
});

test("a sync that is late says what holds it up", async (context) => {
  await deploySync("slow", "await new Promise((resolve) => setTimeout(resolve, 300_000));");
  await vi.waitFor(
    async () => expect((await syncOf("slow")).running_run_id).not.toBeNull(),
    patience,
  );
  await deploySync("behind", saving(1));
  aheadMs = 12 * MINUTE;
  await waitForProblem("sync_late");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "sync_late");
  const held = "The environment has 1 run in progress, of 1 that it may have at once.";
  await page.getByText(held).waitFor();
  await page.getByRole("button", { name: "Run now" }).waitFor();
  await page.getByRole("link", { name: "Workers and queue" }).waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/syncs?name=behind`);
  await page.getByText(held).waitFor();
  expect((await syncOf("behind")).delay).toMatchObject({
    ...{ reason: "environment_busy", running: 1, limit: 1, attempts: null },
  });
});
