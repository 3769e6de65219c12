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
import { addTools, putToolset } from "./fill-agents.ts";

const environment = "dev";
const hostile = `<img src=x onerror="window.__attacked=1">\u202egnp ${"long ".repeat(300)}`;

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addTools(owner, environment, {
    ids: ["alpha"],
    operations: [
      { name: "find", method: "get" },
      { name: "add", method: "post", description: hostile },
    ],
  });
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function read(name: string) {
  return (await owner.call("GET", `/agent/toolsets/${name}`, { environment })).body.data;
}

test("from an empty list to a toolset: its form counts, marks faults at their fields, and tries requests", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/toolsets");
  const { page } = visit;

  await page.getByText("No toolsets yet").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "New toolset" }).first().click();
  await page.getByText("Choose tools to see what an agent gets.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Bad Name");
  await page.getByRole("button", { name: "Add an integration" }).click();
  await page.getByRole("option", { name: "open" }).click();
  await page.getByText("2 tools").first().waitFor();
  await page.getByText("Selected tools").click();
  await page.getByRole("checkbox", { name: /^find/ }).click({ force: true });
  await page.getByText("1 of 2 selected").waitFor();
  await page.getByRole("button", { name: "Allow requests to an integration" }).click();
  await page.getByRole("option", { name: "open" }).click();
  await page.getByText("This is what was valid last").waitFor();
  const rules = page.getByRole("group", { name: "Allow rule 1" });
  await expect
    .poll(async () => await rules.locator(".fault").allTextContents())
    .toContain("Must have at least 1 item.");
  await rules.getByRole("textbox", { name: "Paths" }).fill("/v1/**");
  await page.getByLabel("Path of a request").fill("/v1/items");
  await page.getByText("Decided by allow rule 1: /v1/**").waitFor();
  await page.getByLabel("Path of a request").fill("/v2");
  await page.getByText("Not sent: no allow rule is about it.").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the toolset" }).click();
  await page.getByText("may hold lower-case letters, digits and - only").first().waitFor();
  await page.getByLabel("Name", { exact: true }).fill("helper");
  await page.getByRole("button", { name: "Create the toolset" }).click();
  await page.getByRole("heading", { name: "helper", level: 1 }).waitFor();
  await page.getByRole("row", { name: /open__find/ }).waitFor();
  await expectAccessible(page);

  expect(await read("helper")).toMatchObject({
    tools: [{ integration: "open", actions: ["find"] }],
    api: [{ integration: "open", allow: [{ methods: ["GET"], paths: ["/v1/**"] }] }],
    policy: { preset: "careful" },
  });
});

test("versions are compared, an earlier one comes back, and deleting names what ends", async (context) => {
  await putToolset(owner, environment, { name: "kept", tools: [{ integration: "open" }] });
  const changed = { name: "kept", tools: [{ integration: "open" }], description: "Changed" };
  await putToolset(owner, environment, changed);
  await using visit = await openAsOwner(context, people, "/dev/toolsets/kept/versions");
  const { page } = visit;

  await page.getByRole("region", { name: "From version 1 to version 2" }).first().waitFor();
  await page.locator(".line.added", { hasText: "Changed" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Version 1" }).click();
  await page.getByRole("button", { name: "Go back to this version" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Go back to this version" }).click();
  await page.getByText("version 3").first().waitFor();
  const back = await read("kept");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByText("0 open sessions end at once").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "Toolsets" }).waitFor();

  expect([back.version, back.description]).toEqual([3, ""]);
  expect(await read("kept")).toBeUndefined();
});

test("by the keyboard a description is changed and saved as a new version", async (context) => {
  await putToolset(owner, environment, { name: "typed", tools: [{ integration: "open" }] });
  await using visit = await openAsOwner(context, people, "/dev/toolsets/typed/edit");
  const { page } = visit;

  await page.getByLabel("Description").focus();
  await page.keyboard.type("By keys");
  await page.keyboard.press("Enter");
  await page.getByText("version 2").first().waitFor();

  expect((await read("typed")).description).toBe("By keys");
});

test("texts of tools stay text; a phone and a wall show all of the form", async (context) => {
  await putToolset(owner, environment, {
    ...{ name: "shown", description: hostile.slice(0, 200) },
    tools: [{ integration: "open", actions: ["add", "find"] }],
  });
  await using visit = await openAsOwner(context, people, "/dev/toolsets/shown/edit", {
    viewport: { width: 375, height: 800 },
  });
  const { page } = visit;

  await page.getByText("2 of 2 selected").waitFor();
  await page.getByText("<img src=x").first().waitFor();
  await expectAccessible(page);
  const narrow = await isTooWide(page);
  await page.setViewportSize({ width: 2560, height: 1200 });
  const wide = await isTooWide(page);
  await page.goto(`${dashboardOf(people)}/dev/toolsets/shown/overview`);
  await page.getByText("⟨U+202E⟩").first().waitFor();

  expect([narrow, wide]).toEqual([false, false]);
  expect(await page.locator("img[src=x]").count()).toBe(0);
  expect(await page.evaluate("window.__attacked")).toBeUndefined();
});

test("who may only look can save and stop nothing; none found, and gone are said as what they are", async (context) => {
  await putToolset(owner, environment, { name: "looked-at", tools: [{ integration: "open" }] });
  await using visit = await openAsRole(context, people, "support", "/dev/toolsets/looked-at/edit");
  const { page } = visit;

  await page.getByLabel("Description").fill("Mine");
  const isDisabled = async (name: string) =>
    await page.getByRole("button", { name, exact: true }).isDisabled();
  await page.getByRole("button", { name: "Save as a new version" }).waitFor();
  const disabled = [
    await isDisabled("Save as a new version"),
    await isDisabled("Stop agents"),
    await isDisabled("Delete"),
  ];
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(`${dashboardOf(people)}/dev/toolsets?q=nothing-like-it`);
  await page.getByText("Nothing matches these filters").waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/toolsets/none/overview`);
  await page.getByRole("alert").getByText("not_found").waitFor();

  expect(disabled).toEqual([true, true, true]);
});

test("each client has its command and its file, with the exact URL", async (context) => {
  await putToolset(owner, environment, { name: "joined", tools: [{ integration: "open" }] });
  await using visit = await openAsOwner(context, people, "/dev/toolsets/joined/connect");
  const { page } = visit;

  await page.getByLabel("End user id").fill("u-alpha");
  const command = "npx jackfield mcp add claude-code joined --end-user u-alpha";
  await page.getByText(command).waitFor();
  await page.getByRole("link", { name: "VS Code" }).click();
  await page.getByText("It writes .vscode/mcp.json").waitFor();
  await expectAccessible(page);
  const file = await page.getByRole("region", { name: /It writes/ }).textContent();
  await page.getByRole("button", { name: "New session" }).click();
  await page.getByRole("button", { name: "Start the session" }).click();
  const token = await page.getByRole("region", { name: "Token" }).textContent();

  expect(file).toContain(`"url": "${people.url}/mcp/joined"`);
  expect(token).toMatch(/^svc_agent_[0-9a-f]{64}$/);
});

test("long lists of choices open at the chosen one, and leave the label of their field in sight", async (context) => {
  for (let place = 10; place < 40; place += 1) {
    const body = { provider: "unauthenticated", unique_key: `many-${place}` };
    await owner.call("POST", "/integrations", { environment, body });
  }
  const viewport = { width: 1280, height: 560 };
  const path = "/dev/connections?integration=many-39";
  await using visit = await openAsOwner(context, people, path, { viewport });
  const { page } = visit;
  /** The chosen one among the choices, once there are all of them. */
  const boxesOf = async (role: "menu" | "listbox", chosen: string) => {
    const list = page.getByRole(role);
    await list.getByText("many-10").waitFor({ state: "attached" });
    await page.waitForTimeout(300);
    return await Promise.all([list.boundingBox(), list.locator(chosen).boundingBox()]);
  };
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole("button", { name: "Integration: many-39" }).click();
  await page.getByRole("menuitemradio", { name: "many-39" }).waitFor();
  // Less room once it is open, as while it is being placed.
  await page.setViewportSize({ width: 1280, height: 400 });
  const [menu, chosen] = await boxesOf("menu", "[aria-checked=true]");
  await page.setViewportSize(viewport);
  await page.goto(`${dashboardOf(people)}/dev/toolsets/new`);
  const opener = page.getByRole("button", { name: "Allow requests to an integration" });
  await opener.evaluate((one) => one.scrollIntoView({ block: "center" }));
  await opener.click();
  const [names] = await boxesOf("listbox", "[role=option] >> nth=0");
  const label = await page.locator(".name-filter .label").boundingBox();

  expect(bottomOf(chosen)).toBeLessThanOrEqual(bottomOf(menu));
  expect(chosen?.y).toBeGreaterThanOrEqual(menu?.y ?? 0);
  expect(bottomOf(names) <= (label?.y ?? 0) || (names?.y ?? 0) >= bottomOf(label)).toBe(true);
});

function bottomOf(box: { readonly y: number; readonly height: number } | null): number {
  return (box?.y ?? 0) + (box?.height ?? 0);
}
