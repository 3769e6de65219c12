import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { writeFunctionTest } from "../../packages/cli/src/generate/write-function-test.ts";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { addConnections, deployFunction, waitFor } from "./fill-environment.ts";
import { greet } from "./functions/greet.ts";
import { expectAccessible, isTooWide, openAsOwner } from "./open-dashboard.ts";

vi.setConfig({ testTimeout: 90_000 });

const outer = `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Has another one greet",
  input: z.object({ name: z.string() }),
  output: z.any(),
  exec: async (svc, input) => await svc.triggerAction("open", "alpha", "greet", { name: input.name }),
});
`;

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha"]);
  await deployFunction(owner, "dev", { type: "action", name: "greet", code: greet("Hello") });
  await deployFunction(owner, "dev", { type: "action", name: "outer", code: outer });
  const body = {
    provider_config_key: "open",
    connection_id: "alpha",
    action_name: "outer",
    input: { name: "Ada" },
  };
  const { status } = await owner.call("POST", "/action/trigger", { environment: "dev", body });
  expect(status).toBe(200);
  await waitFor(async () => {
    const read = { environment: "dev" };
    const { body: counted } = await owner.call(
      "GET",
      "/logs/operations/histogram?types=action",
      read,
    );
    return counted.data.length > 0;
  });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("a part of the histogram is dragged over, or chosen by keyboard, and becomes the list's time", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?range=15m");
  const { page } = visit;
  const plot = page.locator(".chart .recharts-surface");

  await plot.waitFor();
  await expectAccessible(page);
  const box = await plot.boundingBox();
  if (box === null) throw new Error("the chart has no place");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.55, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, y, { steps: 8 });
  await page.mouse.move(box.x + box.width * 0.99, y, { steps: 8 });
  await page.mouse.up();
  await page.waitForURL(/from=.*&to=/);
  const dragged = new URL(page.url()).searchParams;
  await page.getByRole("cell", { name: "action outer" }).waitFor();
  await page.goBack();
  await page.waitForURL(/range=15m$/);
  await page.mouse.move(0, 0);
  await plot.focus();
  const step = page.locator(".recharts-tooltip-label");
  const goRight = async () => {
    const before = await step.textContent();
    await page.keyboard.press("ArrowRight");
    await expect.poll(async () => await step.textContent()).not.toBe(before);
  };
  await goRight();
  await page.keyboard.press("Enter");
  await goRight();
  await goRight();
  await page.keyboard.press("Enter");
  await page.waitForURL(/from=.*&to=/);
  const pressed = new URL(page.url()).searchParams;

  const lengthOf = (words: URLSearchParams) =>
    Date.parse(String(words.get("to"))) - Date.parse(String(words.get("from")));
  expect(lengthOf(dragged)).toBeGreaterThan(3 * 60_000);
  expect(lengthOf(dragged)).toBeLessThan(12 * 60_000);
  expect(lengthOf(pressed)).toBe(3 * 60_000);
  await page.getByText(/^Nothing from .* to /).waitFor();
  await page.getByRole("button", { name: "Show all time" }).click();
  await page.getByRole("cell", { name: "action outer" }).waitFor();
  expect(new URL(page.url()).search).toBe("?range=all");
});

test("another time is chosen by its moments, which the address then names", async (context) => {
  const options = { timezoneId: "America/New_York" };
  await using visit = await openAsOwner(context, people, "/dev/operations?range=1h", options);
  const { page } = visit;

  await page.getByRole("button", { name: "Time" }).click();
  await page.getByRole("option", { name: "Other time …" }).click();
  await expectAccessible(page);
  await page.getByLabel("From", { exact: true }).fill("2026-01-05T09:00");
  await page.getByLabel("To", { exact: true }).fill("2026-01-05T08:00");
  await page.getByText("The end is before the start.").waitFor();
  expect(await page.getByRole("button", { name: "Show", exact: true }).isDisabled()).toBe(true);
  await page.getByLabel("To", { exact: true }).fill("2026-01-05T10:30");
  await page.getByRole("button", { name: "Show", exact: true }).click();

  await page.waitForURL(/from=/);
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({
    from: "2026-01-05T14:00:00.000Z",
    to: "2026-01-05T15:30:00.000Z",
  });
  await page.getByText("Nothing from 5 Jan").waitFor();
  await page.reload();
  await page.getByRole("button", { name: /From 5 Jan/ }).waitFor();
});

test("an operation leads to what caused it and to what it has caused, and is run again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?types=action&range=all");
  const { page } = visit;

  await page
    .getByRole("row", { name: /action greet/ })
    .getByRole("link")
    .click();
  const panel = page.getByRole("complementary");
  await panel.getByText("Caused by").waitFor();
  await expectAccessible(page);
  const cause = panel.locator("dd a[href*='/operations/']");
  await cause.click();
  await page.getByRole("heading", { name: "action outer" }).waitFor();
  await page.getByRole("link", { name: "Show these operations" }).click();
  await page.getByRole("cell", { name: "action greet" }).waitFor();
  await expect.poll(async () => await page.locator("a[data-row]").count()).toBe(1);
  await page.goBack();
  await page.getByRole("link", { name: "Run again …" }).click();
  await page.waitForURL(/playground\?/);
  await page.getByLabel("name").fill("Grace");
  await page.getByRole("button", { name: "Run", exact: true }).click();

  await page.getByText("Hello Grace").waitFor();
});

test("an operation becomes a test: what records the answers, and the file that the command writes", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?types=action&range=all");
  const { page } = visit;

  await page
    .getByRole("row", { name: /action outer/ })
    .getByRole("link")
    .first()
    .click();
  await page.getByRole("link", { name: "Open as a page" }).click();
  await page.getByRole("button", { name: "Copy as test …" }).click();
  const dialog = page.getByRole("dialog");
  const command = await dialog
    .getByRole("region", { name: "Command" })
    .locator("pre")
    .textContent();
  const file = await dialog.getByRole("region", { name: "Test" }).locator("pre").textContent();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await isTooWide(page)).toBe(false);
  expect(command).toMatch(
    /^npx jackfield dryrun open\/actions\/outer alpha --environment dev --save --case [\w-]{36} --input '\{\}'$/,
  );
  const written = writeFunctionTest({
    integrationId: "open",
    functionName: "outer",
    file: "open/actions/outer.ts",
  });
  expect(file?.trim()).toBe(written.trim());
});
