import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { expectAccessible, isTooWide, openAsOwner, openAsRole } from "../open-dashboard.ts";
import { addCrm, type OAuthProvider, startOAuthProvider } from "./oauth-provider.ts";

vi.setConfig({ testTimeout: 90_000 });

const environment = "dev";
let people: PeopleUnderTest;
let owner: Browser;
let provider: OAuthProvider;
beforeAll(async () => {
  provider = await startOAuthProvider({});
  people = await startPeople();
  owner = await people.owner();
  await addCrm(owner, environment, provider);
  await addConnections(owner, environment, []);
  const desk = { provider: "private-api-basic", unique_key: "basic" };
  await owner.call("POST", "/integrations", {
    ...{ environment, body: { ...desk, integration_config: { base_url: provider.url } } },
  });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

async function list() {
  const { body } = await owner.call("GET", "/connections", { environment });
  return body.connections;
}

test("tokens are imported by the keyboard, faults are at their fields, and the new connection opens", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  const dialog = page.getByRole("dialog");

  await page.getByRole("button", { name: "Import …" }).press("Enter");
  await dialog.getByRole("button", { name: /Integration/ }).press("Enter");
  await page.getByRole("option", { name: /crm/ }).press("Enter");
  await dialog.getByRole("heading", { name: "Credentials: OAuth 2.0" }).waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Import in dev" }).press("Enter");
  await dialog.getByRole("alert").getByText("Correct the marked fields").waitFor();
  const token = dialog.getByLabel("Access token");
  const isInvalid = await token.getAttribute("aria-invalid");
  await expectAccessible(page);
  await token.focus();
  await page.keyboard.type("canary-of-a-token");
  await dialog.getByLabel("The token expires (if known)").fill("2090-01-02T03:04:05");
  await dialog.getByLabel("Connection id").fill("imported-1");
  await dialog.getByLabel("Tags").fill("end_user_id=u-9\nteam=blue");
  const type = await token.getAttribute("type");
  await dialog.getByRole("button", { name: "Import in dev" }).press("Enter");
  await page.waitForURL("**/dev/connections/crm/imported-1/overview");
  await page.getByRole("heading", { name: "u-9 · crm" }).waitFor();
  const kept = String(
    await page.evaluate(
      "document.documentElement.outerHTML + location.href + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])",
    ),
  );

  expect([isInvalid, type]).toEqual(["true", "password"]);
  expect(kept).not.toContain("canary-of-a-token");
  const [made] = (await list()).filter(
    ({ connection_id: id }: { connection_id: string }) => id === "imported-1",
  );
  expect(made).toMatchObject({ tags: { end_user_id: "u-9", team: "blue" } });
  const { body } = await owner.call(
    "POST",
    "/connections/imported-1/reveal?provider_config_key=crm",
    { environment, body: { field: "access_token" } },
  );
  expect(body.data.value).toBe("canary-of-a-token");
});

test("the fields are those of the provider of the chosen integration, and fit a telephone", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using visit = await openAsOwner(context, people, "/dev/connections", { viewport });
  const { page } = visit;
  const dialog = page.getByRole("dialog");
  const choose = async (name: RegExp) => {
    await dialog.getByRole("button", { name: /Integration/ }).click();
    await page.getByRole("option", { name }).click();
  };

  await page.getByRole("button", { name: "Import …" }).click();
  await choose(/open/);
  await dialog.getByText("This provider takes no credentials.").waitFor();
  await choose(/basic/);
  await dialog.getByRole("heading", { name: "Credentials: Basic auth" }).waitFor();
  await dialog.getByRole("textbox", { name: /user ?name/i }).waitFor();
  await expectAccessible(page);
  const isWide = await isTooWide(page);
  const type = await dialog.locator("input[name=credentials-password]").getAttribute("type");
  const stays = await dialog.getByLabel("Access token").count();

  expect([type, stays, isWide]).toEqual(["password", 0, false]);
});

test("a role that may not import reads the scope", async (context) => {
  await using visit = await openAsRole(context, people, "support", "/dev/connections");
  const { page } = visit;

  await page.getByRole("button", { name: "Import …" }).focus();
  await page
    .getByRole("tooltip")
    .filter({ hasText: "environment:connections:create" })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await expectAccessible(page);

  expect(await page.getByRole("dialog").count()).toBe(0);
});
