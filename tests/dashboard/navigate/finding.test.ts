import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser, ofItsOwn } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { deployThings, runThings } from "../deployed-sync.ts";
import { addConnections, deployFunction, waitFor } from "../fill-environment.ts";
import { greet } from "../functions/greet.ts";
import { dashboardOf, expectAccessible, openAsOwner, openAsRole } from "../open-dashboard.ts";

// Things are found by a few letters of their names, and by ids that are pasted.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha", "beta"]);
  await deployThings(owner, "dev");
  await deployFunction(owner, "dev", { type: "action", name: "greet", code: greet("Hello") });
  await runThings(owner, "dev", "alpha");
  const body = { primary_url: "http://127.0.0.1:9/hooks", forward: true };
  await owner.call("PATCH", "/environment/webhooks", { environment: "dev", body });
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === "dev");
  await fetch(`${people.url}/webhook/${id}/open`, { method: "POST", body: '{"type":"made"}' });
  await waitFor(async () => (await listed("/webhooks/deliveries")).length > 0);
  await waitFor(async () => (await listed("/logs/operations?types=sync")).length > 0);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function listed(path: string): Promise<readonly { readonly id: string }[]> {
  return (await owner.call("GET", path, { environment: "dev" })).body?.data ?? [];
}

async function idOf(path: string): Promise<string> {
  const [first] = await listed(path);
  if (first === undefined) throw new Error(`nothing at ${path}`);
  return first.id;
}

test.for<[what: string, typed: string, name: RegExp, path: string]>([
  ["a connection by its id", "alph", /^alpha · open/, "/connections/open/alpha/overview"],
  ["a connection by its end user", "beta@exam", /^beta · open/, "/connections/open/beta/overview"],
  ["an integration", "open", /^open.*Integration$/, "/integrations/open"],
  ["a sync", "thin", /^things · open/, "/functions/open/sync/things/overview"],
  ["an action", "gree", /^greet · open/, "/functions/open/action/greet/overview"],
])("the palette finds %s", async ([, typed, name, path], context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();

  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).waitFor();
  await page.keyboard.type(typed);
  await page.getByRole("menuitem", { name }).click();

  await page.waitForURL(`**/dashboard/dev${path}`);
});

test.for<[what: string, list: string, path: (id: string) => string]>([
  ["an operation", "/logs/operations?types=sync", (id) => `/operations/${id}`],
  ["a webhook that was sent", "/webhooks/deliveries", (id) => `/webhooks/out/${id}`],
  ["a webhook that was received", "/webhooks/inbox", (id) => `/webhooks/in/${id}`],
  ["a sync", "/syncs", (id) => `/syncs?open=${id}`],
])("the id of %s leads to its page when it is pasted", async ([, list, path], context) => {
  const id = await idOf(list);
  await using visit = await openAsOwner(context, people, "/dev/keys");
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();

  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).waitFor();
  await page.keyboard.insertText(` ${id.toUpperCase()} `);
  await page.keyboard.press("Enter");

  await page.waitForURL(`${dashboardOf(people)}/dev${path(id)}`);
});

test("the id of a run leads to its page", async (context) => {
  const sync = (await listed("/syncs")).find((each) => Object(each).connection_id === "alpha");
  const id = await idOf(`/syncs/${sync?.id}/runs`);
  await using visit = await openAsOwner(context, people, "/dev/keys");
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();

  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).waitFor();
  await page.keyboard.insertText(id);
  await page.getByRole("menuitem", { name: `${id} Run` }).click();

  await page.waitForURL(`${dashboardOf(people)}/dev/syncs/${sync?.id}/runs/${id}`);
});

test("an id that nothing has is said to be unknown, and what could not be asked is an error with another try", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/keys");
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();
  const none = crypto.randomUUID();

  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Go to" });
  await dialog.waitFor();
  await page.keyboard.insertText(none);
  await page.keyboard.press("Enter");
  await dialog.getByText(`Nothing here has the id ${none}.`).waitFor();
  await expectAccessible(page);
  await page.route("**/problems/*", async (route) => await route.abort());
  const other = crypto.randomUUID();
  await dialog.getByRole("searchbox").fill(other);
  await dialog.getByRole("alert").getByText("The server cannot be reached").waitFor();
  await page.unroute("**/problems/*");
  await dialog.getByRole("button", { name: "Try again" }).click();

  await dialog.getByText(`Nothing here has the id ${other}.`).waitFor();
});

test("what is typed while the palette is still being loaded is not lost, and Enter is not either", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/keys", ofItsOwn);
  const { page } = visit;
  const arrived = Promise.withResolvers<void>();
  await page.route("**/assets/command-palette-*.js", async (route) => {
    await arrived.promise;
    await route.continue();
  });
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("deplx");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  arrived.resolve();

  await page.waitForURL("**/dashboard/dev/deployments");
});

test("while somebody types, no search is sent for every letter, and what is no longer wanted is not shown", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/keys");
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    const search = new URL(request.url()).searchParams.get("search");
    if (request.url().includes("/connections?") && search !== null) asked.push(search);
  });

  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).waitFor();
  await page.keyboard.type("alpha", { delay: 20 });
  await page.getByRole("menuitem", { name: /^alpha · open/ }).waitFor();
  await page.keyboard.type("xyz");
  await page.getByText("Nothing matches.").waitFor();

  expect(asked).toEqual(["alpha", "alphaxyz"]);
});

test("a short link finds the environment of an operation, and only one that the person may see", async (context) => {
  const id = await idOf("/logs/operations?types=sync");
  await using visit = await openAsOwner(context, people, `/o/${id}`);
  const { page } = visit;

  await page.waitForURL(`${dashboardOf(people)}/dev/operations/${id}`);
  await page.getByRole("heading", { level: 1, name: /things/ }).waitFor();
  await page.goto(`${dashboardOf(people)}/o/${crypto.randomUUID()}`);
  await page.getByRole("heading", { level: 1, name: "Operation not found" }).waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/o/no-id`);
  await page.getByText("This is not the id of an operation.").waitFor();

  await using other = await openAsRole(context, people, "support", `/o/${id}`, "prod");
  await other.page.getByRole("heading", { level: 1, name: "Operation not found" }).waitFor();
});
