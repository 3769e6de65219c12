import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import {
  type Browser,
  OWNER,
  type PeopleUnderTest,
  startPeople,
} from "../../people/people-under-test.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("a key is made for a purpose, its secret is shown once, then it is changed and deleted", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/keys");
  const { page } = visit;

  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("ci");
  await page.getByRole("button", { name: /everything Used for/ }).click();
  await page.getByRole("option", { name: "CI that deploys" }).click();
  await page.getByText("environment:deploy").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the key" }).click();
  const line = await page.getByRole("region", { name: "For your .env file" }).textContent();
  const [variable, secret = ""] = String(line).split("=");
  await expectAccessible(page);
  const kept = await page.evaluate(
    "JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href",
  );
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("cell", { name: "ci", exact: true }).getByRole("link").click();
  const html = await page.content();
  const panel = page.getByRole("complementary", { name: "ci" });
  await panel.getByRole("textbox", { name: "Name" }).fill("ci of the shop");
  await panel.getByRole("button", { name: "Save" }).click();
  await page.getByRole("complementary", { name: "ci of the shop" }).waitFor();
  await expectAccessible(page);
  const works = await fetch(`${people.url}/environment`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  await page.getByRole("button", { name: "Delete the key" }).click();
  await page.getByRole("button", { name: "Delete the key in dev" }).click();
  await page.getByRole("cell", { name: "ci of the shop" }).waitFor({ state: "detached" });

  expect(variable).toBe("SVC_SECRET_KEY_DEV");
  expect(secret).toMatch(/^svc_key_/);
  expect(works.status).toBe(200);
  expect(kept).not.toContain(secret);
  expect(html).not.toContain(secret);
  const refused = await fetch(`${people.url}/environment`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(refused.status).toBe(401);
});

test("scopes are chosen one by one, with the keyboard, for a key of the account", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/keys?of=account");
  const { page } = visit;
  await page.getByRole("link", { name: "Account" }).waitFor();

  await page.getByRole("button", { name: "New key" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  await page.keyboard.type("auditor");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  const all = page.getByRole("checkbox", { name: "audit:read" });
  await all.waitFor();
  for (const box of await page.getByRole("checkbox").all()) {
    const isWanted = (await box.getAttribute("value")) === "account:audit:read";
    if ((await box.isChecked()) !== isWanted) await box.press("Space");
  }
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the key" }).press("Enter");
  await page.getByRole("button", { name: "Done" }).press("Enter");

  await page.getByRole("cell", { name: "account:audit:read" }).waitFor();
});

test("without a fresh proof of identity the password is asked for, and the key is made then", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/keys");
  const { page } = visit;
  await page.getByRole("button", { name: "New key" }).click();
  await people.database.pool.query(
    "update user_sessions set elevated_until = now() - interval '1 second'",
  );

  await page.getByRole("textbox", { name: "Name" }).fill("late");
  await expect
    .poll(async () => {
      const { body } = await owner.call("GET", "/me");
      return Date.parse(body.data.session.elevated_until) < Date.now();
    })
    .toBe(true);
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByLabel("Your password").fill(OWNER.password);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Confirm" }).click();

  await page.getByRole("region", { name: "The key" }).waitFor();
});

test("a key that nobody uses says so", async (context) => {
  owner = await people.owner();
  const body = { display_name: "forgotten" };
  const made = await owner.call("POST", "/environment/api-keys", { environment: "prod", body });
  await people.database.pool.query(
    "update api_keys set created_at = now() - interval '91 days' where id = $1",
    [made.body.data.id],
  );
  await using visit = await openAsOwner(context, people, "/prod/keys?q=forgotten");

  await visit.page.getByRole("cell", { name: "unused for 90 days" }).waitFor();
});

test("in production a key is deleted only by typing its name, a key elsewhere without", async (context) => {
  for (const environment of ["dev", "prod"]) {
    const body = { display_name: "of a worker" };
    await owner.call("POST", "/environment/api-keys", { environment, body });
  }
  await using visit = await openAsOwner(context, people, "/prod/keys?q=of%20a%20worker");
  const { page } = visit;
  const open = async () => {
    await page.getByRole("cell", { name: "of a worker" }).getByRole("link").click();
    await page.getByRole("button", { name: "Delete the key" }).press("Enter");
  };

  await open();
  const confirm = page.getByRole("button", { name: "Delete the key in prod" });
  const isHeld = await confirm.isDisabled();
  await page.getByLabel("Type the name of the key to delete it").waitFor();
  await page.keyboard.type("of a");
  const isStillHeld = await confirm.isDisabled();
  await page.keyboard.type(" worker");
  await expectAccessible(page);
  await confirm.press("Enter");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.goto(`${dashboardOf(people)}/dev/keys?q=of%20a%20worker`);
  await open();
  const isTyped = await page.getByLabel("Type the name of the key to delete it").count();
  await page.getByRole("button", { name: "Delete the key in dev" }).press("Enter");
  await page.getByText("Nothing matches these filters").waitFor();

  expect([isHeld, isStillHeld, isTyped]).toEqual([true, true, 0]);
});

test("a list that a role may not see names the scope", async (context) => {
  await using visit = await openAsRole(context, people, "support", "/dev/keys");
  const { page } = visit;

  await page.getByRole("alert").getByText("environment:api_keys:list").waitFor();
  await expectAccessible(page);
  await using other = await openAsRole(context, people, "read-only", "/dev/keys");
  await other.page.getByRole("cell", { name: "everything" }).first().waitFor();
  expect(await other.page.getByRole("button", { name: "New key" }).isDisabled()).toBe(true);
  expect(await other.page.getByRole("link", { name: "Account" }).count()).toBe(0);
});

test("a button that a role may not press can be reached, says why, and does nothing", async (context) => {
  await using visit = await openAsRole(context, people, "read-only", "/dev/keys");
  const { page } = visit;
  await page.setViewportSize({ width: 375, height: 780 });
  const button = page.getByRole("button", { name: "New key" });
  const reason = page.getByRole("tooltip").filter({ hasText: "environment:api_keys:create" });

  await button.waitFor();
  const isShownBefore = await reason.isVisible();
  await button.focus();
  await reason.waitFor();
  await page.keyboard.press("Enter");
  await button.click({ force: true });
  const box = await reason.boundingBox();
  await expectAccessible(page);
  await page.mouse.move(0, 0);
  await page.keyboard.press("Escape");
  await reason.waitFor({ state: "hidden" });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await reason.waitFor();

  expect(isShownBefore).toBe(false);
  expect(await button.getAttribute("aria-describedby")).toBe(await reason.getAttribute("id"));
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(375);
});

test("nothing matches, and a phone shows the panel in place of the list", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using visit = await openAsOwner(context, people, "/dev/keys?q=nonsense", { viewport });
  const { page } = visit;

  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.locator("a[data-row='0']").click();
  await page.getByRole("complementary").waitFor();
  await expectAccessible(page);
  expect(await isTooWide(page)).toBe(false);
  await page.goto(`${dashboardOf(people)}/dev/keys`);
  await page.locator("a[data-row='0']").waitFor();
});

test("a key is replaced step by step: the new one is made, the last use of the old one is shown, then it goes", async (context) => {
  const body = { display_name: "shop", scopes: ["environment:connections:list"] };
  const made = await owner.call("POST", "/environment/api-keys", { environment: "dev", body });
  const old = made.body.data;
  await using visit = await openAsOwner(context, people, `/dev/keys?open=${old.id}`);
  const { page } = visit;
  const panel = page.getByRole("complementary");

  await panel.getByRole("button", { name: "Replace …" }).press("Enter");
  await page.getByRole("dialog").getByText("“shop”").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the new key" }).press("Enter");
  const secret = await page.getByRole("region", { name: "The key" }).textContent();
  await expectAccessible(page);
  // The list behind it is read again, which closes nothing.
  await page.locator("td", { hasText: "shop (replaced" }).first().waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Done" }).press("Enter");
  await panel.getByText("Not used since it was replaced.").waitFor();
  const reminder = page.getByRole("list", { name: "Replaced keys" });
  await reminder.getByRole("link", { name: /^shop \(replaced/ }).waitFor();
  await people.database.pool.query(
    `update api_keys set last_used_at = now() + interval '5 minutes',
            last_used_from = '{"address": "192.0.2.7", "userAgent": "shop/1.2"}' where id = $1`,
    [old.id],
  );
  await page.reload();
  await panel.getByText(/Still used: last on .*, by shop\/1\.2, 192\.0\.2\.7/).waitFor();
  await expectAccessible(page);
  await panel.getByRole("button", { name: "Delete the key" }).press("Enter");
  await page.getByRole("button", { name: "Delete the key in dev" }).press("Enter");
  await page.getByRole("cell", { name: /^shop \(replaced/ }).waitFor({ state: "detached" });

  const { body: kept } = await owner.call("GET", "/environment/api-keys", { environment: "dev" });
  const names = kept.data.map((key: { display_name: string }) => key.display_name);
  expect(names.filter((name: string) => name.startsWith("shop"))).toEqual(["shop"]);
  expect(secret).toMatch(/^svc_key_/);
  expect(await reminder.count()).toBe(0);
});

test("a key of the account is replaced in its panel, too", async (context) => {
  owner = await people.owner();
  const body = { display_name: "directory", scopes: ["account:users:list"] };
  const old = (await owner.call("POST", "/account/api-keys", { body })).body.data;
  await using visit = await openAsOwner(context, people, `/dev/keys?of=account&open=${old.id}`);
  const { page } = visit;
  const panel = page.getByRole("complementary");

  await panel.getByRole("button", { name: "Replace …" }).press("Enter");
  await page.getByRole("button", { name: "Create the new key" }).press("Enter");
  const line = await page.getByRole("region", { name: "For your .env file" }).textContent();
  await page.getByRole("button", { name: "Done" }).press("Enter");
  await panel.getByText("Not used since it was replaced.").waitFor();
  await panel.getByRole("link", { name: "directory", exact: true }).press("Enter");
  await page.getByRole("complementary", { name: "directory", exact: true }).waitFor();
  const reminder = page.getByRole("list", { name: "Replaced keys" });
  await reminder.getByRole("link", { name: /^directory \(replaced/ }).press("Enter");
  await page.getByRole("complementary", { name: /^directory \(replaced/ }).waitFor();
  await expectAccessible(page);
  await panel.getByRole("button", { name: "Delete the key" }).press("Enter");
  await page.getByRole("button", { name: "Delete the key of the account" }).press("Enter");
  await page.getByRole("cell", { name: /^directory \(replaced/ }).waitFor({ state: "detached" });

  const [variable, secret = ""] = String(line).split("=");
  expect(variable).toBe("SVC_SECRET_KEY_ACCOUNT");
  const headers = { authorization: `Bearer ${secret}` };
  expect((await fetch(`${people.url}/users`, { headers })).status).toBe(200);
});
