import { describeIntegration, startVendor, type Vendor } from "@jackfield/simulator";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  newBundle,
  newSync,
  newUpload,
} from "../../../packages/server/src/functions/testing/index.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { wakeWork } from "../../wake-work.ts";
import { dashboardOf, expectAccessible, openAsOwner } from "../open-dashboard.ts";

// What the screens say of connections that providers refuse, by the faults of a simulated one.

// Problems are looked for every 30 seconds.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const patience = { timeout: 120_000, interval: 500 };
const environment = "dev";

let people: PeopleUnderTest;
let owner: Browser;
const vendors: Vendor[] = [];
const byKey = new Map<string, Vendor>();

beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await startIntegration("withdrawn", { revoke_grants: true }, ["ada", "bob"]);
  await startIntegration("away", { token_error_in_200: true }, ["cleo"]);
  await startIntegration(
    "refused",
    { refuse_client: true },
    ["dora", "emil", "fay"],
    "rotated-away",
  );
  await failTwice("withdrawn", "ada", "contacts");
  await deploySync("away", "broken", 'throw new Error("a bug");');
  await failTwice("away", "cleo", "broken");
  const kinds = ["client_refused", "needs_reauthorization", "refresh_backoff", "sync_failing"];
  await vi.waitFor(async () => expect(await listKinds()).toEqual(kinds), patience);
});
afterAll(async () => {
  await closeBrowser();
  for (const vendor of vendors) await vendor[Symbol.asyncDispose]();
  await people[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, { environment, body });
  expect(answer.status, answer.text).toBeLessThan(500);
  return answer;
}

/** An integration whose connections have met a fault, and one more, `gil`, that works. */
async function startIntegration(
  key: string,
  faults: Parameters<Vendor["setFaults"]>[0],
  ids: readonly string[],
  wrongSecret?: string,
): Promise<void> {
  const vendor = await startVendor("hubspot");
  vendors.push(vendor);
  byKey.set(key, vendor);
  const { credentials: client, ...described } = describeIntegration(vendor);
  const credentials = { ...client, ...(wrongSecret && { client_secret: wrongSecret }) };
  await call("POST", "/integrations", { ...described, credentials, unique_key: key });
  await deploySync(key, "contacts", 'await svc.get({ endpoint: "/sample/thing" });');
  const newOnes = ids.map((id) => ({ id, ...vendor.newConnection() }));
  vendor.setFaults(faults);
  const ended = { expires_at: new Date(Date.now() - 3_600_000).toISOString() };
  for (const { id, credentials, ...rest } of newOnes) {
    await connect(key, id, { ...rest, credentials: { ...credentials, ...ended } });
  }
  await connect(key, "gil", { ...vendor.newConnection() });
}

async function deploySync(key: string, name: string, code: string): Promise<void> {
  const fileBody = newBundle("sync", code);
  const sync = newSync(name, { providerConfigKey: key, runs: "every day", fileBody });
  expect((await call("POST", "/sync/deploy", newUpload({ flowConfigs: [sync] }))).status).toBe(200);
}

async function connect(key: string, id: string, body: object): Promise<void> {
  const tags = { end_user_id: id };
  const made = { provider_config_key: key, connection_id: id, tags, ...body };
  expect((await call("POST", "/connections", made)).status).toBe(201);
}

async function failTwice(key: string, id: string, name: string): Promise<void> {
  const body = { provider_config_key: key, connection_id: id, syncs: [name] };
  for (let nth = 1; nth <= 2; nth += 1) {
    await vi.waitFor(async () => {
      const path = `/syncs?provider_config_key=${key}&connection_id=${id}`;
      const [sync] = (await call("GET", `${path}&name=${name}`)).body.data;
      expect(sync?.running_run_id).toBeNull();
      expect(sync?.consecutive_failures).toBeGreaterThanOrEqual(nth);
    }, patience);
    if (nth === 1) await call("POST", "/sync/trigger", body);
  }
}

async function listKinds(): Promise<string[]> {
  await wakeWork(people.database);
  const { body } = await call("GET", "/problems?state=open");
  return body.data.map(({ kind }: { kind: string }) => kind).toSorted();
}

/** The page of the only problem of a kind. */
async function openProblem(page: Page, kind: string): Promise<void> {
  await page.goto(`${dashboardOf(people)}/dev/problems?kind=${kind}`);
  await page.locator("a[data-row='0']").click();
  await page.getByRole("heading", { name: "What happens by itself" }).waitFor();
}

test("a withdrawn grant: the provider's words, who else works, what becomes of the sync, and the links that help", async (context) => {
  const path = "/dev/connections/withdrawn/ada/overview";
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;

  await page.getByText("The provider refuses these credentials").waitFor();
  await page.getByText("the grant was withdrawn").waitFor();
  await page.getByText("Other connections of this integration: 1 of 2 work.").waitFor();
  expect(await page.getByText("keeps failing").count()).toBe(0);
  await expectAccessible(page);
  await openProblem(page, "needs_reauthorization");
  await page.getByText(/syncs that failed for it run at once then/).waitFor();
  await page.getByText("The token endpoint answered 400").waitFor();

  expect(await page.getByRole("button", { name: "New reconnect link" }).count()).toBe(2);
});

test("a token endpoint that fails: when it is tried again, and the button that tries now", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/away/cleo/overview");
  const { page } = visit;

  await page.getByText("The provider issues no new token").waitFor();
  await page.getByText(/Since .*Next try .*: 1 of 1 work\./).waitFor();
  await expectAccessible(page);
  await openProblem(page, "refresh_backoff");
  await page.getByRole("link", { name: "cleo" }).waitFor();
  await page.getByRole("button", { name: "Try now" }).click();

  await page.getByText("1 refresh started.").waitFor();
});

test("a client that is refused is one problem of its connections, and leads to the client", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "client_refused");
  await expectAccessible(page);
  await page.getByText("Who is affected: 3 connections").waitFor();
  await page.getByText(/invalid_client/).waitFor();
  await page.getByRole("link", { name: "Edit credentials" }).click();

  await page.waitForURL("**/dev/integrations/refused/credentials?field=client_secret");
  await page
    .getByLabel(/^Client secret/)
    .and(page.locator(":focus"))
    .waitFor();
});

test("a connection of a refused client says that no retry helps, how many are affected, and where to correct it", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/refused/dora/overview");
  const { page } = visit;

  await page.getByText("refuses the client id or client secret of the integration").waitFor();
  await page.getByText(/No retry helps until somebody corrects the integration/).waitFor();
  await page
    .getByText(/invalid_client/)
    .first()
    .waitFor();
  await page.getByText("3 of 4 connections of this integration cannot be refreshed.").waitFor();
  await expectAccessible(page);
  const vendor = byKey.get("refused");
  vendor?.setFaults({ refuse_client: false });
  await page.getByRole("link", { name: "Edit credentials" }).click();
  const secret = page.getByLabel(/^Client secret/);
  await secret.and(page.locator(":focus")).waitFor();
  await page.keyboard.type(vendor?.samples.client.secret ?? "");
  await page.keyboard.press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();
  const left = await secret.inputValue();
  await page.goBack();
  await page.getByRole("button", { name: "Refresh now" }).click();

  await page.getByText("refuses the client id or client secret").waitFor({ state: "detached" });
  await page.locator(".badge", { hasText: "works" }).first().waitFor();
  expect(left).toBe("");
});

test("a sync that fails for its own bug is a problem next to that of its connection", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await page.getByText("The sync broken of away keeps failing for 1 connection").waitFor();
  await page
    .getByText("Tokens of 1 connection of away cannot be refreshed at the moment")
    .waitFor();

  await page.goto(`${dashboardOf(people)}/dev/connections/away/cleo/overview`);
  await page.getByText("The sync broken keeps failing").waitFor();
  await page.getByText("The provider issues no new token").waitFor();
});

test("a provider that is away: what is refused, until when, for whom, and where its connections are checked", async (context) => {
  const vendor = await startVendor("hubspot");
  await call("POST", "/integrations", { ...describeIntegration(vendor), unique_key: "gone" });
  await connect("gone", "hal", { ...vendor.newConnection() });
  await vendor[Symbol.asyncDispose]();
  for (let nth = 0; nth < 7; nth += 1) {
    const body = { provider_config_key: "gone", connection_id: "hal", path: "/x" };
    const tried = await owner.call("POST", "/proxy-requests", { environment, body });
    expect(tried.body.error.code).toMatch(/^upstream_/);
  }
  await vi.waitFor(async () => expect(await listKinds()).toContain("provider_down"), patience);
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "provider_down");
  await page.getByRole("heading", { name: "The provider of gone is not reached" }).waitFor();
  await page.getByText(/takes no connections\./).waitFor();
  await page.getByText("Calls fail at once instead of waiting").waitFor();
  const about = page.getByRole("region", { name: "About" });
  await about.getByText("Since").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Failed operations" }).waitFor();
  await page.getByRole("link", { name: "Check a connection" }).click();

  await page.waitForURL("**/dev/connections?integration=gone");
  await page.getByRole("cell", { name: "hal" }).first().waitFor();
});
