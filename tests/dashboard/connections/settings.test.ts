import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";

vi.setConfig({ testTimeout: 90_000 });

const environment = "dev";
let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  await call("POST", "/integrations", { provider: "shopify", unique_key: "desk", credentials });
  await call("POST", "/connections", {
    ...{ provider_config_key: "desk", connection_id: "beta" },
    credentials: { type: "OAUTH2", access_token: "canary" },
    connection_config: { subdomain: "acme", note: "first" },
  });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

const credentials = { type: "OAUTH2", client_id: "id", client_secret: "s", scopes: "read" };

async function call(method: string, path: string, body: object): Promise<void> {
  const { status, text } = await owner.call(method, path, { environment, body });
  expect(status, text).toBeLessThan(300);
}

async function read(integration: string, id: string) {
  const path = `/connections?connectionId=${id}&integrationId=${integration}`;
  return (await owner.call("GET", path, { environment })).body.connections[0];
}

test("metadata is edited as JSON by the keyboard, with its faults at the text, and compared before it is saved", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/settings");
  const { page } = visit;
  const editor = page.getByRole("textbox", { name: "Metadata" });
  const review = page.getByRole("button", { name: "Review the changes" });

  await page.getByRole("button", { name: "Edit" }).press("Enter");
  await editor.getByText('"plan"').waitFor();
  await expectAccessible(page);
  const isFirstHeld = await review.isDisabled();
  await editor.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText('{ "plan": paid }');
  await page
    .getByRole("alert")
    .getByText(/This is not JSON: .*line 1, column 11/)
    .waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("[1]");
  await page.getByRole("alert").getByText("This is not a JSON object.").waitFor();
  await expectAccessible(page);
  const isHeld = await review.isDisabled();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText('{ "plan": "paid", "seats": 3 }');
  await review.press("Enter");
  const diff = page.getByRole("region", { name: "Changes of the metadata" });
  await diff.locator(".removed", { hasText: '"plan": "free"' }).waitFor();
  await diff.locator(".added", { hasText: '"seats": 3' }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save metadata" }).press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();

  expect([isFirstHeld, isHeld]).toEqual([true, true]);
  expect((await read("open", "alpha")).metadata).toEqual({ plan: "paid", seats: 3 });
});

test("metadata that the server refuses leads back to the text, which stays", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/settings");
  const { page } = visit;
  const editor = page.getByRole("textbox", { name: "Metadata" });

  await page.getByRole("button", { name: "Edit" }).click();
  await editor.getByText('"plan"').waitFor();
  await editor.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(String.raw`{ "plan": "a\u0000b" }`);
  await page.getByRole("button", { name: "Review the changes" }).click();
  await page.getByRole("button", { name: "Save metadata" }).click();
  await page.getByRole("alert").waitFor();
  await editor.getByText("u0000").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Edit" }).waitFor();
  expect((await read("open", "alpha")).metadata).not.toHaveProperty("plan", "a\u0000b");
});

test("the configuration is changed field by field, and a fault is at its field", async (context) => {
  const viewport = { width: 360, height: 780 };
  const path = "/dev/connections/desk/beta/settings";
  await using visit = await openAsOwner(context, people, path, { viewport });
  const { page } = visit;
  const form = page.getByRole("region", { name: "Connection configuration" });
  const subdomain = form.getByLabel("Shop", { exact: true });
  const save = form.getByRole("button", { name: "Save" });

  await expect.poll(() => subdomain.inputValue()).toBe("acme");
  await expectAccessible(page);
  const isWide = await isTooWide(page);
  await subdomain.fill("not a host!");
  await save.click();
  await form.getByRole("alert").getByText("Correct the marked fields").waitFor();
  const fault = await subdomain.getAttribute("aria-invalid");
  await expectAccessible(page);
  await subdomain.fill("quay");
  await form.getByLabel("Other values").fill("region=eu");
  await save.press("Enter");
  await form.getByText("Saved", { exact: true }).waitFor();

  expect([fault, isWide]).toEqual(["true", false]);
  const { connection_config: config } = await read("desk", "beta");
  expect(config).toMatchObject({ subdomain: "quay", region: "eu" });
  expect(config).not.toHaveProperty("note");
});

test("a role that may not change a connection reads the scope and its values", async (context) => {
  const path = "/dev/connections/open/alpha/settings";
  await using visit = await openAsRole(context, people, "read-only", path);
  const { page } = visit;

  await page.getByRole("button", { name: "Edit" }).focus();
  const said = page.getByRole("tooltip").filter({ hasText: "environment:connections:update" });
  await said.first().waitFor();
  await page.getByRole("region", { name: "Metadata" }).getByText('"plan"').waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Enter");

  expect(await page.getByRole("textbox", { name: "Metadata" }).count()).toBe(0);
});

test("who deletes a connection reads whose it is and what goes with it", async (context) => {
  const { rows } = await people.database.pool.query<{ count: string }>(
    "select count(*) from connections where deleted_at is null",
  );
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/settings");
  const { page } = visit;

  await page.getByRole("button", { name: "Delete the connection" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("the connection “alpha” of alpha@example.com to").waitFor();
  await dialog.getByText("It has no syncs and no records.").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.goto(`${dashboardOf(people)}/dev/connections/desk/beta/settings`);
  await page.getByRole("button", { name: "Delete the connection" }).click();
  await dialog.getByText("the connection “beta” to Shopify").waitFor();
  await dialog.getByRole("button", { name: "Delete the connection in dev" }).click();
  await page.waitForURL("**/dev/connections");

  expect(Number(rows[0]?.count)).toBe(2);
  expect(await read("desk", "beta")).toBeUndefined();
});
