import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
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
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function settings(environment: string) {
  return (await owner.call("GET", "/environment/settings", { environment })).body.data;
}

test("the colour of the connect page is shown while it is typed, with a warning of weak contrast", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/settings/connect-page");
  const { page } = visit;

  await page.getByText(/stand out only 2\.48:1/).waitFor();
  await page.getByLabel("Colour in the light theme").fill("blue");
  await page.getByText("Write it as #").waitFor();
  await page.getByLabel("Colour in the light theme").fill("#175bc7");
  await page.getByText("Links stand out 6.25:1 from the page.").waitFor();
  await expectAccessible(page);
  const colour = await page.evaluate(
    "getComputedStyle(document.querySelector('.connect-preview.light .preview-button')).backgroundColor",
  );
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await page.getByText("Saved", { exact: true }).waitFor();

  expect(colour).toBe("rgb(23, 91, 199)");
  expect((await settings("dev")).connect_ui.theme.light.primary).toBe("#175bc7");
});

test("the app that asks for access is named with logo and terms, and shown while it is typed", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/settings/connect-page");
  const { page } = visit;
  const logo = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
    "base64",
  );
  const file = { mimeType: "image/png", name: "logo.png" };

  // The default colour has too little contrast; the test before covers that.
  await page.getByLabel("Colour in the light theme").fill("#175bc7");
  await page.getByLabel("Name of the app").fill("Quay Ledger");
  await page.locator(".connect-preview.light").getByText("Quay Ledger").waitFor();
  await page.getByLabel("Logo").setInputFiles({ ...file, buffer: Buffer.alloc(20_000) });
  await page.getByText("The image is larger than 14 KB.").waitFor();
  await page.getByLabel("Logo").setInputFiles({ ...file, buffer: logo });
  await page.locator(".connect-preview.dark canvas").waitFor();
  await page.getByLabel("Terms").fill("example.com/terms");
  await page.getByText("Write it as https://…").waitFor();
  await page.getByLabel("Terms").fill("https://example.com/terms");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save", exact: true }).nth(1).click();
  await page.getByText("Saved", { exact: true }).waitFor();

  expect((await settings("dev")).connect_ui.app).toEqual({
    name: "Quay Ledger",
    logo: `data:image/png;base64,${logo.toString("base64")}`,
    terms_url: "https://example.com/terms",
    privacy_url: null,
  });
  const { body } = await owner.call("GET", "/audit?action=updateEnvironmentSettings");
  // The audit log has values as their hashes.
  const [{ fields, before }] = body.data;
  expect(fields.connect_ui).not.toBe(before.connect_ui);
});

test("each field of an environment that nobody has changed has the value that it calls its default", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/settings/webhooks");
  const { page } = visit;
  const toggles = page.getByRole("switch");
  await toggles.first().waitFor();
  const wrong: string[] = [];

  for (const toggle of await toggles.all()) {
    const id = await toggle.getAttribute("aria-describedby");
    const help = String(await page.locator(`[id="${id}"]`).textContent());
    const said = (await toggle.isChecked()) ? "Default: on." : "Default: off.";
    if (!help.startsWith(said)) wrong.push(help);
  }
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/prod/settings/connect-page`);
  await page.getByText("Default: system.").waitFor();
  await page.getByText("Default: on.").waitFor();
  const { connect_ui: look } = await settings("prod");

  expect(wrong).toEqual([]);
  expect(await toggles.count()).toBeGreaterThan(0);
  expect(look).toMatchObject({ default_theme: "system", show_watermark: true });
  for (const theme of ["light", "dark"] as const) {
    const colour = page.getByLabel(`Colour in the ${theme} theme`);
    expect(await colour.inputValue()).toBe(look.theme[theme].primary);
  }
  const named = page.getByText(`Default: ${look.theme.light.primary}.`);
  expect(await named.count()).toBe(2);
});

test("addresses and kinds of webhooks; the signing key behind its mask, and replaced", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/settings/webhooks");
  const { page } = visit;
  const { body: revealed } = await owner.call("POST", "/environment/webhooks/reveal", {
    environment: "dev",
  });
  const key = String(revealed.data.signing_key);

  await page.getByLabel("Primary address").fill("http://127.0.0.1:9/hooks");
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.getByText("A run of a sync failed").click();
  await page.getByRole("button", { name: "Save", exact: true }).nth(1).click();
  await page.getByText("Saved", { exact: true }).nth(1).waitFor();
  await expectAccessible(page);
  const before = await page.content();
  await page.getByRole("button", { name: "The signing key Reveal" }).click();
  await page.getByText(key).waitFor();
  await page.getByRole("button", { name: "Hide" }).click();
  await page.getByText(key).waitFor({ state: "detached" });
  await page.getByLabel("Primary address").fill("");
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await expect
    .poll(async () => {
      const { body } = await owner.call("GET", "/environment/webhooks", { environment: "dev" });
      return body.data.primary_url;
    })
    .toBe("");
  await page.getByRole("button", { name: "Replace the signing key" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Replace the key" }).click();
  const next = await page.getByRole("region", { name: "The new key" }).textContent();

  expect(before).not.toContain(key);
  expect(next).toMatch(/^whsec_/);
  expect(next).not.toBe(key);
});

test("variables are set, shown for a moment, and deleted, by the keyboard", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/settings/variables");
  const { page } = visit;

  await page.getByText("No variables yet").waitFor();
  await page.getByRole("textbox", { name: "Name" }).focus();
  await page.keyboard.type("REGION");
  await page.keyboard.press("Tab");
  await page.keyboard.type("canary-of-a-variable");
  await page.keyboard.press("Enter");
  await page.getByText("********").waitFor();
  await page.getByLabel("Value").fill("");
  await expectAccessible(page);
  const before = await page.content();
  await page.getByRole("button", { name: "The value of REGION Reveal" }).press("Enter");
  await page.getByText("canary-of-a-variable").waitFor();
  await page.evaluate("window.dispatchEvent(new Event('blur'))");
  await page.getByText("canary-of-a-variable").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete REGION" }).press("Enter");
  await page.getByRole("button", { name: "Delete the variable in dev" }).press("Enter");
  await page.getByText("No variables yet").waitFor();

  expect(before).not.toContain("canary-of-a-variable");
});

test("limits, validation, guard and retention are saved, and faults are said", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using visit = await openAsOwner(context, people, "/dev/settings/limits", { viewport });
  const { page } = visit;

  await page.getByLabel("Largest share").fill("30");
  await page.getByRole("button", { name: "Save", exact: true }).nth(2).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.getByRole("button", { name: /Records that syncs save/ }).click();
  await page.getByRole("option", { name: "fail the run" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).nth(1).click();
  await page.getByText("Saved", { exact: true }).nth(1).waitFor();
  await expectAccessible(page);
  const isWide = await isTooWide(page);
  await page.goto(`${dashboardOf(people)}/dev/settings/retention`);
  await page.getByLabel("Days that webhooks are kept").fill("0");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("alert").getByText("Correct the marked fields").waitFor();
  const days = page.getByRole("textbox", { name: "Days that webhooks are kept" });
  await page.locator(".fault", { hasText: /^Must be / }).waitFor();
  expect(await days.getAttribute("aria-invalid")).toBe("true");
  expect(await page.content()).not.toContain("webhooks_days");
  await expectAccessible(page);
  await page.getByLabel("Days that webhooks are kept").fill("14");
  await page.getByLabel("Days after which records lose").fill("90");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await expectAccessible(page);

  expect(isWide).toBe(false);
  expect(await settings("dev")).toMatchObject({
    delete_guard: { share: 0.3 },
    validation: { records: "fail", input: "fail" },
    retention: { webhooks_days: 14, records_prune_days: 90, records_delete_days: null },
  });
});

test("each part of the settings says who changed it last, also once that person is gone", async (context) => {
  await using visit = await openAsRole(context, people, "developer", "/dev/settings/retention");
  const { page } = visit;
  await page.getByLabel("Days that webhooks are kept").fill("21");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(/Last changed by developer,/).waitFor();
  const { body: users } = await owner.call("GET", "/users");
  for (const { id, name } of users.data) {
    if (name === "developer") await owner.call("DELETE", `/users/${id}`);
  }
  const variable = { environment: "dev", body: { value: "eu" } };
  await owner.call("PUT", "/environment-variables/REGION", variable);
  await using own = await openAsOwner(context, people, "/dev/settings/retention");

  await own.page.getByText(/Last changed by developer,/).waitFor();
  await expectAccessible(own.page);
  await own.page.goto(`${dashboardOf(people)}/dev/settings/variables`);
  await own.page
    .getByRole("listitem")
    .filter({ hasText: "REGION" })
    .getByText(/Last changed by Ada Lovelace,/)
    .waitFor();
  const { body } = await owner.call("GET", "/environment/settings/changes", { environment: "dev" });
  const other = await owner.call("GET", "/environment/settings/changes", { environment: "prod" });

  expect(body.data[0]).toMatchObject({
    ...{ of: "variable", name: "REGION", action: "setEnvironmentVariable" },
    actor: { kind: "user", name: "Ada Lovelace" },
  });
  expect(body.data).toContainEqual(
    expect.objectContaining({
      ...{ of: "settings", name: "retention" },
      actor: expect.objectContaining({ kind: "user", name: "developer" }),
    }),
  );
  expect(other.body.data).toEqual([]);
});

test("in production a variable is deleted only by typing its name", async (context) => {
  const body = { value: "eu" };
  await owner.call("PUT", "/environment-variables/REGION", { environment: "prod", body });
  await using visit = await openAsOwner(context, people, "/prod/settings/variables");
  const { page } = visit;

  await page.getByRole("button", { name: "Delete REGION" }).press("Enter");
  const confirm = page.getByRole("button", { name: "Delete the variable in prod" });
  const isHeld = await confirm.isDisabled();
  await page.getByLabel("Type the name of the variable to delete it").waitFor();
  await page.keyboard.type("REGION");
  await expectAccessible(page);
  await confirm.press("Enter");
  await page.getByText("No variables yet").waitFor();

  expect(isHeld).toBe(true);
});

test("records that do not match can be quarantined by the settings' choice", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/settings/limits");
  const { page } = visit;

  await page.getByRole("button", { name: /Records that syncs save/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "do not save, list in the quarantine" }).focus();
  await page.keyboard.press("Enter");
  await expectAccessible(page);
  // Only a record can be set aside.
  await page.getByRole("button", { name: /Output of actions/ }).click();
  const others = await page.getByRole("option").allInnerTexts();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save", exact: true }).nth(1).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: /do not save, list in the quarantine/ }).waitFor();

  expect(others.filter((text) => text.includes("quarantine"))).toEqual([]);
  expect((await settings("dev")).validation.records).toBe("quarantine");
});

test("an environment is renamed, marked as production, and the page follows; another is deleted", async (context) => {
  await owner.call("POST", "/environments", { body: { name: "trial" } });
  await using visit = await openAsOwner(context, people, "/trial/settings");
  const { page } = visit;

  await page.getByRole("textbox", { name: "Name" }).fill("pilot");
  await page.getByText("This is a production environment").click();
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await page.waitForURL("**/pilot/settings/general");
  await page.locator("[data-production=true]").waitFor();
  await expectAccessible(page);
  const isDisabled = await page
    .getByRole("button", { name: "Delete the environment" })
    .isDisabled();
  await page.getByText("This is a production environment").click();
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await page.locator("[data-production=false]").waitFor();
  await page.getByRole("button", { name: "Delete the environment" }).click();
  const confirm = page.getByRole("button", { name: "Delete the environment pilot" });
  const isLocked = await confirm.isDisabled();
  await page.getByLabel("Type the name to delete it").fill("pilot");
  await expectAccessible(page);
  await confirm.click();
  await page.waitForURL((url) => !url.pathname.includes("pilot"));

  expect([isDisabled, isLocked]).toEqual([true, true]);
});

test("who may not read settings is answered with the scope; who may not change them cannot save", async (context) => {
  await using visit = await openAsRole(context, people, "support", "/dev/settings/limits");
  const { page } = visit;
  await page.getByRole("alert").getByText("environment:settings:read").waitFor();
  await expectAccessible(page);
  await using other = await openAsRole(context, people, "read-only", "/dev/settings/limits");

  const save = other.page.getByRole("button", { name: "Save", exact: true }).first();
  await save.waitFor();
  expect(await save.isDisabled()).toBe(true);
});
