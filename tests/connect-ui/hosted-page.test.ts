import { createServer } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { expectAccessible } from "../dashboard/open-dashboard.ts";
import { closeBrowser, startVisit } from "./browser.ts";
import { answerAtProvider, type Installation, startInstallation } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation();
  return async () => {
    await closeBrowser();
    await installation[Symbol.asyncDispose]();
  };
});

async function resultOf(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await installation.api("GET", "/connect/session/result", { headers });
  return body.data;
}

/** A service that is there, but does not do its work. */
async function startDownServer() {
  const server = createServer((_request, response) => response.writeHead(503).end("maintenance"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const connect = { name: "Connect", exact: true };
const toHarbor = { name: "Continue to Harbor CRM" };

test("from the list through the provider's window to a connection", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token, link } = await installation.createSession();

  const answer = await page.goto(link);
  expect(page.url()).not.toContain(token);
  expect(answer?.headers()["content-security-policy"]).toMatch(
    /script-src 'self'; style-src 'self'/,
  );
  expect(answer?.headers()["content-security-policy"]).not.toContain("unsafe");
  await page.getByRole("listitem").first().waitFor();
  expect(await page.getByRole("listitem").allTextContents()).toEqual([
    expect.stringContaining("Harbor CRM"),
    expect.stringContaining("Harbor Server"),
    expect.stringContaining("Ledger"),
    expect.stringContaining("Quay Mail"),
    expect.stringContaining("Walled Harbor"),
  ]);
  await page.getByRole("button", { name: "Harbor CRM" }).click();
  const popup = await visit.nextPopup(() => page.getByRole("button", toHarbor).click());
  await answerAtProvider(popup, "Allow");

  await page.getByRole("heading", { name: "Harbor CRM is connected" }).waitFor();
  await expect.poll(() => popup.isClosed()).toBe(true);
  expect(await resultOf(token)).toMatchObject({
    state: "success",
    provider_config_key: "harbor",
  });
});

test("a denial is shown, and the same page can try again", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { link } = await installation.createSession({ allowed_integrations: ["harbor"] });

  await page.goto(link);
  const first = await visit.nextPopup(() => page.getByRole("button", toHarbor).click());
  await answerAtProvider(first, "Deny");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(await alert.textContent()).toContain("Access was not allowed");
  const second = await visit.nextPopup(() =>
    page.getByRole("button", { name: "Try again" }).click(),
  );
  await second.getByRole("button", { name: "Allow" }).click();

  await page.getByRole("heading", { name: "Harbor CRM is connected" }).waitFor();
});

test("a window that was closed can be opened again", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { link } = await installation.createSession({ allowed_integrations: ["harbor"] });

  await page.goto(link);
  const first = await visit.nextPopup(() => page.getByRole("button", toHarbor).click());
  await first.getByLabel("Email").waitFor();
  await first.close();
  await page.getByText("The other window seems to be closed.").waitFor();
  const second = await visit.nextPopup(() =>
    page.getByRole("button", { name: "Open it again" }).click(),
  );
  await answerAtProvider(second, "Allow");

  await page.getByRole("heading", { name: "Harbor CRM is connected" }).waitFor();
});

test("a provider that cuts the tie to the opener (COOP) changes nothing", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { link } = await installation.createSession({ allowed_integrations: ["harbor-walled"] });

  await page.goto(link);
  const go = page.getByRole("button", { name: "Continue to Walled Harbor" });
  const popup = await visit.nextPopup(() => go.click());
  await popup.getByLabel("Email").waitFor();
  expect(await popup.evaluate("window.opener === null")).toBe(true);
  await answerAtProvider(popup, "Allow");

  await page.getByRole("heading", { name: "Walled Harbor is connected" }).waitFor();
});

test("a session that has ended says so, at the start and on the way", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token, link } = await installation.createSession({ allowed_integrations: ["ledger"] });

  await page.goto(link);
  await page.getByLabel("Token", { exact: true }).fill("secret");
  const headers = { authorization: `Bearer ${token}` };
  await installation.api("DELETE", "/connect/session", { headers });
  await page.getByRole("button", connect).click();
  await page.getByRole("heading", { name: "This page has expired" }).waitFor();
  await page.goto(link);
  await page.getByRole("heading", { name: "This page has expired" }).waitFor();
  await page.goto("about:blank");
  await page.goto(link.replace(/\?.*/, ""));

  await page.getByRole("heading", { name: "This page was opened without a session" }).waitFor();
});

test("credentials that the provider refuses can be put right", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { clientId, clientSecret } = installation.provider.oauth;
  const { link } = await installation.createSession({ allowed_integrations: ["harbor-server"] });

  await page.goto(link);
  await page.getByLabel("Client ID").fill(clientId);
  await page.getByLabel("Client secret", { exact: true }).fill("wrong");
  await page.getByRole("button", connect).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(await alert.textContent()).toContain("These details did not work");
  expect(await page.evaluate("document.activeElement.role")).toBe("alert");
  await page.getByLabel("Client secret", { exact: true }).fill(clientSecret);
  await page.getByRole("button", connect).click();

  await page.getByRole("heading", { name: "Harbor Server is connected" }).waitFor();
});

test("an API key is asked for, checked and sent with the keyboard alone", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token, link } = await installation.createSession();

  await page.goto(link);
  await page.getByRole("heading", { name: "Connect an account" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Connect Ledger" }).waitFor();
  await page.getByRole("button", connect).focus();
  await page.keyboard.press("Enter");
  const input = page.getByRole("textbox", { name: "Token", exact: true });
  expect(await page.evaluate("document.activeElement.id")).toBe(await input.getAttribute("id"));
  expect(await input.getAttribute("aria-invalid")).toBe("true");
  await page.keyboard.type("ledger-key");
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: "Ledger is connected" }).waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Ledger is connected");
  const { connection_id: id } = await resultOf(token);
  const { body } = await installation.api("GET", `/connections/${id}?provider_config_key=ledger`);
  expect(body.credentials).toMatchObject({ type: "API_KEY", apiKey: "ledger-key" });
});

test("a reconnect session authorizes the same connection again", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const first = await installation.createSession({
    allowed_integrations: ["ledger"],
    tags: { team: "a" },
  });
  await page.goto(first.link);
  await page.getByLabel("Token", { exact: true }).fill("old");
  await page.getByRole("button", connect).click();
  await page.getByRole("heading", { name: "Ledger is connected" }).waitFor();
  const { connection_id: id } = await resultOf(first.token);

  const again = await installation.createReconnectSession({
    connection_id: id,
    integration_id: "ledger",
  });
  await page.goto(again.link);
  await page.getByRole("heading", { name: "Reconnect Ledger" }).waitFor();
  await page.getByLabel("Token", { exact: true }).fill("new");
  await page.getByRole("button", { name: "Reconnect", exact: true }).click();
  await page.getByRole("heading", { name: "Ledger is connected again" }).waitFor();

  expect(await resultOf(again.token)).toMatchObject({ state: "success", connection_id: id });
  const { body } = await installation.api("GET", `/connections/${id}?provider_config_key=ledger`);
  expect(body.credentials.apiKey).toBe("new");
});

test("the page fits a phone and follows the system's dark theme", async (t) => {
  await using visit = await startVisit(t, {
    viewport: { width: 360, height: 640 },
    colorScheme: "dark",
  });
  const { page } = visit;
  const { link } = await installation.createSession();
  const measure = async () =>
    await page.evaluate(
      "[document.documentElement.scrollWidth, document.documentElement.dataset.theme]",
    );

  await page.goto(link);
  await page.getByRole("listitem").first().waitFor();
  const list = await measure();
  await page.getByRole("button", { name: "Harbor Server" }).click();
  await page.getByRole("button", connect).click();
  await page.getByText("Client ID is missing.").waitFor();
  const form = await measure();

  expect([list, form]).toEqual([
    [360, "dark"],
    [360, "dark"],
  ]);
});

test("a reload and Back lead to where the page was, and the token stays out of the address", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token, link } = await installation.createSession();

  await page.goto("about:blank");
  await page.goto(link);
  await page.getByRole("button", { name: "Ledger" }).click();
  const form = page.getByRole("heading", { name: "Connect Ledger" });
  await form.waitFor();
  await page.reload();
  await form.waitFor();
  await page.goBack();
  const list = page.getByRole("heading", { name: "Connect an account" });
  await list.waitFor();
  await page.goForward();
  await form.waitFor();
  await page.getByRole("button", { name: "Back to the list" }).click();
  await list.waitFor();
  await page.goto("about:blank");
  await page.goBack();
  await list.waitFor();

  expect(page.url()).not.toContain(token);
  expect(await page.evaluate("JSON.stringify(history.state)")).not.toContain(token);
});

test("a connection that was made is still shown after a reload, and another one can be made", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { link } = await installation.createSession({
    allowed_integrations: ["ledger", "harbor"],
  });

  await page.goto(link);
  await page.getByRole("button", { name: "Ledger" }).click();
  await page.getByLabel("Token", { exact: true }).fill("key");
  await page.getByRole("button", connect).click();
  const end = page.getByRole("heading", { name: "Ledger is connected" });
  await end.waitFor();
  await page.reload();
  await end.waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Connect another account" }).click();

  await page.getByRole("button", { name: "Harbor CRM" }).waitFor();
});

test("after the success the page leads back to the app by itself, unless the person stays", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const returnUrl = new URL("/health", installation.url).href;
  const { link } = await installation.createSession({
    allowed_integrations: ["ledger"],
    return_url: returnUrl,
  });
  await page.clock.install();

  await page.goto(link);
  await page.getByLabel("Token", { exact: true }).fill("key");
  await page.getByRole("button", connect).click();
  await page.getByText("You’ll return to the app in 10 seconds.").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Stay on this page" }).click();
  await page.clock.runFor(60_000);
  await page.getByRole("link", { name: "Continue" }).waitFor();
  await page.reload();
  await page.getByText("You’ll return to the app in 10 seconds.").waitFor();
  await page.clock.runFor(11_000);

  await page.waitForURL(/\/health\?state=success&connection_id=.*provider_config_key=ledger/);
});

test("list and form stand at the same place, and every state is accessible", async (t) => {
  await using visit = await startVisit(t, { viewport: { width: 1280, height: 800 } });
  const { page } = visit;
  const { link } = await installation.createSession();
  const card = async () => await page.getByRole("main").boundingBox();

  await page.goto(link);
  await page.getByRole("listitem").first().waitFor();
  const list = await card();
  const title = await page.getByRole("heading", { level: 1 }).boundingBox();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Ledger" }).click();
  const logo = page.locator(".title .logo");
  await logo.waitFor();
  const form = await card();
  await expectAccessible(page);

  expect(form).toEqual(list);
  expect((await logo.boundingBox())?.y).toBe(title?.y);
});

// The last ones, for the integrations that they make are in every list from then on.
test.for([
  ["cannot be reached", "http://127.0.0.1:9/token", "upstream_unreachable"],
  ["has a problem at the moment", "/down", "upstream_unavailable"],
] as const)(
  "credentials that nobody looked at, since the service %s, are not called wrong",
  async ([words, at, type], t) => {
    await using visit = await startVisit(t);
    const { page } = visit;
    await using down = await startDownServer();
    await installation.api("POST", "/integrations", {
      body: {
        provider: "oauth2-cc-generic",
        unique_key: type,
        display_name: "Far Service",
        integration_config: { token_url: new URL(at, down.origin).href },
      },
    });
    const { token, link } = await installation.createSession({ allowed_integrations: [type] });

    await page.goto(link);
    await page.getByLabel("Client ID").fill("me");
    await page.getByLabel("Client secret", { exact: true }).fill("my secret");
    const answering = page.waitForResponse(/\/oauth2\/auth\//);
    await page.getByRole("button", connect).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();

    expect(await alert.textContent()).toContain(`The service ${words}`);
    expect(await alert.textContent()).toContain("was not checked");
    expect((await answering).status()).toBeGreaterThanOrEqual(502);
    expect(await (await answering).json()).toMatchObject({ error: { code: type } });
    expect(await resultOf(token)).toMatchObject({ state: "waiting" });
  },
);

test("of integrations with one name each has its key, and Enter chooses the only one that is found", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const keys = Array.from({ length: 7 }, (_, at) => `mirror-${at}`);
  for (const unique_key of keys) {
    await installation.api("POST", "/integrations", {
      body: { provider: "private-api-bearer", unique_key, display_name: "Mirror" },
    });
  }
  const { link } = await installation.createSession({ allowed_integrations: keys });

  await page.goto(link);
  const search = page.getByRole("searchbox", { name: "Search services" });
  await search.fill("mirror");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Mirror mirror-4" }).waitFor();
  await search.fill("mirror-4");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Connect Mirror" }).waitFor();

  expect(await page.getByText("mirror-4").count()).toBe(1);
});
