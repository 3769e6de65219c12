import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { expectAccessible, openAsOwner, openAsRole } from "../open-dashboard.ts";

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople({
    SVC_SQL_ACCESS: "on",
    SVC_SQL_ACCESS_URL: "postgres://replica.example.com/app",
    SVC_RECORD_STORAGE: "plain",
  });
  owner = await people.owner();
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function access() {
  return (await owner.call("GET", "/records/sql-access", { environment: "dev" })).body.data;
}

test("a login is created, gets a new password and is revoked; its password is shown once", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/settings/sql-access");
  const { page } = visit;

  await page.getByRole("button", { name: "Create a login" }).click();
  await page.getByRole("button", { name: "Create the login" }).click();
  const shown = page.getByRole("region", { name: "URL with the password" });
  const first = await shown.textContent();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "New password" }).waitFor();
  const { role } = await access();
  await page.getByText(role, { exact: true }).waitFor();
  await expectAccessible(page);
  const kept = await page.content();
  await page.getByRole("button", { name: "New password" }).click();
  await page.getByRole("button", { name: "Make a new password" }).click();
  const second = await shown.textContent();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByRole("button", { name: "Revoke the login in dev" }).click();
  await page.getByRole("button", { name: "Create a login" }).waitFor();

  const passwordOf = (url: string | null) => new URL(url ?? "").password;
  expect(passwordOf(first)).toHaveLength(43);
  expect(passwordOf(second)).not.toBe(passwordOf(first));
  expect(kept).not.toContain(passwordOf(first));
  expect(await access()).toBeNull();
});

test("who may only read sees that there is no login, and cannot make one", async (context) => {
  await using visit = await openAsRole(context, people, "read-only", "/dev/settings/sql-access");

  const button = visit.page.getByRole("button", { name: "Create a login" });
  await button.waitFor();
  expect(await button.isDisabled()).toBe(true);
});
