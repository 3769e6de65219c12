import { beforeAll, expect, test } from "vitest";
import { expectAccessible, isTooWide } from "../dashboard/open-dashboard.ts";
import { closeBrowser, startVisit } from "./browser.ts";
import { type Installation, startInstallation } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation();
  return async () => {
    await closeBrowser();
    await installation[Symbol.asyncDispose]();
  };
});

const logo =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

test("before leaving, the page says who asks for what, and links to the terms", async (t) => {
  await using visit = await startVisit(t, { viewport: { width: 360, height: 640 } });
  const { page } = visit;
  const app = { name: "Quay Ledger", logo, terms_url: "https://example.com/terms" };
  const { body } = await installation.api("PATCH", "/environment/settings", {
    body: { connect_ui: { app } },
  });
  expect(body.data.connect_ui.app).toMatchObject(app);
  const { link } = await installation.createSession({ allowed_integrations: ["harbor"] });

  await page.goto(link);
  const asked = page.getByRole("region", { name: "What Quay Ledger asks you to allow" });
  await asked.waitFor();

  expect(await asked.getByRole("listitem").allTextContents()).toEqual([
    "See which account is yours",
    "Keep the access while you are away",
    "contacts.read",
  ]);
  const terms = page.getByRole("link", { name: "Terms" });
  expect(await terms.getAttribute("href")).toBe(app.terms_url);
  expect(await page.getByRole("link", { name: "Privacy policy" }).count()).toBe(0);
  const image = page.locator(".app img");
  await expect
    .poll(async () => await image.evaluate((element) => Reflect.get(element, "naturalWidth")))
    .toBe(1);
  await expectAccessible(page);
  expect(await isTooWide(page)).toBe(false);
});

test("a connect link says who asks for what, and only the click begins the session", async (t) => {
  await using visit = await startVisit(t, { viewport: { width: 360, height: 640 } });
  const { page } = visit;
  const { body } = await installation.api("POST", "/connect/links", {
    body: {
      tags: { end_user_id: "u1", organization_display_name: "Quay Ltd" },
      allowed_integrations: ["ledger"],
    },
  });
  const { url } = body.data;
  const linked = async () =>
    (await installation.api("GET", "/connect/links")).body.data.find(
      ({ id }: { id: string }) => id === body.data.link.id,
    ).uses;

  await page.goto(url);
  await page.getByText("Quay Ltd is asked to connect Ledger.").waitFor();
  await expectAccessible(page);
  expect([page.url().includes("#"), await isTooWide(page), await linked()]).toEqual([
    false,
    false,
    0,
  ]);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Connect Ledger" }).waitFor();
  expect(await linked()).toBe(1);
  await page.goto("about:blank");
  await page.goto(url);

  await page.getByRole("heading", { name: "This link cannot be used" }).waitFor();
  await page.getByText("It does not work any more.").waitFor();
  await using other = await startVisit(t, { viewport: { width: 360, height: 640 } });
  await other.page.goto(url.split("#")[0]);
  await other.page.getByText("The address is incomplete: its end is missing.").waitFor();
  await expectAccessible(other.page);
});
