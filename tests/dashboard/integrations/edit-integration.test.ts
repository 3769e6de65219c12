import { generateKeyPairSync } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections, deployFunction } from "../fill-environment.ts";
import { greet } from "../functions/greet.ts";
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
  await addConnections(owner, "dev", ["alpha", "beta"]);
  await deployFunction(owner, "dev", { type: "action", name: "greet", code: greet("Hello") });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: object) {
  return await owner.call(method, path, { environment: "dev", body });
}

async function addGithub(key: string, fields: object = {}): Promise<void> {
  const credentials = {
    ...{ client_id: "id-1", client_secret: "canary-first", scopes: "repo" },
    ...{ webhook_secret: "canary-webhooks" },
  };
  const body = { provider: "github", unique_key: key, credentials, ...fields };
  expect((await call("POST", "/integrations", body)).status).toBe(200);
}

async function read(key: string) {
  return (await call("GET", `/integrations/${key}?include=fields`)).body.data;
}

async function reveal(key: string, field: string): Promise<string> {
  return (await call("POST", `/integrations/${key}/reveal`, { field })).body.data.value;
}

/** Saves the part of the page with this heading. */
async function save(page: Page, title: string): Promise<void> {
  const card = page.getByRole("region", { name: title });
  await card.getByRole("button", { name: "Save", exact: true }).click();
}

async function expectSaved(page: Page, title: string): Promise<void> {
  await page.getByRole("region", { name: title }).getByText("Saved", { exact: true }).waitFor();
}

const CREDENTIALS = "Credentials of the integration";

test("credentials are replaced without being shown, one that is optional is removed, and the others stay", async (context) => {
  await addGithub("edited");
  await using visit = await openAsOwner(context, people, "/dev/integrations/edited");
  const { page } = visit;

  await page.getByRole("link", { name: "Credentials", exact: true }).click();
  await page.getByLabel(/^Client secret/).fill("canary-second");
  await page.getByLabel(/^Scopes/).fill("repo, user");
  await page.getByText("Remove: Webhook secret").click();
  await expectAccessible(page);
  const before = await page.content();
  await save(page, CREDENTIALS);
  await expectSaved(page, CREDENTIALS);

  expect(await page.getByLabel(/^Client secret/).inputValue()).toBe("");
  expect((await read("edited")).fields.credentials).toMatchObject({
    client_id: { value: "id-1" },
    scopes: { value: "repo,user" },
    webhook_secret: { is_set: false },
  });
  expect(await reveal("edited", "client_secret")).toBe("canary-second");
  expect(before).not.toContain("canary-first");
});

test("what the API finds wrong stands at its field", async (context) => {
  await addGithub("wrong");
  await call("POST", "/integrations", {
    ...{ provider: "aws-sigv4", unique_key: "aws" },
    integration_config: { service: "sqs", awsAccessKeyId: "AKID", awsSecretAccessKey: "canary" },
  });
  await using visit = await openAsOwner(context, people, "/dev/integrations/wrong/credentials");
  const { page } = visit;
  const marked = (name: RegExp) => page.getByLabel(name).and(page.locator("[aria-invalid=true]"));

  await page.getByLabel(/^Client ID/).fill("");
  await page.getByLabel(/^Scopes/).fill("not ? a scope");
  await save(page, CREDENTIALS);
  await page.getByRole("alert").getByText("Correct the marked fields").waitFor();
  await marked(/^Client ID/).waitFor();
  await marked(/^Scopes/).waitFor();
  await expectAccessible(page);
  await page.getByLabel(/^Scopes/).fill("repo");
  await marked(/^Scopes/).waitFor({ state: "detached" });

  await page.goto(`${dashboardOf(people)}/dev/integrations/aws/credentials`);
  await page.getByLabel(/^Service/).fill("NO SUCH SERVICE");
  await save(page, "Values that the provider needs");
  await marked(/^Service/).waitFor();

  await page.goto(`${dashboardOf(people)}/dev/integrations/open/settings`);
  await page.getByLabel("Key of the integration").fill("renamed");
  await save(page, "Name and key");
  await page.getByText("Cannot change while the integration has connections; it has 2.").waitFor();
  await page.getByLabel("Headers of calls").fill("no colon");
  await save(page, "In place of the provider's entry");
  await page.getByText("Has to have a colon between name and value: no colon.").waitFor();

  expect((await read("wrong")).fields.credentials.client_id.value).toBe("id-1");
});

test("name, key and settings change, and go back to their defaults", async (context) => {
  await addGithub("plain");
  await using visit = await openAsOwner(context, people, "/dev/integrations/plain/settings");
  const { page } = visit;

  await page.getByLabel("Name", { exact: true }).fill("Our code");
  await page.getByLabel("Key of the integration").fill("renamed key");
  await save(page, "Name and key");
  await page.waitForURL("**/dev/integrations/renamed%20key/settings");
  await page.getByRole("heading", { name: "Our code" }).waitFor();
  await page.getByText("Forward webhooks to your webhook endpoints").click();
  await page.getByLabel("Most webhooks in a minute").fill("60");
  await save(page, "Webhooks of the provider");
  await expectSaved(page, "Webhooks of the provider");
  await page.getByRole("button", { name: /its tokens are revoked/ }).click();
  await page.getByRole("option", { name: "No", exact: true }).click();
  await page.getByLabel("Further hosts").fill("files.example.com");
  await save(page, "Connecting and calls");
  await expectSaved(page, "Connecting and calls");
  await page.getByLabel("Base URL of the API").fill("https://api.example.com");
  await page.getByLabel("Headers of calls").fill("X-Team: core");
  await save(page, "In place of the provider's entry");
  await expectSaved(page, "In place of the provider's entry");
  await page.getByLabel("For placeholders of the entry").fill("region: eu");
  await save(page, "Further values");
  await expectSaved(page, "Further values");
  await expectAccessible(page);
  const changed = await read("renamed%20key");
  await page.getByLabel("Most webhooks in a minute").fill("");
  await save(page, "Webhooks of the provider");
  await page.getByLabel("Base URL of the API").fill("");
  await page.getByLabel("Headers of calls").fill("");
  await save(page, "In place of the provider's entry");
  await page.getByLabel("For placeholders of the entry").fill("");
  await save(page, "Further values");

  expect(changed).toMatchObject({
    ...{ display_name: "Our code", forward_webhooks: false, custom: { region: "eu" } },
    settings: {
      ...{ webhook_limit_per_min: 60, revoke_on_delete: false },
      allowed_hosts: ["files.example.com"],
      overrides: { base_url: "https://api.example.com", headers: { "X-Team": "core" } },
    },
  });
  await expect
    .poll(async () => {
      const { settings, custom } = await read("renamed%20key");
      return { settings, custom };
    })
    .toEqual({
      settings: { revoke_on_delete: false, allowed_hosts: ["files.example.com"] },
      custom: undefined,
    });
});

test("secrets that are set are listed behind a mask, and revealed one by one", async (context) => {
  await addGithub("masked");
  await using visit = await openAsOwner(context, people, "/dev/integrations/masked/credentials");
  const { page } = visit;

  const card = page.getByRole("region", { name: "Secrets that are set" });
  await card.getByRole("button", { name: "Client secret Reveal" }).click();
  await card.getByText("canary-first").waitFor();
  await expectAccessible(page);
  await card.getByRole("button", { name: "Hide" }).click();
  await card.getByText("canary-first").waitFor({ state: "detached" });
  await page.goto(`${dashboardOf(people)}/dev/integrations/open/credentials`);

  await page.getByText("No secret is set.").waitFor();
  await page.getByText("Each connection has credentials of its own").waitFor();
  expect(await page.content()).not.toContain("canary-webhooks");
});

test("without the scopes, fields can be read and nothing can be saved, revealed or deleted", async (context) => {
  await addGithub("guarded");
  const path = "/dev/integrations/guarded/credentials";
  await using visit = await openAsRole(context, people, "read-only", path);
  const { page } = visit;
  const refused = page.getByRole("tooltip");

  await page
    .getByText("It needs environment:integrations:update.")
    .and(page.locator("p"))
    .waitFor();
  const clientId = await page.getByLabel(/^Client ID/).inputValue();
  await page.getByRole("button", { name: "Client secret Reveal" }).focus();
  await refused.getByText("environment:integrations:read_credentials").waitFor();
  await page.goto(`${dashboardOf(people)}/dev/integrations/guarded/settings`);
  await page.getByRole("button", { name: "Delete the integration" }).focus();
  await refused.getByText("environment:integrations:delete").waitFor();

  expect(clientId).toBe("id-1");
  await expectAccessible(page);
});

test("the deletion names what goes, and takes the key", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/integrations/open/settings");
  const { page } = visit;

  await page.getByRole("button", { name: "Delete the integration" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 connections, with credentials and records").waitFor();
  await dialog.getByText("1 function, including 0 syncs").waitFor();
  await expectAccessible(page);
  const button = dialog.getByRole("button", { name: "Delete in dev" });
  const wasDisabled = await button.isDisabled();
  await dialog.getByLabel("Type the key of the integration to delete it").fill("open");
  await button.click();
  await page.waitForURL("**/dev/integrations");

  expect(wasDisabled).toBe(true);
  expect((await call("GET", "/integrations/open")).status).toBe(404);
});

test("while its connections go in the background, page and list say so, and the page leaves for the list", async (context) => {
  await addGithub("leaving");
  await addGithub("staying");
  await people.database.pool.query(
    "update integrations set deleting_since = now() where unique_key = 'leaving'",
  );
  await using visit = await openAsOwner(context, people, "/dev/integrations");
  const { page } = visit;

  const row = page.getByRole("row", { name: /leaving/ });
  await row.getByText("being deleted").waitFor();
  const badges = await page.getByText("being deleted").count();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/integrations/leaving`);
  await page.getByText(/This integration is being deleted, since/).waitFor();
  await expectAccessible(page);
  await people.database.pool.query(
    "update integrations set deleted_at = now() where unique_key = 'leaving'",
  );

  await page.waitForURL("**/dev/integrations");
  expect(badges).toBe(1);
});

test("a provider's own fields are asked for before it is set up, and faults stand at them", async (context) => {
  await using visit = await openAsOwner(
    context,
    people,
    "/dev/catalogue?q=aws-sigv4&add=aws-sigv4",
  );
  const { page } = visit;

  await page.getByLabel("Key of the integration").fill("queue");
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page
    .getByLabel(/^Service/)
    .and(page.locator("[aria-invalid=true]"))
    .waitFor();
  await page.getByText("For example s3").or(page.getByText("such as s3")).first().waitFor();
  const region = await page.getByLabel(/^Region unless/).inputValue();
  await page.getByLabel(/^Service/).fill("sqs");
  await page.getByLabel(/^Access key ID/).fill("AKID");
  await page.getByLabel(/^Secret access key/).fill("canary-key");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page.waitForURL("**/dev/integrations/queue");

  expect(region).toBe("us-east-1");
  expect((await read("queue")).integration_config).toMatchObject({ service: "sqs" });
});

test("an app is set up with its key, after a key that the API refuses", async (context) => {
  const viewport = { width: 375, height: 800 };
  const path = "/dev/catalogue?q=github-app&add=github-app";
  await using visit = await openAsOwner(context, people, path, { viewport });
  const { page } = visit;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

  await page.getByText(/\/oauth\/callback$/).waitFor();
  await page.getByLabel(/^App ID/).fill("42");
  await page.getByLabel(/^Public link/).fill("https://github.com/apps/ours");
  await page.getByLabel(/^Private key/).fill("no key");
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page.getByText("Must be an unencrypted private key in PEM").waitFor();
  await expectAccessible(page);
  const tooWide = await isTooWide(page);
  await page.getByLabel(/^Private key/).fill(pem);
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page.waitForURL("**/dev/integrations/github-app");

  expect(tooWide).toBe(false);
  expect(await reveal("github-app", "private_key")).toContain("BEGIN PRIVATE KEY");
});

test("scopes that are always requested are shown before, and what was left out is asked for after", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/catalogue?q=aircall&add=aircall");
  const { page } = visit;

  await page.getByText("Scopes that are always requested").waitFor();
  await page.getByText("public_api", { exact: true }).waitFor();
  await page.getByLabel("Key of the integration").fill("calls");
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page.getByText("Not set: Client ID, Client secret").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Enter credentials" }).click();

  await page
    .getByLabel(/^Client ID/)
    .and(page.locator(":focus"))
    .waitFor();
});
