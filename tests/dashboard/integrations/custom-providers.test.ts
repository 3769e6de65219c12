import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";

vi.setConfig({ testTimeout: 90_000 });

const KEY = "key-of-an-end-user-of-acme";
const environment = "dev";

let people: PeopleUnderTest;
let owner: Browser;
let vendor: Server;
/** Paths that the vendor was asked for. */
const asked: string[] = [];
beforeAll(async () => {
  vendor = createServer((request, response) => {
    asked.push(String(request.url));
    response.statusCode = request.headers["x-acme-key"] === KEY ? 200 : 401;
    response.end("{}");
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  people = await startPeople();
  owner = await people.owner();
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  vendor.close();
});

function addressOfVendor(): string {
  const address = vendor.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

const entry = {
  id: "known-api",
  display_name: "Known API",
  categories: ["other"],
  auth_mode: "NONE",
  base_url: "https://api.known.example",
  retry: { after_header: "retry-after" },
};

test("a provider that the catalogue lacks is described, added and connected", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/catalogue?q=Acme CRM");
  const { page } = visit;

  await page.getByRole("link", { name: "Add “Acme CRM” as a custom provider" }).click();
  const name = page.getByLabel("Name", { exact: true });
  const id = page.getByLabel("ID", { exact: true });
  const add = page.getByRole("button", { name: "Add the provider" });
  await page.getByText("The entry is valid").waitFor();
  await name.fill("Acme & Sons");
  const derived = await id.inputValue();
  await name.fill("");
  await page.getByText("Enter a value.").first().waitFor();
  await name.fill("Acme");
  await id.fill("acme crm");
  await page.getByText("Use letters, digits, hyphens and underscores only.").waitFor();
  await id.fill("acme");
  await page.getByLabel("Base URL").fill("api.acme.example");
  await page.getByText("starts with neither https:// nor a placeholder").waitFor();
  await expectAccessible(page);
  const isHeld = await add.isDisabled();
  await page.getByLabel("Base URL").fill("https://api.acme.example");
  await page.getByLabel("Name of the header or parameter").fill("x-acme-key");
  await page.getByLabel("Value", { exact: true }).fill("{{credentials.apiKey}}");
  await page.getByLabel("Path of the test request").fill("/me");
  await page.getByText("The entry is valid").waitFor();
  await add.click();
  await page.waitForURL("**/dev/catalogue/acme");
  await page.getByRole("button", { name: "Set up an integration" }).click();
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page.getByRole("button", { name: "Connect an account" }).waitFor();
  await expectAccessible(page);
  const body = { settings: { overrides: { base_url: addressOfVendor() } } };
  const { status } = await owner.call("PATCH", "/integrations/acme", { environment, body });
  await page.getByRole("button", { name: "Connect an account" }).click();
  const frame = page.frameLocator("iframe");
  await frame.getByRole("textbox", { name: "API key" }).fill("another-key-of-nobody");
  await frame.getByRole("button", { name: "Connect" }).click();
  await frame.getByRole("alert").first().waitFor();
  await frame.getByRole("textbox", { name: "API key" }).fill(KEY);
  await frame.getByRole("button", { name: "Connect" }).click();
  await page.getByText(/^Connected as /).waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  await page.locator(".badge", { hasText: "good" }).first().waitFor();
  await expectAccessible(page);

  expect([derived, isHeld, status]).toEqual(["acme-sons", true, 200]);
  expect(await page.content()).not.toContain(KEY);
  const kept = await owner.call("GET", "/custom-providers/acme", { environment });
  expect(kept.body.data).toMatchObject({
    version: 1,
    entry: { api_key: { name: "x-acme-key" }, verification: { path: "/me" } },
  });
});

test("what end users enter besides credentials is described in the form, asked for, and used in calls", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/catalogue/new?name=Acme Books");
  const { page } = visit;
  await page.getByLabel("Base URL").fill("https://api.books.example");
  await page.getByLabel("Name of the header or parameter").fill("x-acme-key");
  await page.getByLabel("Value", { exact: true }).fill("{{credentials.apiKey}}");
  await page.getByLabel("Path of the test request").fill("/of/{{config.account}}/me");
  await page.getByRole("button", { name: "Add a field" }).click();
  await page.getByRole("button", { name: "Add a field" }).click();
  const field = page.getByRole("group", { name: "Field 1" });
  await field.getByText("Enter a value.").waitFor();
  await field.getByLabel("Name in the entry").fill("account");
  await page
    .getByRole("group", { name: "Field 2" })
    .getByLabel("Name in the entry")
    .fill("account");
  await page.getByText("Another field has this name.").waitFor();
  await expectAccessible(page);
  const add = page.getByRole("button", { name: "Add the provider" });
  await page.getByText(/^\d+ faults?$/).waitFor();
  const isHeld = await add.isDisabled();
  await page.getByRole("button", { name: "Remove field 2" }).click();
  await field.getByLabel("Title").fill("Account name");
  await field.getByLabel("Description").fill("The first part of your address.");
  await field.getByLabel("Pattern").fill("[a-z");
  await field.locator(".fault").first().waitFor();
  await field.getByLabel("Pattern").fill("^[a-z]+$");
  await field.getByLabel("Example").fill("acme");
  await page.getByText("The entry is valid").waitFor();
  const box = await add.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  const isInView = box !== null && box.y >= 0 && box.y + box.height <= height;
  await expectAccessible(page);
  await add.click();
  await page.waitForURL("**/dev/catalogue/acme-books");
  await page.getByRole("button", { name: "Set up an integration" }).click();
  await page.getByRole("button", { name: "Create the integration" }).click();
  const connect = page.getByRole("button", { name: "Connect an account" });
  await connect.waitFor();
  const body = { settings: { overrides: { base_url: addressOfVendor() } } };
  await owner.call("PATCH", "/integrations/acme-books", { environment, body });
  await connect.click();
  const frame = page.frameLocator("iframe");
  await frame.getByRole("textbox", { name: "API key" }).fill(KEY);
  await frame.getByRole("textbox", { name: "Account name" }).fill("Acme 1");
  await frame.getByRole("button", { name: "Connect" }).click();
  await frame.getByRole("textbox", { name: "Account name" }).fill("books");
  await frame.getByRole("button", { name: "Connect" }).click();
  await page.getByText(/^Connected as /).waitFor();

  expect([isHeld, isInView]).toEqual([true, true]);
  expect(asked).toContain("/of/books/me");
  expect(asked.some((url) => url.includes("Acme"))).toBe(false);
  const kept = await owner.call("GET", "/custom-providers/acme-books", { environment });
  expect(kept.body.data.entry.connection_config).toEqual({
    account: {
      title: "Account name",
      description: "The first part of your address.",
      pattern: "^[a-z]+$",
      example: "acme",
    },
  });
});

test("an entry is changed as JSON, which keeps what the form does not know, and deleted", async (context) => {
  await owner.call("POST", "/custom-providers", { environment, body: { entry } });
  const integration = { provider: "known-api", unique_key: "known" };
  await owner.call("POST", "/integrations", { environment, body: integration });
  await using visit = await openAsOwner(context, people, "/dev/catalogue/known-api");
  const { page } = visit;

  await page.getByLabel("Base URL").fill("https://api2.known.example");
  await page.getByRole("link", { name: "JSON", exact: true }).click();
  const editor = page.getByRole("textbox", { name: "Entry as JSON" });
  await editor.getByText("api2.known.example").waitFor();
  await editor.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("no json");
  await page.getByText(/Not valid JSON/).waitFor();
  const save = page.getByRole("button", { name: "Save as a new version" });
  const isHeld = await save.isDisabled();
  await page.keyboard.press("Control+A");
  const changed = { ...entry, base_url: "http://api2.known.example", unheard_of: 1 };
  await page.keyboard.insertText(JSON.stringify(changed));
  await page.locator("ul.fault", { hasText: "unheard_of" }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(
    JSON.stringify({ ...entry, base_url: "https://api2.known.example" }),
  );
  await page.getByText("The entry is valid").waitFor();
  await save.click();
  await page.getByText("Version 2").waitFor();
  await page.getByText("This integration uses version 1.").waitFor();
  await page.getByRole("button", { name: "Use the latest version" }).click();
  await page.getByText("This integration uses version 1.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete the provider" }).click();
  await page.getByRole("button", { name: "Delete the provider in dev" }).click();
  await page.waitForURL("**/dev/catalogue");
  const kept = await owner.call("GET", "/integrations/known", { environment });

  expect(isHeld).toBe(true);
  expect(kept.body.data.provider_version).toBe(2);
  const gone = await owner.call("GET", "/custom-providers/known-api", { environment });
  expect(gone.status).toBe(404);
});

test("an id of the catalogue is taken only on purpose, with the keyboard alone", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/catalogue/new?name=GitHub");
  const { page } = visit;
  const { url } = people;

  await page.getByLabel("Base URL").focus();
  await page.keyboard.type("https://api.github.example");
  await page.getByText("The entry is valid").waitFor();
  await page.getByRole("button", { name: "Add the provider" }).focus();
  await page.keyboard.press("Enter");
  await page
    .getByText(/^Is in the catalogue: choose another id/)
    .first()
    .waitFor();
  await page.getByRole("switch", { name: "Replace the provider of the catalogue" }).focus();
  await page.keyboard.press("Space");
  await page.getByLabel("Base URL").focus();
  await page.keyboard.type("/v2");
  await page.getByText("The entry is valid").waitFor();
  await page.getByRole("button", { name: "Add the provider" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${url.replace("127.0.0.1", "localhost")}/dashboard/prod/catalogue/github`);

  const { body } = await owner.call("GET", "/custom-providers/github", { environment: "prod" });
  expect(body.data.replaces_built_in).toBe(true);
});

test("a provider that is gone says so; who may not add one cannot; and it fits a phone", async (context) => {
  await using visit = await openAsRole(context, people, "read-only", "/dev/catalogue/none");
  const { page } = visit;

  await page.getByRole("alert").getByText("not_found").waitFor();
  await page.goto(`${dashboardOf(people)}/dev/catalogue/new?name=Acme`);
  await page.getByText("The entry is valid").waitFor();
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await page.getByRole("button", { name: "Add the provider" }).isDisabled()).toBe(true);
  expect(await isTooWide(page)).toBe(false);
  await expectAccessible(page);
});
