import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestPlatform } from "../../../packages/cli/src/test.ts";
import { type FakeCrm, startFakeCrm } from "../../../packages/cli/src/testing/fake-crm.ts";
import { runJackfield } from "../../../packages/cli/src/testing/run-jackfield.ts";
import { closeBrowser, startVisit } from "../../connect-ui/browser.ts";
import { startOnClone } from "../../launcher/start-on-clone.ts";
import { waitFor } from "../fill-environment.ts";
import { expectAccessible, isTooWide } from "../open-dashboard.ts";

const bin = fileURLToPath(new URL("../../../packages/cli/bin/jackfield.js", import.meta.url));

let folder: string;
let crm: FakeCrm;
let platform: TestPlatform;
let dev: ChildProcess;
let address: string;
let printed = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "jackfield-dev-"));
  [crm, platform] = await Promise.all([startFakeCrm(), startOnClone()]);
  await runJackfield({ cwd: folder, args: ["init"] });
  await post("/integrations", {
    provider: "private-api-bearer",
    unique_key: "crm",
    integration_config: { base_url: crm.url },
  });
  await post("/connections", {
    provider_config_key: "crm",
    connection_id: "acme",
    credentials: { type: "API_KEY", apiKey: crm.token },
  });
  dev = spawn(process.execPath, [bin, "dev", "--ui", "--dryrun", "contacts"], {
    cwd: folder,
    env: {
      PATH: dirname(process.execPath),
      SVC_SECRET_KEY_DEV: platform.keys.dev,
      SVC_HOSTPORT: platform.url,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [dev.stdout, dev.stderr]) stream?.on("data", (text) => (printed += text));
  await waitFor(async () => /Open: \S+/.test(printed));
  address = /Open: (\S+)/.exec(printed)?.[1] ?? "";
});
afterAll(async () => {
  dev.kill("SIGINT");
  await once(dev, "exit");
  await closeBrowser();
  await platform[Symbol.asyncDispose]();
  await crm[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`${platform.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${platform.keys.dev}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const path = join(folder, file);
  const source = await readFile(path, "utf8");
  expect(source).toContain(from);
  await writeFile(path, source.replace(from, to));
}

async function waitForRun(page: Page, id: number): Promise<void> {
  await page.getByRole("button", { name: `Run ${id}`, exact: true }).waitFor();
}

test("a saved function runs again with its input, and the page shows what it did", async (context) => {
  await using visit = await startVisit(context);
  const { page } = visit;
  const faults: string[] = [];
  page.on("console", (line) => line.type() === "error" && faults.push(line.text()));
  await page.goto(address);

  // What the command line named has run already.
  await waitForRun(page, 1);
  await page.getByText("Contact: 5 saved, 0 updated, 0 deleted").waitFor();
  await page.getByRole("button", { name: "Show GET /contacts" }).first().click();
  await page.getByRole("region", { name: "Answered" }).getByText("Person 1").waitFor();
  const bars = page.getByRole("region", { name: "Timeline" }).getByRole("listitem");
  const span = String.raw`[\d.]+ (ms|s)`;
  // Of a page of contacts, what was saved of it is below the call that brought it.
  expect(await bars.allInnerTexts()).toEqual(
    [2, 2, 1].flatMap((count) => [
      expect.stringMatching(new RegExp(String.raw`^\+${span}\s+GET /contacts\s+200\s+${span}\s*$`)),
      expect.stringMatching(new RegExp(String.raw`^\+${span}\s+Contact: ${count} saved\s*$`)),
    ]),
  );
  const places = await bars
    .locator("rect:not(.track)")
    .evaluateAll((drawn) => drawn.map((rect) => Number(rect.getAttribute("x"))));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(new Set(places).size).toBeGreaterThan(3);
  await expectAccessible(page);

  await edit("crm/contact.ts", "name: contact.name,", "name: contact.name.toUpperCase(),");
  await waitForRun(page, 2);
  const changes = page.getByRole("region", { name: "What differs from the run before" });
  await changes.getByText("PERSON 1").first().waitFor();
  await expectAccessible(page);

  // A type error is shown at its line, and the run all the same.
  await edit("crm/contact.ts", "id: contact.id,", "id: contact.idd,");
  await page.getByRole("region", { name: "1 error in the project" }).waitFor();
  await page.getByText("crm/contact.ts:23:17").waitFor();
  await expectAccessible(page);
  await edit("crm/contact.ts", "id: contact.idd,", "id: contact.id,");
  await page.getByRole("region", { name: "1 error in the project" }).waitFor({ state: "detached" });

  // So is what a run throws.
  await edit(
    "crm/contact.ts",
    "  return {",
    '  if (contact.id === "2") throw new Error("no such");\n  return {',
  );
  await page.getByText("script_internal_error: no such").waitFor();
  await page.getByText(/^crm\/contact\.ts:22:\d+$/).waitFor();
  await expectAccessible(page);
  for (const width of [360, 1280, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await isTooWide(page)).toBe(false);
  }
  expect(faults).toEqual([]);
});

test("an action has a form for its input, and its run is kept as a test", async (context) => {
  await using visit = await startVisit(context);
  const { page } = visit;
  await page.goto(address);

  await page.getByRole("button", { name: /crm\/create-contact/ }).click();
  await page.getByLabel("name", { exact: true }).fill("Ada");
  await page.getByLabel("email", { exact: true }).fill("ada@example.com");
  await page.getByRole("heading", { name: "Local development" }).click();
  await page.keyboard.press("r");
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText("info: Created a contact").waitFor();
  const result = page.getByRole("region", { name: "Result" }).first();
  await result.getByText('"name": "ADA"').or(result.getByText('"name": "Ada"')).waitFor();
  await page.getByRole("button", { name: "Keep as a test" }).click();
  await page.getByText("Kept in crm/tests/create-contact.test.json").waitFor();

  const kept = await readFile(join(folder, "crm/tests/create-contact.test.json"), "utf8");
  await page.getByLabel("name", { exact: true }).fill("Grace");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const changes = page.getByRole("region", { name: "What differs from the recording" }).first();
  await changes.locator(".line.removed", { hasText: /ada/i }).first().waitFor();
  await changes.locator(".line.added", { hasText: /grace/i }).first().waitFor();
  await expectAccessible(page);
  expect(kept).toContain("ada@example.com");
  expect(kept).not.toContain(crm.token);
});

test("a sync runs with a webhook that is typed, and again with it after a change", async (context) => {
  await using visit = await startVisit(context);
  const { page } = visit;
  await page.goto(address);
  await page.getByRole("button", { name: /crm\/contacts/ }).click();
  expect(await page.getByRole("button", { name: /^Starts/ }).count()).toBe(0);
  await edit(
    "crm/syncs/contacts.ts",
    "  exec: async (svc) => {",
    `  webhookSubscriptions: ["*"],
  onWebhook: async (svc, payload) => {
    await svc.log("Webhook of " + String(Object(payload).name));
    await svc.batchSave([{ ...Object(payload), name: "Mx " + Object(payload).name }], "Contact");
  },

  exec: async (svc) => {`,
  );

  await page.getByRole("button", { name: /^Starts/ }).click();
  await page.getByRole("option", { name: "with a webhook" }).click();
  const editor = page.getByLabel("Body of the webhook");
  await editor.fill("{");
  await page.getByText(/Not valid JSON/).waitFor();
  expect(await page.getByRole("button", { name: "Run", exact: true }).isDisabled()).toBe(true);
  const body = { id: "9", name: "Ada", email: "ada@example.com", company: null };
  await editor.fill(JSON.stringify({ ...body, updatedAt: "2026-01-01T00:00:00Z" }));
  await expectAccessible(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const timeline = page.getByRole("region", { name: "Timeline" }).first();
  await timeline.getByText("info: Webhook of Ada").waitFor();
  await timeline.getByText("Contact: 1 saved").waitFor();
  // The runs before were of the schedule.
  await page.getByText("There is no run before this one.").waitFor();
  await expectAccessible(page);

  // What is saved next runs with the same body, and is compared with the webhook before.
  await edit("crm/syncs/contacts.ts", '"Mx "', '"Dr "');
  const changes = page.getByRole("region", { name: "What differs from the run before" }).first();
  await changes.locator(".line.removed", { hasText: "Mx Ada" }).waitFor();
  await changes.locator(".line.added", { hasText: "Dr Ada" }).waitFor();
  await page.getByRole("button", { name: "Keep as a test" }).click();
  await page.getByText("Kept in crm/tests/contacts.test.json").waitFor();
  const kept = await readFile(join(folder, "crm/tests/contacts.test.json"), "utf8");
  expect(JSON.parse(kept).cases).toMatchObject([{ name: "webhook", input: body }]);

  // Without its handler, the sync refuses the webhook instead of running as on its schedule.
  await edit(
    "crm/syncs/contacts.ts",
    "onWebhook: async",
    "// @ts-expect-error: not a property\n  onHook: async",
  );
  await page.getByText(/has no onWebhook/).waitFor();
});

test("only who has the link may ask, and only at this address", async () => {
  const { origin, port } = new URL(address);

  const without = await fetch(`${origin}/state`);
  const wrong = await fetch(`${origin}/choice`, {
    method: "POST",
    headers: { authorization: "Bearer guess" },
    body: "{}",
  });
  const { request } = await import("node:http");
  const rebound = await new Promise<number | undefined>((resolve) => {
    const asked = request({ port, host: "127.0.0.1", headers: { host: `evil.example:${port}` } });
    asked.on("response", (response) => resolve(response.resume().statusCode)).end();
  });

  expect([without.status, wrong.status, rebound]).toEqual([401, 401, 421]);
});
