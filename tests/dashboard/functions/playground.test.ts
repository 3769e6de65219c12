import { createServer, type Server } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { deployThings } from "../deployed-sync.ts";
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
let provider: Server;
beforeAll(async () => {
  provider = await startProvider();
  people = await startPeople();
  const owner = await people.owner();
  for (const environment of ["dev", "prod"]) {
    await addConnections(owner, environment, ["alpha"]);
    const source = { type: "action", name: "greet", code: greet("Hello") } as const;
    await deployFunction(owner, environment, source);
    await addEcho(environment);
  }
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  provider.close();
});

/** A provider that answers what it was sent. */
async function startProvider(): Promise<Server> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const { method, url, headers } = request;
      response.setHeader("content-type", "application/json");
      response.statusCode = url === "/gone" ? 410 : 200;
      response.end(JSON.stringify({ method, url, mine: headers["x-mine"], body }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function addEcho(environment: string): Promise<void> {
  const owner = await people.owner();
  const address = provider.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const integration = {
    provider: "unauthenticated",
    unique_key: "echo",
    integration_config: { base_url: `http://127.0.0.1:${port}` },
  };
  await owner.call("POST", "/integrations", { environment, body: integration });
  const body = {
    provider_config_key: "echo",
    connection_id: "beta",
    credentials: { type: "NONE" },
  };
  expect((await owner.call("POST", "/connections", { environment, body })).status).toBe(201);
}

async function pick(page: Page, label: string, typed: string): Promise<void> {
  await page.getByRole("button", { name: label }).click();
  await page.getByRole("combobox", { name: label }).fill(typed);
  await page.getByRole("option").first().click();
}

test("an action is tried from a form made of its schema, dry and then for real", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/playground");
  const { page } = visit;
  await expectAccessible(page);

  await pick(page, "Function", "greet");
  await pick(page, "Connection", "alp");
  await page.getByLabel("name", { exact: true }).fill("Ada");
  await page.getByLabel("times (optional)").fill("many");
  const isHeld = await page.getByRole("button", { name: "Dry run" }).isDisabled();
  await page.getByLabel("times (optional)").fill("2");
  await page.getByText("loud (optional)").click();
  await page.getByRole("textbox", { name: "extra (optional)" }).click();
  await page.keyboard.type('{"title": "Countess"}');
  await expectAccessible(page);
  await page.getByRole("button", { name: "Dry run" }).click();
  const result = page.getByRole("region", { name: "Result" }).first();
  await result.getByText('"text": "Hello Ada"').waitFor();
  await result.getByText('"title": "Countess"').waitFor();
  await page.getByText("greets Ada").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".badge", { hasText: /^✓run$/ }).waitFor();
  await page.getByLabel("name", { exact: true }).fill("Grace");
  // The dry run of this visit runs once more, with its input.
  await page.getByRole("button", { name: "Run again" }).last().click();
  await expect
    .poll(async () => await page.locator(".badge", { hasText: /^✓dry run$/ }).count())
    .toBe(2);
  await page.setViewportSize({ width: 360, height: 780 });

  expect(isHeld).toBe(true);
  expect(await page.getByLabel("name", { exact: true }).inputValue()).toBe("Ada");
  expect(await isTooWide(page)).toBe(false);
  expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).toBe("{}");
});

/** Logs three lines, a second and a half apart. */
const SLOW = `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Takes its time",
  input: z.object({ note: z.string().optional() }),
  output: z.object({ steps: z.array(z.object({ step: z.number() })) }),
  exec: async (svc) => {
    for (const step of [1, 2, 3]) {
      await svc.log("step " + step, { level: "warn" });
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
    return { steps: [{ step: 1 }, { step: 2 }, { step: 3 }] };
  },
});
`;

test("messages of a run appear while it runs, dry and for real; its result opens and closes", async (context) => {
  const owner = await people.owner();
  await deployFunction(owner, "dev", { type: "action", name: "slow", code: SLOW });
  const path = "/dev/playground?integration=open&type=action&function=slow&connection=alpha";
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;
  const result = page.getByRole("region", { name: "Result" }).first();
  const isRunning = async () => await result.getByText("Running…").isVisible();

  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText("step 1").first().waitFor();
  const whileDry = await isRunning();
  await page.getByText("step 3").first().waitFor();
  await result.getByRole("treegrid").waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const messages = page.getByRole("region", { name: "Messages" }).first();
  await messages.getByText("step 1").waitFor();
  const whileReal = await isRunning();
  await messages.getByText("step 3").waitFor();
  await messages.getByText("success").waitFor();
  await expectAccessible(page);

  expect([whileDry, whileReal]).toEqual([true, true]);
  const inner = result.getByRole("row", { name: "{ 1 field }" }).first();
  await result.getByText('"step": 1').waitFor();
  await inner.getByRole("button").click();
  await expect.poll(async () => await result.getByText('"step": 1').count()).toBe(0);
  await result.getByRole("row").first().focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(async () => await result.getByRole("row").count()).toBe(1);
  await page.keyboard.press("ArrowRight");
  const rows = async () => await result.getByRole("row").count();
  await expect.poll(rows, { timeout: 20_000 }).toBeGreaterThan(3);
  await result.getByRole("button", { name: "As text" }).click();
  await result.getByText('"step": 2').waitFor();

  // The next visit finds the real run in the log, and nothing of it was stored in the browser.
  await page.reload();
  const earlier = page.getByRole("region", { name: "Earlier runs" }).first();
  await earlier.getByRole("link", { name: "action slow" }).first().waitFor();
  await earlier.getByRole("link", { name: "Fill in again" }).first().click();
  await page.getByRole("button", { name: "Dry run" }).waitFor();
  expect(new URL(page.url()).searchParams.get("function")).toBe("slow");
  expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).toBe("{}");
  await expectAccessible(page);
});

test("records that a dry run of a sync would save are a table", async (context) => {
  const owner = await people.owner();
  const records = [
    { id: "1", name: "Ada" },
    { id: "2", name: "Grace" },
  ];
  await deployThings(owner, "dev", { records, deleted: [{ id: "2" }] });
  const path = "/dev/playground?integration=open&type=sync&function=things&connection=alpha";
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;

  await page.getByRole("button", { name: "Dry run" }).click();
  const saved = page.getByRole("region", { name: "Thing: 2 records would be saved" });
  await saved.getByRole("row", { name: "2 Grace" }).waitFor();
  await page.getByRole("region", { name: "Thing: 1 record would be deleted" }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await isTooWide(page)).toBe(false);
});

test("the form can be had as JSON; what is no JSON is said and cannot be run", async (context) => {
  const path = "/dev/playground?integration=open&type=action&function=greet&connection=alpha";
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;

  await page.getByLabel("name", { exact: true }).fill("Ada");
  await page.getByRole("button", { name: "As JSON" }).click();
  const editor = page.getByRole("textbox", { name: "Input" });
  await editor.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("no json");
  await page.getByText(/Not valid JSON/).waitFor();
  const isHeld = await page.getByRole("button", { name: "Dry run" }).isDisabled();
  await page.keyboard.press("Control+A");
  await page.keyboard.type('{"times": "two"}');
  await page.getByRole("button", { name: "Dry run" }).click();

  await page.locator(".badge", { hasText: "failed" }).waitFor();
  expect(isHeld).toBe(true);
});

test("a proxy request goes out with headers and body, and its answer is shown as text", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/playground?tab=request");
  const { page } = visit;

  await pick(page, "Connection", "beta");
  await page.getByRole("button", { name: "GET Method" }).click();
  await page.getByRole("option", { name: "POST" }).click();
  await page.getByLabel("Path").fill("/things?a=1");
  await page.getByRole("textbox", { name: "Headers" }).click();
  await page.keyboard.type('{"x-mine": "yes"}');
  await page.getByRole("textbox", { name: "Body" }).click();
  await page.keyboard.type('{"b": "y/?"}');
  // None of the keys was a shortcut, such as for the help.
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByRole("button", { name: "Send" }).click();
  const answer = page.getByRole("region", { name: "Answer" }).first();
  await answer.getByText('"url": "/things?a=1"').waitFor();
  await answer.getByText('"mine": "yes"').waitFor();
  await answer.getByText("Waiting for the provider").waitFor();
  await expectAccessible(page);
  await page.getByLabel("Path").fill("/gone");
  await page.getByRole("button", { name: "Send" }).click();

  await page.locator(".badge", { hasText: "410" }).waitFor();
});

test("a text is copied where the page may not write to the clipboard, as over plain HTTP", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/playground?tab=request");
  const { page } = visit;
  await pick(page, "Connection", "beta");
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");

  await page.getByRole("button", { name: "Show as code" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Copy" }).first().click();
  await page.getByRole("dialog").getByText("Copied").waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Path").click();
  await page.keyboard.press("Control+V");

  expect(await page.getByLabel("Path").inputValue()).toContain("curl");
});

test("an editor that loads late moves no button from under the pointer", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev");
  const { page } = visit;
  const loaded = Promise.withResolvers<undefined>();
  await page.route(/code-editor/, async (route) => {
    await loaded.promise;
    await route.continue();
  });
  const path = "/dev/playground?integration=open&type=action&function=greet&connection=alpha";
  await page.goto(`${dashboardOf(people)}${path}`);
  const button = page.getByRole("button", { name: "Dry run" });
  await button.waitFor();
  await page.getByText("Loading").first().waitFor();

  const before = await button.boundingBox();
  loaded.resolve(undefined);
  await page.locator(".cm-content").first().waitFor();

  expect(await button.boundingBox()).toEqual(before);
});

test("production asks before something is run or sent that may change something", async (context) => {
  const path = "/prod/playground?integration=open&type=action&function=greet&connection=alpha";
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;

  await page.getByLabel("name", { exact: true }).fill("Ada");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("“greet” runs for “alpha”").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Run the function in prod" }).click();
  await page.getByText('"text": "Hello Ada"').waitFor();
  await page.goto(
    `${dashboardOf(people)}/prod/playground?tab=request&integration=echo&connection=beta`,
  );
  await page.getByRole("button", { name: "GET Method" }).click();
  await page.getByRole("option", { name: "DELETE" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("A DELETE request is sent").waitFor();
  await page.getByRole("button", { name: "Send the request in prod" }).click();

  await page.getByText('"method": "DELETE"').waitFor();
});

test("who may neither run nor send cannot press the buttons", async (context) => {
  const path = "/dev/playground?integration=open&type=action&function=greet&connection=alpha";
  await using visit = await openAsRole(context, people, "read-only", path);
  const { page } = visit;

  await page.getByLabel("name", { exact: true }).fill("Ada");
  const names = ["Dry run", "Run"];
  const areDisabled = await Promise.all(
    names.map(async (name) => await page.getByRole("button", { name, exact: true }).isDisabled()),
  );
  await page.goto(
    `${dashboardOf(people)}/dev/playground?tab=request&integration=echo&connection=beta`,
  );

  expect(areDisabled).toEqual([true, true]);
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  await expectAccessible(page);
});
