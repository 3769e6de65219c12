import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { runThings } from "../deployed-sync.ts";
import { addConnections, deployFunction } from "../fill-environment.ts";
import { expectAccessible, isTooWide, openAsOwner } from "../open-dashboard.ts";

const environment = "dev";
const ROWS = 8000;

const code = `import { createSync } from "jackfield";
import * as z from "zod";
export default createSync({
  description: "Saves a large record",
  version: "1.0.0",
  frequency: "every day",
  models: { Thing: z.looseObject({ id: z.string() }) },
  exec: async (svc) => {
    const rows = Array.from({ length: ${ROWS} }, (_, place) => ({ row: "row " + place, words: "of many" }));
    await svc.batchSave([{ id: "1", note: "x".repeat(50_000) + "<img src=x>\\u202e", rows }], "Thing");
  },
});
`;

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
  const owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  await deployFunction(owner, environment, { type: "sync", name: "things", code });
  await runThings(owner, environment, "alpha");
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("a large record is shown whole, few lines at a time, and searched with the keyboard", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/records/open/alpha/Thing?open=1");
  const { page } = visit;
  const panel = page.getByRole("complementary");
  const lines = panel.locator(".code.lines code");
  const search = panel.getByRole("searchbox", { name: "Search in this text" });
  const status = panel.getByRole("status").filter({ hasText: /lines|of|found/ });

  // Two braces, the id, the note in 26 parts, the rows with four lines each and their brackets.
  await status.filter({ hasText: /^32,0\d\d lines$/ }).waitFor();
  await expectAccessible(page);
  const drawn = await lines.count();
  await search.fill("ROW 7");
  await page.keyboard.press("Enter");
  await status.filter({ hasText: "1 of 1,111" }).waitFor();
  await lines.filter({ hasText: '"row": "row 7"' }).waitFor();
  await page.keyboard.press("Enter");
  await status.filter({ hasText: "2 of 1,111" }).waitFor();
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Shift+Enter");
  await status.filter({ hasText: "1,111 of 1,111" }).waitFor();
  await panel.locator(".current").getByText("row 7999").waitFor();
  await expectAccessible(page);
  await search.fill("⟨");
  await page.keyboard.press("Enter");
  await status.filter({ hasText: "Not found" }).waitFor();
  await search.fill("<img");
  await page.keyboard.press("Enter");
  await panel.locator(".current").getByText("⟨U+202E⟩").waitFor();

  expect(drawn).toBeLessThan(80);
  expect(await lines.count()).toBeLessThan(80);
  expect(await page.locator("img[src=x]").count()).toBe(0);
  await page.setViewportSize({ width: 360, height: 780 });
  await search.waitFor();
  expect(await isTooWide(page)).toBe(false);
});
