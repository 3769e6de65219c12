import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { addConnections } from "./fill-environment.ts";
import { expectAccessible, isTooWide, openAsOwner, openAsRole } from "./open-dashboard.ts";

vi.setConfig({ testTimeout: 90_000 });

const environment = "dev";
let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["works", "refused-1", "refused-2"]);
  await people.database.pool.query(
    `update connections set needs_reauthorization_at = now() where connection_id like 'refused%'`,
  );
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function links() {
  return (await owner.call("GET", "/connect/links", { environment })).body.data;
}

test("a link is created with the keyboard, its address shown once, then it is revoked", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connect-links");
  const { page } = visit;
  await page.getByText("No connect links yet").waitFor();
  await expectAccessible(page);

  await page.getByRole("button", { name: "New link" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Id of the end user in your app").waitFor();
  await page.keyboard.type("u1");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Ada Quay");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  const address = await dialog.getByRole("region", { name: "Address of the link" }).textContent();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Done" }).press("Enter");
  await page.getByRole("cell", { name: "Ada Quay" }).getByRole("link").press("Enter");
  const panel = page.getByRole("complementary", { name: "Ada Quay" });
  await panel.getByText("new connections").or(panel.getByText("end_user_id=u1")).first().waitFor();
  await expectAccessible(page);
  const html = await page.content();
  await panel.getByRole("button", { name: "Revoke the link" }).press("Enter");
  await page.getByRole("button", { name: "Revoke the link in dev" }).press("Enter");
  await page.getByRole("cell", { name: "revoked" }).waitFor();

  const token = String(address).split("#")[1] ?? "";
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(html).not.toContain(token);
  expect(await links()).toMatchObject([
    { state: "revoked", tags: { end_user_id: "u1" }, created_by: { kind: "user" } },
  ]);
  await page.getByRole("button", { name: "State", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "open" }).click();
  await page.getByText("Nothing matches these filters").waitFor();
  expect(new URL(page.url()).searchParams.get("state")).toBe("open");
});

test("reconnect links for chosen connections are saved as a file, and the others are named", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  const bar = page.getByRole("region", { name: "Selection" });
  await page.getByRole("cell", { name: "refused-1", exact: true }).waitFor();
  for (const box of await page.getByRole("checkbox", { name: "Select this row" }).all()) {
    await box.click();
  }

  await bar.getByRole("button", { name: "Reconnect links …" }).click();
  const dialog = page.getByRole("dialog");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create the links" }).click();
  await dialog.getByText("2 links created.").waitFor();
  await dialog.getByText("1 connection without a link").waitFor();
  await dialog.getByText("works, and needs none").waitFor();
  await expectAccessible(page);
  const begun = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save as CSV" }).click();
  const download = await begun;
  const [head, ...lines] = (await readFile(await download.path(), "utf8")).trim().split("\r\n");

  expect(download.suggestedFilename()).toBe("dev-reconnect-links.csv");
  expect(head).toMatch(/^provider_config_key,connection_id,end_user_id,.*,url$/);
  expect(lines.toSorted().map((line) => line.split(",").slice(0, 3))).toEqual([
    ["open", "refused-1", "u-refused-1"],
    ["open", "refused-2", "u-refused-2"],
  ]);
  const [first = ""] = lines;
  const token = first.split("#")[1];
  const opened = await fetch(`${people.url}/connect/links/open`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  expect(opened.status).toBe(200);
  const made = (await links()).filter((each: { reconnects: object }) => each.reconnects !== null);
  expect(made).toHaveLength(2);
});

test("more connections than links at a time are refused with the number", async (context) => {
  await people.database.pool.query(
    `insert into connections
       (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, tags, created_at, updated_at,
        needs_reauthorization_at)
     select gen_random_uuid(), environment_id, integration_id, 'many-' || n, auth_mode, credentials, tags, now(),
            now(), now()
       from connections, generate_series(1, 501) n where connection_id = 'refused-1'`,
  );
  await using visit = await openAsOwner(context, people, "/dev/connections?q=many");
  const { page } = visit;
  const bar = page.getByRole("region", { name: "Selection" });
  await page.getByRole("checkbox", { name: "Select this row" }).first().click();
  await bar.getByRole("button", { name: "Select all that match" }).click();

  await bar.getByRole("button", { name: "Reconnect links …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create the links" }).click();

  await dialog.getByText(/fits more than 500 connections/).waitFor();
  await expectAccessible(page);
  await people.database.pool.query("delete from connections where connection_id like 'many-%'");
});

test("connections are filtered by how soon they end and how long nobody used them; the address says so", async (context) => {
  await people.database.pool.query(
    `update connections set reauthorize_by = now() + interval '3 days', created_at = now() - interval '200 days',
            last_used_on = current_date - 100 where connection_id = 'works'`,
  );
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  await page.getByRole("cell", { name: "refused-1", exact: true }).waitFor();

  await page.getByRole("button", { name: "Expiring within", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "7 days" }).click();
  await page.getByRole("cell", { name: "refused-1", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("columnheader", { name: "Reconnect by" }).waitFor();
  await page.getByRole("cell", { name: "works", exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Unused for", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "90 days" }).click();
  await page.getByRole("cell", { name: "works", exact: true }).first().waitFor();
  await expectAccessible(page);
  const { searchParams } = new URL(page.url());
  await page.goto(page.url().replace("unused=90", "unused=180"));

  await page.getByText("Nothing matches these filters").waitFor();
  expect([searchParams.get("expiring"), searchParams.get("unused")]).toEqual(["7", "90"]);
});

test("a role that may not create links sees why, and the screen fits a phone", async (context) => {
  await using visit = await openAsRole(context, people, "read-only", "/dev/connect-links");
  const { page } = visit;
  await page.setViewportSize({ width: 360, height: 700 });

  await page.getByRole("button", { name: "New link" }).waitFor();

  expect(await page.getByRole("button", { name: "New link" }).isDisabled()).toBe(true);
  expect(await isTooWide(page)).toBe(false);
});
