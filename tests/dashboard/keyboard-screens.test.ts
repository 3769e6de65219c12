import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import {
  type Browser,
  OWNER,
  type PeopleUnderTest,
  startPeople,
} from "../people/people-under-test.ts";
import { deployThings, runThings } from "./deployed-sync.ts";
import { addConnections, waitFor } from "./fill-environment.ts";
import { openAsOwner } from "./open-dashboard.ts";
import {
  choose,
  leavePanel,
  openNamed,
  openRow,
  press,
  tabTo,
  typeInto,
} from "./walks/keyboard.ts";

// The daily work of each screen with Tab, Enter, Escape and the arrow keys: no pointer, and no focus that a script sets.

vi.setConfig({ testTimeout: 120_000 });

const environment = "dev";

let people: PeopleUnderTest;
let owner: Browser;
let receiver: Server;
let received = 0;
beforeAll(async () => {
  receiver = createServer((_request, response) => {
    received += 1;
    response.end("thanks");
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  await deployThings(owner, environment);
  await runThings(owner, environment, "alpha");
  const primary_url = `http://127.0.0.1:${Number(Object(receiver.address()).port)}/hooks`;
  const body = { primary_url, forward: true };
  await owner.call("PATCH", "/environment/webhooks", { environment, body });
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === environment);
  await fetch(`${people.url}/webhook/${id}/open`, { method: "POST", body: '{"type":"made"}' });
  await waitFor(async () => received > 0);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  receiver.close();
});

test("connections: one is opened and checked, and its metadata is changed", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;

  await press(page, page.locator("a[data-row='0']"));
  await page.waitForURL("**/connections/open/alpha/overview");
  await press(page, page.getByRole("link", { name: "Credentials" }));
  await press(page, page.getByRole("button", { name: "Check now" }));
  await page.getByText("Test request.").waitFor();
  await press(page, page.getByRole("link", { name: "Settings", exact: true }));
  await press(page, page.getByRole("button", { name: "Edit" }));
  await typeInto(page, page.getByRole("textbox", { name: "Metadata" }), '{"plan":"paid"}');
  await press(page, page.getByRole("button", { name: "Review the changes" }));
  await press(page, page.getByRole("button", { name: "Save metadata" }));

  await expect
    .poll(async () => {
      const path = "/connections?connectionId=alpha&integrationId=open";
      const { body } = await owner.call("GET", path, { environment });
      return body.connections[0].metadata;
    })
    .toEqual({ plan: "paid" });
});

test("syncs: one is run, started and paused from its panel", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/syncs");
  const { page } = visit;

  const panel = await openRow(page);
  await press(page, panel.getByRole("button", { name: "Run now" }));
  await panel.getByText("+0 ~0 −0").first().waitFor();
  await press(page, panel.getByRole("button", { name: "Resume" }));
  // While a press is worked on, the button takes no other.
  await panel.locator("button:not([data-pending])", { hasText: "Pause" }).waitFor();
  await press(page, panel.getByRole("button", { name: "Pause" }));
  await panel.getByRole("button", { name: "Resume" }).waitFor();

  await leavePanel(page);
});

test("operations: the list is filtered, and one is read from its panel to its page", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all");
  const { page } = visit;

  await choose(
    page,
    page.getByRole("button", { name: "Type" }),
    page.getByRole("menuitemcheckbox", { name: "sync", exact: true }),
  );
  await page.keyboard.press("Escape");
  await page.waitForURL(/types=sync/);
  const panel = await openRow(page);
  await leavePanel(page);
  await page.keyboard.press("Enter");
  await press(page, panel.getByRole("link", { name: "Open as a page" }));

  await page.waitForURL(/\/operations\/[\w-]{36}/);
  await page.getByText("Messages", { exact: true }).first().waitFor();
});

test("webhooks: one is sent again, and one that was received is handled again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/out");
  const { page } = visit;
  const before = received;

  const sent = await openRow(page);
  await press(page, sent.getByRole("button", { name: "Send again" }));
  await sent.getByText("Queued again").waitFor();
  await leavePanel(page);
  await press(page, page.getByRole("link", { name: "Webhooks in" }));
  await page.waitForURL("**/dev/webhooks/in");
  const came = await openRow(page);
  await press(page, came.getByRole("button", { name: "Handle again" }));
  await came.getByText("Queued to be handled again.").waitFor();

  await expect.poll(() => received).toBeGreaterThan(before);
});

test("records: from the models to a record, and its fields", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/records");
  const { page } = visit;

  await press(page, page.locator("a[data-row='0']"));
  await page.waitForURL("**/records/open/alpha/Thing");
  const panel = await openRow(page);
  await panel.getByText('"id"').first().waitFor();

  await leavePanel(page);
});

test("keys: one is made after the step-up, and deleted", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/keys");
  const { page } = visit;
  await page.getByRole("button", { name: "New key" }).waitFor();
  await people.database.pool.query("update user_sessions set elevated_until = null");

  await press(page, page.getByRole("button", { name: "New key" }));
  await typeInto(page, page.getByRole("textbox", { name: "Name" }), "by keyboard");
  await choose(
    page,
    page.getByRole("button", { name: /Used for/ }),
    page.getByRole("option", { name: "CI that deploys" }),
  );
  await press(page, page.getByRole("button", { name: "Create the key" }));
  await typeInto(page, page.getByLabel("Your password"), OWNER.password);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "For your .env file" }).waitFor();
  await press(page, page.getByRole("button", { name: "Done" }));
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await openNamed(page, "by keyboard");
  const panel = page.getByRole("complementary", { name: "by keyboard" });
  await press(page, panel.getByRole("button", { name: "Delete the key" }));
  await press(page, page.getByRole("button", { name: "Delete the key in dev" }));

  await page.getByRole("cell", { name: "by keyboard" }).waitFor({ state: "detached" });
});

test("settings: a switch is turned, a variable is set and deleted", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/settings/webhooks");
  const { page } = visit;

  await tabTo(page, page.getByRole("switch", { name: /A run of a sync failed/ }));
  await page.keyboard.press("Space");
  await press(page, page.getByRole("button", { name: "Save", exact: true }).nth(1));
  await page.getByText("Saved", { exact: true }).waitFor();
  await press(page, page.getByRole("link", { name: "Variables" }));
  await typeInto(page, page.getByRole("textbox", { name: "Name" }), "REGION");
  await typeInto(page, page.getByLabel("Value"), "north");
  await page.keyboard.press("Enter");
  await press(page, page.getByRole("button", { name: "Delete REGION" }));
  await press(page, page.getByRole("button", { name: "Delete the variable in dev" }));

  await page.getByText("No variables yet").waitFor();
});

test("people: somebody is invited, gets another role, and is removed", async (context) => {
  await using visit = await openAsOwner(context, people, "/people");
  const { page } = visit;

  await press(page, page.getByRole("button", { name: "Invite someone" }));
  await typeInto(page, page.getByLabel("Name"), "Grace Hopper");
  await typeInto(page, page.getByLabel("E-mail address"), "grace@example.com");
  await press(page, page.getByRole("button", { name: "Create the invitation" }));
  await page.getByText(/\/dashboard\/invite#/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await openNamed(page, "Grace Hopper");
  await choose(
    page,
    page.getByRole("button", { name: "developer Role" }),
    page.getByRole("option", { name: "support" }),
  );
  await press(page, page.getByRole("button", { name: "Save the rights" }));
  await page
    .getByText(/^support · /)
    .first()
    .waitFor();
  await press(page, page.getByRole("button", { name: "Remove", exact: true }));
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Remove" }));

  await page.getByRole("link", { name: "Grace Hopper" }).waitFor({ state: "detached" });
});
