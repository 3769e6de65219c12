import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "./browser.ts";
import { type CustomerSite, startCustomerSite } from "./customer-site.ts";
import { type Installation, startInstallation } from "./installation.ts";

// Browser clients written for another platform load the page without a token, and hand it over by message.
let installation: Installation;
let site: CustomerSite;
let stranger: CustomerSite;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  stack.defer(closeBrowser);
  site = stack.use(await startCustomerSite());
  stranger = stack.use(await startCustomerSite());
  installation = stack.use(await startInstallation({ SVC_COMPAT_PREFIX: "acme" }));
  return async () => await stack.disposeAsync();
});

async function embed(page: Page, from: CustomerSite, token: string) {
  await page.goto(from.origin);
  await page.waitForFunction("document.title === 'Ready'");
  await page.evaluate(`
    window.frame = document.createElement("iframe");
    frame.src = ${JSON.stringify(`${installation.url}/connect/?apiURL=${installation.url}`)};
    frame.style = "width: 600px; height: 700px";
    addEventListener("message", ({ data }) => {
      if (data.type !== "ready") return;
      frame.contentWindow.postMessage({ type: "session_token", sessionToken: ${JSON.stringify(token)} }, "*");
    });
    document.body.append(frame);
  `);
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  if (frame === null) throw new Error("there is no frame");
  return frame;
}

const seenTypes = "window.seen.map(({ data }) => data.type)";

test("a page that the session allows hands the token over, and hears what happens", async (t) => {
  await using visit = await startVisit(t);
  const { token } = await installation.createSession({
    allowed_integrations: ["ledger"],
    allowed_origins: [site.origin],
  });
  const frame = await embed(visit.page, site, token);
  await frame.getByLabel("Token", { exact: true }).fill("k");
  await frame.getByRole("button", { name: "Connect", exact: true }).click();
  await frame.getByRole("button", { name: "Done" }).click();

  await expect
    .poll(async () => await visit.page.evaluate(seenTypes))
    .toEqual(["ready", "settings_changed", "connect", "close"]);
});

for (const [what, allows] of [
  ["other pages", () => ({ allowed_origins: [site.origin] })],
  ["no page by name", () => ({})],
] as const) {
  test(`a page learns nothing of a session that allows ${what}`, async (t) => {
    await using visit = await startVisit(t);
    const { token } = await installation.createSession({
      allowed_integrations: ["ledger"],
      ...allows(),
    });
    const frame = await embed(visit.page, stranger, token);
    await frame.getByRole("heading").waitFor();

    expect(await frame.getByRole("textbox").count()).toBe(0);
    expect(await frame.getByText("Ledger").count()).toBe(0);
    expect(await visit.page.evaluate(seenTypes)).toEqual(["ready"]);
  });
}

test("without the prefix no other site shows the page", async () => {
  await using plain = await startInstallation();
  const page = await fetch(`${plain.url}/connect/`);
  const compatible = await fetch(`${installation.url}/connect/`);
  const named = await fetch(`${installation.url}/connect/?opener_origin=${stranger.origin}`);
  const policyOf = ({ headers }: Response) =>
    /frame-ancestors [^;]+/.exec(headers.get("content-security-policy") ?? "")?.[0];
  expect([page, compatible, named].map(policyOf)).toEqual([
    "frame-ancestors 'self'",
    "frame-ancestors *",
    "frame-ancestors 'self'",
  ]);
});
