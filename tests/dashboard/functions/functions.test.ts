import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  newAction,
  newBundle,
  newUpload,
} from "../../../packages/server/src/functions/testing/index.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections, deployFunction } from "../fill-environment.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";
import { greet } from "./greet.ts";

vi.setConfig({ testTimeout: 90_000 });

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha"]);
  await deployFunction(owner, "dev", { type: "action", name: "greet", code: greet("Hello") });
  await deployFunction(owner, "dev", { type: "action", name: "greet", code: greet("Good day") });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("functions are found by name, opened by keyboard, and say what they take and give", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/functions");
  const { page } = visit;

  await page.getByRole("cell", { name: "greet", exact: true }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("/");
  await page.keyboard.type("gree");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dev/functions?q=gree");
  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "greet · open" }).waitFor();
  await page.getByRole("row", { name: "name string Yes Who is greeted" }).waitFor();
  await page.getByRole("row", { name: /^tone .*warm.*No/ }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await isTooWide(page)).toBe(false);
});

test("a function's page has its figures, who may call it, and a link for each line", async (context) => {
  const call = async (name: string) =>
    await owner.call("POST", "/action/trigger", {
      environment: "dev",
      body: { action_name: "odd", input: { name } },
      headers: { "provider-config-key": "open", "connection-id": "alpha" },
    });
  const code = greet("Hello").replace(
    "await svc.log(",
    "if (input.name === 'Nobody') throw new Error('no such person'); await svc.log(",
  );
  await deployFunction(owner, "dev", { type: "action", name: "odd", code });
  const statuses = [(await call("Ada")).status, (await call("Nobody")).status];
  const wanted = "/metrics/totals?by=function&functions=odd";
  const figures = async () => {
    const { body } = await owner.call("GET", wanted, { environment: "dev" });
    return body.data[0]?.operations;
  };
  await expect.poll(figures, { timeout: 30_000 }).toBe(2);
  await using visit = await openAsOwner(context, people, "/dev/functions/open/action/odd/overview");
  const { page } = visit;

  await page.getByText("50% (1)").waitFor();
  await page.getByText("with environment:mcp, as a tool of /mcp").waitFor();
  await page.getByRole("button", { name: /Time/ }).click();
  await page.getByRole("option").last().click();
  await page.waitForURL(/range=30d/);
  await page.getByText("50% (1)").waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/operations?functions=odd&states=failed`);
  await page.locator("a[data-row='0']").click();
  const frame = page.getByRole("link", { name: /odd\.ts:\d+:\d+$/ }).first();
  await expectAccessible(page);
  const [, line] = /:(\d+):\d+$/.exec((await frame.textContent()) ?? "") ?? [];
  await frame.click();
  await page.waitForURL(new RegExp(`/functions/open/action/odd/code\\?line=${line}$`));
  await page.locator(".line.chosen", { hasText: "no such person" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Line 2", exact: true }).click();
  await page.waitForURL(/line=2$/);

  expect(statuses[0]).toBe(200);
  expect(statuses[1]).toBeGreaterThanOrEqual(400);
  expect(await page.locator(".line.chosen").textContent()).toContain("zod");
});

test("what is recorded has its room while it is read, and says when that fails", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/functions");
  const { page } = visit;
  const overview = `${dashboardOf(people)}/dev/functions/open/action/greet/overview`;
  const json = { error: { code: "internal_error", message: "The store broke." } };
  let answer = Promise.withResolvers<"fails" | "answers">();
  await page.route(/\/tape-rules(\?|$)/, async (route) => {
    if ((await answer.promise) === "fails") await route.fulfill({ status: 500, json });
    else await route.continue();
  });
  const card = page.getByRole("region", { name: "Recording" });
  const below = page.getByRole("region", { name: "JSON Schema" }).first();
  const topOfBelow = async () => (await below.boundingBox())?.y ?? 0;

  await page.goto(overview);
  await card.locator(".skeleton").waitFor();
  const before = await topOfBelow();
  answer.resolve("answers");
  await card.getByRole("button", { name: "Record the next failure" }).waitFor();
  const after = await topOfBelow();
  answer = Promise.withResolvers();
  answer.resolve("fails");
  await page.goto(overview);
  await card.getByText("The store broke.").waitFor();
  answer = Promise.withResolvers();
  answer.resolve("answers");
  await card.getByRole("button", { name: "Try again" }).click();
  await card.getByRole("button", { name: "Record the next failure" }).waitFor();

  expect(Math.abs(after - before)).toBeLessThan(3);
});

test("the source is shown in its colours, and each version with what it changed", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/functions/open/action/greet/code");
  const { page } = visit;

  await page.locator(".token-string", { hasText: "Good day" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Versions" }).click();
  await page.locator(".line.removed", { hasText: "Hello" }).waitFor();
  await page.locator(".line.added", { hasText: "Good day" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "1", exact: true }).click();
  await page.getByText("This is the oldest version that is kept.").waitFor();

  await page.locator(".token-string", { hasText: "Hello" }).waitFor();
});

test("a deployment is taken back, and the function is what it was before", async (context) => {
  await using visit = await openAsOwner(
    context,
    people,
    "/dev/functions/open/action/greet/versions",
  );
  const { page } = visit;

  await page.getByRole("button", { name: "Roll back" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Roll back in dev" }).click();
  await page.getByText("Rolled back.").waitFor();
  const path = "/integrations/open/functions/greet/code";
  const { body } = await owner.call("GET", path, { environment: "dev" });

  expect(body.code).toContain("Hello");
});

test("a function is stopped after a question, and runs again", async (context) => {
  await using visit = await openAsOwner(
    context,
    people,
    "/dev/functions/open/action/greet/overview",
  );
  const { page } = visit;

  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByText("action · disabled").waitFor();
  await page.getByRole("button", { name: "Enable" }).click();

  await page.getByText("action · enabled").waitFor();
});

test("the next failure is recorded, and is replayed or kept as a test from its page", async (context) => {
  const code = greet("Hello").replace(
    "await svc.log(",
    "if (input.times === 0) throw new Error('no time'); await svc.log(",
  );
  await deployFunction(owner, "dev", { type: "action", name: "fail", code });
  const call = async (times: number) =>
    await owner.call("POST", "/action/trigger", {
      environment: "dev",
      body: { action_name: "fail", input: { name: "Ada", times } },
      headers: { "provider-config-key": "open", "connection-id": "alpha" },
    });
  await using visit = await openAsOwner(
    context,
    people,
    "/dev/functions/open/action/fail/overview",
  );
  const { page } = visit;
  const card = page.getByRole("region", { name: "Recording" });
  await card.getByText("No runs are recorded.").waitFor();
  await card.getByRole("button", { name: "Record the next failure" }).press("Enter");
  await card.getByText(/^Recorded until .*: the next run that fails\.$/).waitFor();
  await expectAccessible(page);
  const statuses = [(await call(1)).status, (await call(0)).status];
  const tapes = async () => (await owner.call("GET", "/tapes", { environment: "dev" })).body.data;
  await expect.poll(async () => (await tapes()).length).toBe(1);
  const [{ operation_id: operation }] = await tapes();
  await page.goto(`${dashboardOf(people)}/dev/operations/${operation}`);
  const tape = page.getByRole("region", { name: "Tape" });
  await tape.getByText(`npx jackfield replay ${operation}`).first().waitFor();
  await expectAccessible(page);
  const command = tape.getByRole("region", { name: "Command that keeps the run as a test" });
  const text = await command.locator("pre").textContent();
  const begun = page.waitForEvent("download");
  await tape.getByRole("button", { name: "Download" }).click();
  const { suggestedFilename } = await begun.then((download) => ({
    suggestedFilename: download.suggestedFilename(),
  }));
  await page.getByRole("button", { name: "Copy as test" }).click();
  await page.getByRole("dialog").getByText("open/tests/fail.test.ts").waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${dashboardOf(people)}/dev/functions/open/action/fail/overview`);
  await card.getByText("No runs are recorded.").waitFor();
  await card.getByRole("button", { name: "Record 1% of the runs" }).press("Enter");
  await card.getByText(/^Recorded until .*: 1% of the runs\.$/).waitFor();
  await card.getByRole("button", { name: "Stop recording" }).press("Enter");
  await card.getByText("No runs are recorded.").waitFor();

  expect(statuses[0]).toBe(200);
  expect(statuses[1]).toBeGreaterThanOrEqual(400);
  expect(text).toContain(`replay ${operation} --environment dev --save-test`);
  expect(suggestedFilename).toBe(`${operation}.tape.json`);
});

test("no function, no match, one that is gone, and a role that may not read its source", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/functions");
  const { page } = visit;
  await page.getByText("No functions yet").waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/functions?type=sync`);
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.getByRole("cell", { name: "greet", exact: true }).waitFor();
  await page.goto(`${dashboardOf(people)}/dev/functions/open/action/gone/overview`);
  await page.getByRole("alert").getByText("not_found").waitFor();
  const source = "/dev/functions/open/action/greet/code";
  await using support = await openAsRole(context, people, "support", source);

  await support.page.getByRole("alert").getByText("forbidden", { exact: true }).waitFor();
  await expectAccessible(support.page);
});

test("a deployment shows the commit and branch of which it was made", async (context) => {
  const fileBody = newBundle("action", 'return "built";');
  const body = newUpload({
    flowConfigs: [newAction("built", { providerConfigKey: "open", fileBody })],
  });
  const headers = {
    "svc-commit": "9f2c4e1b7a60d3f8c5b2a1908e7d6c5b4a392817",
    "svc-branch": "fix%2Fgr%C3%B6%C3%9Fe",
  };
  const sent = await owner.call("POST", "/sync/deploy", { environment: "dev", body, headers });
  expect(sent.status, sent.text).toBe(200);
  await using visit = await openAsOwner(context, people, "/dev/deployments");
  const { page } = visit;

  await page.getByRole("cell", { name: "fix/größe 9f2c4e1", exact: true }).waitFor();
  await page.locator("a[data-row='0']").click();
  const panel = page.getByRole("complementary");
  await panel.getByText("9f2c4e1b7a60d3f8c5b2a1908e7d6c5b4a392817").waitFor();
  await panel.getByText("fix/größe").waitFor();
  await expectAccessible(page);
});
