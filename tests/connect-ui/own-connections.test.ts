import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { expectAccessible, isTooWide } from "../dashboard/open-dashboard.ts";
import { closeBrowser, startVisit } from "./browser.ts";
import { answerAtProvider, type Installation, startInstallation } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation();
  await installation.api("PATCH", "/environment/settings", {
    body: { connect_ui: { default_theme: "system" } },
  });
  return async () => {
    await closeBrowser();
    await installation[Symbol.asyncDispose]();
  };
});

/** Where pictures go that somebody wants to look at. */
// biome-ignore lint/style/noProcessEnv: a person who looks at the pages says where.
const pictures = process.env["JACKFIELD_PICTURES"];

/** In both themes. */
async function look(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  expect(await isTooWide(page)).toBe(false);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
    if (pictures === undefined) continue;
    await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });
  }
}

async function newConnection(id: string, endUser: string, integration = "ledger"): Promise<void> {
  const answer = await installation.api("POST", "/connections", {
    body: {
      provider_config_key: integration,
      connection_id: id,
      credentials: { type: "API_KEY", apiKey: "k-1" },
      tags: { end_user_id: endUser },
    },
  });
  expect(answer.body).not.toHaveProperty("error");
}

async function manageLink(endUser: string, body: object = {}): Promise<string> {
  const { link } = await installation.createSession({
    tags: { end_user_id: endUser },
    purpose: "manage",
    ...body,
  });
  return link;
}

const narrow = { viewport: { width: 360, height: 740 } };

test("an end user sees what is connected, and ends one of it after a question", async (t) => {
  await using visit = await startVisit(t, narrow);
  const { page } = visit;
  await newConnection("a", "ada");
  await newConnection("b", "ada");
  await newConnection("c", "bob");

  await page.goto(await manageLink("ada"));
  await page.getByRole("heading", { name: "Your connections" }).waitFor();
  const items = page.getByRole("listitem", { name: "Ledger" });

  expect(await items.count()).toBe(2);
  expect(page.url()).not.toContain("svc_connect_session");
  await look(page, "manage-360");
  const first = items.first();
  await first.getByText("Works").waitFor();
  await first.getByRole("button", { name: "Disconnect Ledger" }).click();
  const dialog = page.getByRole("dialog", { name: "Disconnect Ledger?" });
  await dialog.getByText("Remove it in the settings of your Ledger account as well.").waitFor();
  await look(page, "manage-confirm-360");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await items.count()).toBe(2);
  await first.getByRole("button", { name: "Disconnect Ledger" }).click();
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("Ledger is disconnected.").waitFor();

  expect(await items.count()).toBe(1);
  await page.reload();
  await items.waitFor();
  const { body } = await installation.api("GET", "/connections");
  const left = body.connections.map(({ connection_id: id }: { connection_id: string }) => id);
  expect(left).toContain("c");
  expect(left.filter((id: string) => id === "a" || id === "b")).toHaveLength(1);
});

test("a connection is renewed without leaving the page", async (t) => {
  await using visit = await startVisit(t, { viewport: { width: 1280, height: 800 } });
  const { page } = visit;
  const tags = { end_user_id: "eve" };
  const { link } = await installation.createSession({ tags, allowed_integrations: ["harbor"] });
  await page.goto(link);
  const popup = await visit.nextPopup(async () => {
    await page.getByRole("button", { name: "Continue to Harbor CRM" }).click();
  });
  await answerAtProvider(popup, "Allow");
  await page.getByRole("heading", { name: "Harbor CRM is connected" }).waitFor();

  await page.goto(await manageLink("eve"));
  const item = page.getByRole("listitem", { name: "Harbor CRM" });
  await item.getByText("contacts.read").waitFor();
  await look(page, "manage-1280");
  await item.getByRole("button", { name: "Reconnect Harbor CRM" }).click();
  const frame = page.frameLocator("iframe#connect-ui");
  await frame.getByRole("heading", { name: "Reconnect Harbor CRM" }).waitFor();
  const again = await visit.nextPopup(async () => {
    await frame.getByRole("button", { name: "Continue to Harbor CRM" }).click();
  });
  // Signed in there by now.
  await again.getByRole("button", { name: "Allow" }).click();
  await page.locator("iframe#connect-ui").waitFor({ state: "detached" });

  expect(await page.getByRole("listitem", { name: "Harbor CRM" }).count()).toBe(1);
});

test("without connections, and with a session that has none to show, the page says so", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;

  await page.goto(await manageLink("nobody"));
  await page.getByRole("heading", { name: "Nothing is connected" }).waitFor();
  await look(page, "manage-empty");
  const { token } = await installation.createSession({ tags: { end_user_id: "ada" } });
  await page.goto("about:blank");
  await page.goto(`${installation.url}/connect/manage/#session_token=${token}`);

  await page.getByRole("heading", { name: "This page was opened without a session" }).waitFor();
  await look(page, "manage-wrong-session");
});

const titles = {
  de: ["Ihre Verbindungen", "Konto verbinden", "Konten verbinden"],
  fr: ["Vos connexions", "Connecter un compte", "Connecter vos comptes"],
  es: ["Tus conexiones", "Conectar una cuenta", "Conecta tus cuentas"],
  ja: ["接続済みのアカウント", "アカウントの接続", "アカウントの接続"],
} as const;

/** What the catalogue calls `Token`. */
const tokenLabels = {
  de: "Token",
  fr: "Jeton",
  es: "Token",
  ja: "トークン",
} as const;

test.for(["de", "fr", "es", "ja"] as const)("every page speaks %s", async (language, t) => {
  await newConnection(`own-${language}`, `user-${language}`);
  const [manage, choose, link] = titles[language];
  const wide = language === "es" || language === "fr";
  await using visit = await startVisit(t, {
    ...(wide ? { viewport: { width: 1280, height: 800 } } : narrow),
    // The session says otherwise.
    locale: "en-US",
  });
  const { page } = visit;
  const picture = (name: string): string => `${name}-${language}`;

  await page.goto(await manageLink(`user-${language}`, { language }));
  await page.getByRole("heading", { name: manage }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe(language);
  await look(page, picture("manage"));
  const { link: connect } = await installation.createSession({ language });
  await page.goto(connect);
  await page.getByRole("heading", { name: choose }).waitFor();
  await look(page, picture("choose"));
  const { link: form } = await installation.createSession({ allowed_integrations: ["harbor"] });
  await page.goto(`${form}&lang=${language}`);
  await page.getByRole("heading", { name: /Harbor CRM/ }).waitFor();
  await look(page, picture("form"));
  const { link: asked } = await installation.createSession({ allowed_integrations: ["ledger"] });
  await page.goto(`${asked}&lang=${language}`);
  await page.getByLabel(tokenLabels[language], { exact: true }).waitFor();
  await look(page, picture("fields"));
  const { body } = await installation.api("POST", "/connect/links", {
    body: {
      tags: { end_user_id: "u1", organization_display_name: "Quay Ltd" },
      allowed_integrations: ["ledger", "harbor"],
      with_code: true,
      language,
    },
  });
  await page.goto(body.data.url);
  await page.getByRole("heading", { name: link }).waitFor();
  await look(page, picture("link"));
});

test("without a word of the session, the browser's language counts", async (t) => {
  await using visit = await startVisit(t, { locale: "fr-CA" });
  const { page } = visit;
  const { link } = await installation.createSession();

  await page.goto(link);
  await page.getByRole("heading", { name: "Connecter un compte" }).waitFor();
  await page.goto(`${link}&lang=de-AT`);

  await page.getByRole("heading", { name: "Konto verbinden" }).waitFor();
});

test("a link with a code takes the right one alone", async (t) => {
  await using visit = await startVisit(t, narrow);
  const { page } = visit;
  const { body } = await installation.api("POST", "/connect/links", {
    body: { tags: { end_user_id: "u1" }, allowed_integrations: ["ledger"], with_code: true },
  });
  const { url, code } = body.data;

  await page.goto(url);
  const field = page.getByLabel("Code");
  await field.fill(code === "000000" ? "000001" : "000000");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("This code is wrong. Check it and try again.").waitFor();
  await look(page, "link-wrong-code");
  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole("button", { name: "Continue" }).click();

  await page.getByRole("heading", { name: "Connect Ledger" }).waitFor();
});
