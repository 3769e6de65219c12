import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { addConnections, deployFunction } from "./fill-environment.ts";
import { greet } from "./functions/greet.ts";
import { expectAccessible, openAsOwner, openAsRole } from "./open-dashboard.ts";
import { expectRefused, pick, press, tabTo, typeInto } from "./walks/keyboard.ts";

// No pointer, and no focus that a script sets: what Tab does not reach cannot be used.

vi.setConfig({ testTimeout: 120_000 });

let people: PeopleUnderTest;
let owner: Browser;
let provider: Server;
beforeAll(async () => {
  provider = createServer((request, response) => {
    response.statusCode = request.url === "/gone" ? 410 : 200;
    response.end(JSON.stringify({ method: request.method, url: request.url }));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha"]);
  await deployFunction(owner, "dev", { type: "action", name: "greet", code: greet("Hello") });
  const base = `http://127.0.0.1:${Number(Object(provider.address()).port)}`;
  await call("POST", "/integrations", {
    ...{ provider: "unauthenticated", unique_key: "echo", integration_config: { base_url: base } },
  });
  await call("POST", "/connections", {
    ...{ provider_config_key: "echo", connection_id: "beta", credentials: { type: "NONE" } },
  });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  provider.close();
});

async function call(method: string, path: string, body: object): Promise<void> {
  const { status, text } = await owner.call(method, path, { environment: "dev", body });
  expect(status, text).toBeLessThan(300);
}

test("playground: a function is chosen, filled in and tried", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/playground");
  const { page } = visit;

  await page.getByText("Choose a function").first().waitFor();
  await pick(page, "Function", "greet");
  await pick(page, "Connection", "alpha");
  await tabTo(page, page.getByLabel("name", { exact: true }));
  await page.keyboard.type("Ada");
  await press(page, page.getByRole("button", { name: "Dry run" }));
  await page.getByText('"text": "Hello Ada"').waitFor();
  await press(page, page.getByRole("button", { name: "Run", exact: true }));
  await page.locator(".badge", { hasText: /^✓run$/ }).waitFor();

  await press(page, page.getByRole("button", { name: "Fill in again" }).first());
  await page.waitForURL(/take=/);
});

test("playground: a proxy request is sent, and a refusal of the provider is shown", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/playground");
  const { page } = visit;

  await press(page, page.getByRole("link", { name: "Proxy request" }));
  await page.waitForURL(/tab=request/);
  await pick(page, "Connection", "beta");
  await page.getByText("Method", { exact: true }).waitFor();
  await press(page, page.getByRole("button", { name: "GET Method" }));
  await page.keyboard.type("PO");
  await page.keyboard.press("Enter");
  await typeInto(page, page.getByLabel("Path"), "/gone");
  await press(page, page.getByRole("button", { name: "Send" }));

  await page.locator(".badge", { hasText: "410" }).waitFor();
  await page.getByText('"method": "POST"').waitFor();
  await expectAccessible(page);
});

test("playground: nothing is there yet, and who may not run is given the reason at the buttons", async (context) => {
  await using empty = await openAsOwner(context, people, "/prod/playground");
  await press(empty.page, empty.page.getByRole("button", { name: "Function" }));
  await empty.page.keyboard.type("any");
  await empty.page.keyboard.press("Enter");
  await empty.page.keyboard.press("Escape");
  await empty.page.getByText("No functions in this environment yet").first().waitFor();
  const chosen = new URL(empty.page.url()).search;
  const path = "/dev/playground?integration=open&type=action&function=greet&connection=alpha";
  await using visit = await openAsRole(context, people, "read-only", path);
  const { page } = visit;
  await tabTo(page, page.getByLabel("name", { exact: true }));

  expect(chosen).toBe("");
  await expectRefused(page, page.getByRole("button", { name: "Dry run" }));
});

test("integrations: from an empty list to one that is set up, past a key that is refused", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/integrations");
  const { page } = visit;

  await page.getByText("No integrations yet").waitFor();
  await press(page, page.getByRole("link", { name: "Add an integration" }).first());
  await page.getByRole("heading", { name: "Catalogue" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("github");
  await press(page, page.getByRole("link", { name: /^GitHub\s*OAuth 2.0$/ }));
  await page.getByRole("dialog").waitFor();
  await typeInto(page, page.getByLabel("Key of the integration"), "bad/key");
  await press(page, page.getByRole("button", { name: "Create the integration" }));
  await page.getByRole("alert").getByText("Correct the marked fields").waitFor();
  await typeInto(page, page.getByLabel("Key of the integration"), "our-github");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "GitHub", level: 1 }).waitFor();
  await press(page, page.getByRole("link", { name: "Integrations", exact: true }).first());
  await press(page, page.locator("a[data-row='0']"));

  await page.waitForURL("**/prod/integrations/our-github");
});

test("integrations: credentials are replaced, a secret is revealed, and the integration is deleted", async (context) => {
  const credentials = { client_id: "id-1", client_secret: "canary-first" };
  await call("POST", "/integrations", { provider: "github", unique_key: "keyed", credentials });
  await using visit = await openAsOwner(context, people, "/dev/integrations/keyed");
  const { page } = visit;

  await press(page, page.getByRole("link", { name: "Credentials", exact: true }));
  await tabTo(page, page.getByLabel(/^Client secret/));
  await page.keyboard.type("canary-second");
  await page.keyboard.press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();
  await press(page, page.getByRole("button", { name: "Client secret Reveal" }));
  await page.getByText("canary-second").waitFor();
  await press(page, page.getByRole("link", { name: "Settings", exact: true }));
  await press(page, page.getByRole("button", { name: "Delete the integration" }));
  const dialog = page.getByRole("dialog");
  await tabTo(page, dialog.getByLabel("Type the key of the integration to delete it"));
  await page.keyboard.type("keyed");
  await press(page, dialog.getByRole("button", { name: "Delete in dev" }));

  await page.waitForURL("**/dev/integrations");
});

test("integrations: one that is gone, and who may not set one up is given the reason at the button", async (context) => {
  await using gone = await openAsOwner(context, people, "/dev/integrations/none");
  await gone.page.getByRole("alert").getByText("not_found").waitFor();
  const back = gone.page.getByRole("alert").getByRole("link", { name: "Integrations" });
  await press(gone.page, back);
  await gone.page.waitForURL("**/dev/integrations");
  await using visit = await openAsRole(context, people, "read-only", "/dev/catalogue?add=github");
  const { page } = visit;
  await tabTo(page, page.getByLabel("Key of the integration"));

  await expectRefused(page, page.getByRole("button", { name: "Create the integration" }));
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});
