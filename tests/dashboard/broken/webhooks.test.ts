import { createServer } from "node:http";
import { describeIntegration, startVendor, type Vendor } from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { administer } from "../../../packages/server/src/foundation/testing/administer.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { wakeWork } from "../../wake-work.ts";
import { addConnections } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner } from "../open-dashboard.ts";

// What the screens say of webhooks that are not received, and of those that cannot be handled.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const patience = { timeout: 120_000, interval: 500 };
const environment = "dev";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let people: PeopleUnderTest;
let owner: Browser;
let vendor: Vendor;
let environmentId = "";
let isFull = false;
let aheadMs = 0;
const received: string[] = [];
const receiver = createServer((request, response) => {
  request.resume();
  if (isFull) {
    response.writeHead(507).end("no room left on the receiver");
    return;
  }
  received.push(String(request.headers["webhook-id"]));
  response.writeHead(200).end();
});
let address = "";

beforeAll(async () => {
  people = await startPeople({}, { clock: { now: () => new Date(Date.now() + aheadMs) } });
  owner = await people.owner();
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", () => resolve()));
  address = `http://127.0.0.1:${Number(Object(receiver.address()).port)}/hooks`;
  await call("PATCH", "/environment/webhooks", {
    ...{ primary_url: address, forward: true, on_auth_creation: false },
  });
  const { body: me } = await owner.call("GET", "/me");
  environmentId = me.data.environments.find(
    ({ name }: { name: string }) => name === environment,
  ).id;
  await addConnections(owner, environment, ["alpha"]);
  vendor = await startVendor("hubspot");
  await call("POST", "/integrations", { ...describeIntegration(vendor), unique_key: "crm" });
});
afterAll(async () => {
  await closeBrowser();
  receiver.close();
  await vendor[Symbol.asyncDispose]();
  await people[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, { environment, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

async function change(statement: string): Promise<void> {
  await administer(people.database.connectionString, statement);
}

/** A webhook of a shop, which the environment forwards to its receiver. */
async function sendThing(): Promise<void> {
  const sent = await fetch(`${people.url}/webhook/${environmentId}/open`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"thing":"1"}',
  });
  expect(sent.status).toBe(200);
}

/** A signed event of the vendor, of a portal that is not connected. */
async function sendOfVendor(): Promise<void> {
  const sent = await fetch(`${vendor.origin}/.simulator/webhook`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: `${people.url}/webhook/${environmentId}/crm` }),
  });
  expect(await sent.json()).toMatchObject({ status: 200, signed: true });
}

async function waitForProblem(kind: string, state = "open"): Promise<void> {
  await vi.waitFor(async () => {
    await wakeWork(people.database);
    const { body } = await call("GET", `/problems?state=${state}&kind=${kind}`);
    expect(body.data).toHaveLength(1);
  }, patience);
}

test("a webhook that fits no connection says what was looked for, and where that is mended", async (context) => {
  await sendOfVendor();
  await using visit = await openAsOwner(context, people, "/dev/webhooks/in?integration=crm");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByText("1 event belongs to no connection").waitFor();
  await page.getByText(/config\.portalId = /).waitFor();
  await page.getByText("No connection fits.").waitFor();
  await page.getByRole("cell", { name: "signature" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open the integration" }).click();

  await page.waitForURL("**/dev/integrations/crm**");
});

test("a webhook that could not be handled is a problem, and is handled again from its page", async (context) => {
  // What is stored cannot be decrypted, however often it is tried.
  await change("create table intact as select id, request from inbound_webhooks");
  const isOfVendor = `types @> '["contact.creation"]'`;
  await change(`update inbound_webhooks set request = '\\x00' where ${isOfVendor}`);
  const [sent] = (await call("GET", "/webhooks/inbox?provider_config_key=crm")).body.data;
  await call("POST", `/webhooks/inbox/${sent.id}/replay`);
  await vi.waitFor(async () => {
    aheadMs += 30 * MINUTE;
    await wakeWork(people.database);
    const { body } = await call("GET", "/webhooks/inbox?state=failed");
    expect(body.data).toHaveLength(1);
  }, patience);
  await waitForProblem("inbox_failed");
  await change(
    "update inbound_webhooks w set request = i.request from intact i where i.id = w.id and w.state = 'failed'",
  );
  const [failed] = (await call("GET", "/webhooks/inbox?state=failed")).body.data;
  await using visit = await openAsOwner(context, people, "/dev/problems?kind=inbox_failed");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByText("1 webhook of crm could not be handled").first().waitFor();
  await page.getByText(failed.error).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "What was received" }).click();
  await page.locator("a[data-row='0']").click();
  await page.getByRole("region").getByText(failed.error).waitFor();
  await page.getByRole("button", { name: "Handle again", exact: true }).click();
  await page.getByText("Queued to be handled again.").waitFor();

  await waitForProblem("inbox_failed", "resolved");
});

test("a receiver that fails: its answer, what waits, when it is tried again, and a test", async (context) => {
  isFull = true;
  received.length = 0;
  for (let nth = 0; nth < 3; nth += 1) await sendThing();
  await waitForProblem("receiver_failing");
  await using visit = await openAsOwner(context, people, "/dev/webhooks/out");
  const { page } = visit;

  await page.getByText(`Webhooks to ${address} are not received`).waitFor();
  await page.getByText(/Last answer: 507\. 3 webhooks wait\. Next attempt /).waitFor();
  await page.getByText("1 open problem").first().waitFor({ state: "attached" });
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole("link", { name: "What helps" }).click();
  await page.getByText("HTTP status 507").waitFor();
  await page.getByText("no room left on the receiver").waitFor();
  await page.getByText(/5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h/).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText("It answered 507.").waitFor();
});

test("a receiver that was disabled: what is held goes out once it is enabled", async (context) => {
  // Nothing was received for so long; sessions have ended as well.
  aheadMs = 6 * DAY;
  owner = await people.owner();
  await waitForProblem("receiver_disabled");
  await using visit = await openAsOwner(context, people, "/dev/problems?kind=receiver_disabled");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByText("Webhooks are held and not lost.").waitFor();
  await page.getByText("3 webhooks", { exact: true }).waitFor();
  await expectAccessible(page);
  isFull = false;
  await page.getByRole("button", { name: "Enable, and send what was held" }).click();
  await page.getByText("It is enabled; what was held goes out.").waitFor();

  await vi.waitFor(() => expect(new Set(received).size).toBe(3), patience);
  await page.goto(`${dashboardOf(people)}/dev/webhooks/out`);
  await page.getByText("are held").waitFor({ state: "detached" });
});
