import { createServer, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { administer } from "../../../packages/server/src/foundation/testing/administer.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import {
  type Browser,
  OWNER,
  type PeopleUnderTest,
  startPeople,
} from "../../people/people-under-test.ts";
import { addConnections, waitFor } from "../fill-environment.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";

let people: PeopleUnderTest;
let owner: Browser;
let port: number;
const received: string[] = [];
/** Of the webhooks that were accepted, by id. */
const headersOf = new Map<string, IncomingHttpHeaders>();
const receiver = createServer((request, response) => {
  request.resume();
  received.push(request.url ?? "");
  if (request.url === "/good") {
    headersOf.set(String(request.headers["webhook-id"]), request.headers);
  }
  response.statusCode = request.url === "/bad" ? 500 : 200;
  response.end("thanks");
});
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", () => resolve()));
  port = Number(Object(receiver.address()).port);
  const environment = "dev";
  const body = {
    primary_url: `http://127.0.0.1:${port}/good`,
    secondary_url: `http://127.0.0.1:${port}/bad`,
    forward: true,
    on_auth_creation: false,
  };
  const set = await owner.call("PATCH", "/environment/webhooks", { environment, body });
  expect(set.status).toBe(200);
  await addConnections(owner, environment, ["alpha"]);
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === environment);
  const sent = await fetch(`${people.url}/webhook/${id}/open`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-shop-event": "thing.made",
      "x-svc-connection-id": "alpha",
    },
    body: '{"thing":"<b>1</b>"}',
  });
  expect(sent.status).toBe(200);
  await waitFor(async () => {
    const { body: list } = await owner.call("GET", "/webhooks/deliveries", { environment });
    const tried = list.data.filter((one: { attempt_count: number }) => one.attempt_count > 0);
    return tried.length === 2;
  });
});
afterAll(async () => {
  await closeBrowser();
  receiver.close();
  await people[Symbol.asyncDispose]();
});

test("webhooks that were sent: receivers, a test event, one with its attempts, sent again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/out");
  const { page } = visit;
  const receivers = page.getByRole("region", { name: "Webhook endpoints" });

  await receivers.getByText("/bad").waitFor();
  await receivers
    .getByText(/95% answered within \d/)
    .first()
    .waitFor();
  await expectAccessible(page);
  await receivers
    .getByRole("listitem")
    .filter({ hasText: "/good" })
    .getByRole("button", { name: "Send a test event" })
    .click();
  await receivers.getByText(/Answered 200/).waitFor();
  await page.getByRole("button", { name: "State" }).click();
  await page.getByRole("menuitemradio", { name: "delivered" }).click();
  await page.waitForURL("**/dev/webhooks/out?state=delivered");
  await page.locator("a[data-row='0']").click();
  const panel = page.getByRole("complementary", { name: "Webhook Forwarded" });
  await panel.getByText("thanks").first().waitFor();
  const signed = panel.getByRole("region", { name: "Headers of attempt 1" });
  const sentId = await signed.getByText(/^msg_/).textContent();
  const sent = headersOf.get(String(sentId));
  expect(sent).toBeDefined();
  await signed.getByText(String(sent?.["webhook-signature"]), { exact: true }).waitFor();
  await signed.getByText(String(sent?.["webhook-timestamp"]), { exact: true }).waitFor();
  const { length } = received;
  await panel.getByRole("button", { name: "Send again" }).click();
  await panel.getByText("Queued again").waitFor();
  await expect.poll(() => received.length).toBe(length + 1);
  await expectAccessible(page);
  await panel.getByRole("link", { name: "Open as a page" }).click();

  await page.getByRole("heading", { name: "Webhook Forwarded", level: 1 }).waitFor();
  await page.getByText('"<b>1</b>"').or(page.getByText("<b>1</b>")).first().waitFor();
  expect(await page.locator("b").count()).toBe(0);
});

test("many are sent again: how many is said before, how far it is after", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/out");
  const { page } = visit;

  await page.getByRole("button", { name: "Send again in bulk" }).click();
  await page.getByText("0 webhooks", { exact: true }).waitFor();
  const isDisabled = await page.getByRole("button", { name: "Send 0 webhooks again" }).isDisabled();
  await page.getByText("All, delivered ones too").click();
  await page.getByText("2 webhooks", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send 2 webhooks again" }).click();

  await page.getByText(/^\d queued again\.$/).waitFor();
  expect(isDisabled).toBe(true);
});

test("a search narrows the list of what was sent, and what is sent again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/out?range=all");
  const { page } = visit;
  const search = page.getByRole("searchbox", { name: "Address, connection, error or id" });

  await search.fill("/BAD");
  await search.press("Enter");
  await page.waitForURL("**/dev/webhooks/out?**q=%2FBAD**");
  await expect.poll(() => page.locator("a[data-row]").count()).toBe(1);
  await expectAccessible(page);

  await page.getByRole("button", { name: "Send again in bulk" }).click();
  await page.getByText("All, delivered ones too").click();
  await page.getByText("1 webhook", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await search.fill("nowhere at all");
  await search.press("Enter");
  await expect.poll(() => page.locator("a[data-row]").count()).toBe(0);
});

test("what was sent is narrowed by the last answer and by integration, also for sending again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/out?range=all");
  const { page } = visit;
  const rows = page.locator("a[data-row]");
  await expect.poll(() => rows.count()).toBe(2);

  await page.getByRole("button", { name: "Last answer" }).first().click();
  await page.getByRole("menuitemradio", { name: "5xx" }).click();
  await page.waitForURL("**/dev/webhooks/out?**status=5xx**");
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole("cell", { name: "500" }).waitFor();
  await page.getByRole("button", { name: "Integration" }).first().click();
  await page.getByRole("menuitemradio", { name: "open" }).click();
  await page.waitForURL("**integration=open**");
  await expect.poll(() => rows.count()).toBe(1);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send again in bulk" }).click();
  await page.getByText("All, delivered ones too").click();

  await page.getByText("1 webhook", { exact: true }).waitFor();
});

test("from a connection to the webhooks that came for it", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/overview");
  const { page } = visit;

  await page.getByRole("link", { name: "Received for it" }).waitFor();
  await page.getByRole("link", { name: "Received for it" }).click();
  await page.waitForURL("**/dev/webhooks/in?**connection=alpha**");
  await page.getByRole("searchbox", { name: "Connection id" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Handle again in bulk" }).click();
  await page.getByText("All, handled ones too").waitFor();
  expect(await page.getByText("Those that failed").count()).toBe(0);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.goBack();
  await page.getByRole("link", { name: "Sent about it" }).click();

  await page.waitForURL("**/dev/webhooks/out?**connection=alpha**");
});

test("webhooks that came: by the keyboard to one, its headers, and handled again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/in");
  const { page } = visit;

  await page.locator("a[data-row='0']").focus();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "Webhook of open" });
  await panel.getByText("thing.made").waitFor();
  await panel.getByRole("button", { name: "Handle again" }).focus();
  await page.keyboard.press("Enter");
  await panel.getByText("Queued to be handled again.").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Handle again in bulk" }).click();
  await page.getByText("All, handled ones too").click();
  await page.getByText("1 webhook", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Handle 1 webhook again" }).click();

  await page.getByText("1 queued again.").waitFor();
});

test("the body of a webhook is shown as text and bytes after a proof of identity, and audited", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/in?range=all");
  const { page } = visit;
  await administer(
    people.database.connectionString,
    "update user_sessions set elevated_until = null",
  );

  await page.getByRole("columnheader", { name: "Passed on for" }).waitFor();
  await page.getByRole("cell", { name: "alpha" }).waitFor();
  await page.locator("a[data-row='0']").click();
  const panel = page.getByRole("complementary", { name: "Webhook of open" });
  await panel.getByRole("button", { name: "Show the body" }).click();
  await page.getByLabel("Your password").fill(OWNER.password);
  await page.getByRole("button", { name: "Confirm" }).click();
  const body = panel.getByRole("region", { name: "Body" });
  await body.getByText('{"thing":"<b>1</b>"}').waitFor();
  expect(await page.locator("b").count()).toBe(0);
  await expectAccessible(page);
  await body.getByRole("link", { name: "Hex" }).click();
  await page.waitForURL("**body=hex**");
  await body.getByText(/000000 {2}7b 22 74 68 69 6e 67/).waitFor();
  await expectAccessible(page);
  await body.getByRole("button", { name: "Hide" }).click();
  await body.getByText(/7b 22 74/).waitFor({ state: "detached" });

  const audited = await owner.call("GET", "/audit?action=revealInboundWebhookBody");
  expect(audited.body.data).toMatchObject(
    [{ outcome: "refused" }, { action: "revealInboundWebhookBody", outcome: "done" }].toReversed(),
  );
});

test("support handles webhooks again, and may read neither body nor change an endpoint", async (context) => {
  await using visit = await openAsRole(context, people, "support", "/dev/webhooks/in?range=all");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  const panel = page.getByRole("complementary", { name: "Webhook of open" });
  await panel.getByRole("button", { name: "Handle again" }).click();
  await panel.getByText("Queued to be handled again.").waitFor();
  expect(await panel.getByRole("button", { name: "Show the body" }).isDisabled()).toBe(true);
  await page.goto(`${dashboardOf(people)}/dev/webhooks/out?range=all&state=delivered`);
  await page.locator("a[data-row='0']").click();
  const sent = page.getByRole("complementary", { name: "Webhook Forwarded" });
  await sent.getByRole("button", { name: "Send again" }).click();
  await sent.getByText("Queued again").waitFor();
  await page.goto(`${dashboardOf(people)}/dev/connections/open/alpha/credentials`);

  const refresh = page.getByRole("button", { name: "Refresh now" });
  await refresh.click();
  await page.getByText("There is nothing to refresh").waitFor();
});

test("a webhook that belongs to no connection is mapped by a rule, which is read back", async (context) => {
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === "dev");
  const sent = await fetch(`${people.url}/webhook/${id}/open?shop=7`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-svc-connection-id": "nobody" },
    body: '{"account":{"plan":"free"}}',
  });
  expect(sent.status).toBe(200);
  await using visit = await openAsOwner(context, people, "/dev/webhooks/in");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  const panel = page.getByRole("complementary", { name: "Webhook of open" });
  await panel.getByText("1 event belongs to no connection").waitFor();
  await panel.getByRole("button", { name: "Map …" }).click();
  await expectAccessible(page);
  const offered = page.locator("datalist option[value='query:shop']");
  await offered.waitFor({ state: "attached" });
  await page.getByLabel("Rule 1: value at").fill("account..plan");
  await page.getByLabel("Rule 1: equals").fill("metadata.plan");
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("alert")
    .getByText(/names in the payload with dots/)
    .waitFor();
  await page.getByLabel("Rule 1: value at").fill("account.plan");
  await page.getByLabel("Type of the event, at").fill("query:shop");
  await page.getByRole("button", { name: "Save" }).click();
  await panel.getByRole("link", { name: "alpha" }).waitFor();
  await panel.getByText("belongs to no connection").waitFor({ state: "detached" });
  await page.goto(`${dashboardOf(people)}/dev/integrations/open`);
  await page.getByRole("button", { name: "Webhook rules …" }).click();
  await expect
    .poll(async () => await page.getByLabel("Rule 1: value at").inputValue())
    .toBe("account.plan");
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await isTooWide(page)).toBe(false);
  await page.getByRole("button", { name: "Remove rule 1" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });

  const read = await owner.call("GET", "/integrations/open", { environment: "dev" });
  expect(read.body.data.settings.webhooks).toEqual({ match: [], type: "query:shop" });
});

test("who may only look sees webhooks, and why the buttons do nothing", async (context) => {
  await using visit = await openAsRole(context, people, "support", "/dev/webhooks/out");
  const { page } = visit;
  const test = page.getByRole("button", { name: "Send a test event" }).first();

  await test.waitFor();
  expect(await test.isDisabled()).toBe(true);
  await test.focus();
  await page
    .getByRole("tooltip")
    .filter({ hasText: /environment:webhooks:write/ })
    .waitFor();
  await expectAccessible(page);
});

test("empty, filtered and gone are said as what they are; a phone shows the list", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using visit = await openAsOwner(context, people, "/prod/webhooks/out?range=all", {
    viewport,
  });
  const { page } = visit;

  await page.getByText("No webhooks sent yet").waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/prod/webhooks/in?range=all`);
  await page.getByText("No webhooks received yet").waitFor();
  await page.goto(`${dashboardOf(people)}/dev/webhooks/in?state=duplicate`);
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.locator("a[data-row='0']").click();
  await page.getByRole("heading", { name: "Webhook of open" }).waitFor();
  await expectAccessible(page);
  const isWide = await isTooWide(page);
  await page.goto(`${dashboardOf(people)}/dev/webhooks/out/${crypto.randomUUID()}`);

  await page.getByRole("alert").getByText("not_found").waitFor();
  await page.getByText("What the link leads to is not in this environment.").waitFor();
  await page.getByRole("alert").getByRole("link", { name: "Webhooks out" }).waitFor();
  expect(isWide).toBe(false);
});
