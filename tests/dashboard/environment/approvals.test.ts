import { afterAll, beforeAll, expect, test } from "vitest";
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

const environment = "dev";

let people: PeopleUnderTest;
let owner: Browser;
let token: string;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  await deployFunction(owner, environment, {
    type: "action",
    name: "set-plan",
    code: `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Sets the plan",
  input: z.object({ plan: z.string() }),
  output: z.string(),
  agent: { effect: "write" },
  exec: async (svc, input) => {
    await svc.updateMetadata({ plan: input.plan });
    return "done";
  },
});
`,
  });
  const policy = { preset: "careful" };
  const toolset = { mode: "direct", tools: [{ integration: "open" }], policy };
  await owner.call("PUT", "/agent/toolsets/helper", { environment, body: toolset });
  const asked = { toolset: "helper", end_user_id: "u-alpha" };
  const begun = await owner.call("POST", "/agent/sessions", { environment, body: asked });
  token = begun.body.data.token;
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** The agent calls; resolves to what it reads. */
async function call(plan: string): Promise<string> {
  return await callTool("helper", token, { name: "open__set-plan", arguments: { plan } });
}

async function callTool(toolset: string, bearer: string, params: object): Promise<string> {
  const response = await fetch(`${people.url}/mcp/${toolset}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${bearer}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  return await response.text();
}

async function planOf(id: string): Promise<unknown> {
  const path = `/connections/${id}?provider_config_key=open`;
  return (await owner.call("GET", path, { environment })).body.metadata.plan;
}

test("a call that waits is looked at and approved, and then made", async (context) => {
  await call("<b>gold</b>\u202e");
  await using visit = await openAsOwner(context, people, "/dev/approvals?state=waiting");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  const panel = page.getByRole("complementary", { name: "Call of open__set-plan" });
  await panel.getByText("svc.setMetadata").waitFor();
  await panel.getByText("<b>gold</b>").first().waitFor();
  await expectAccessible(page);
  const before = await planOf("alpha");
  await panel.getByRole("button", { name: "Approve this call" }).click();
  await panel.getByText("The agent makes the call when it calls again.").waitFor();
  await expectAccessible(page);
  const made = await call("<b>gold</b>\u202e");
  const { body: audit } = await owner.call("GET", "/audit?action=decideAgentApproval");

  expect(before).toBe("free");
  expect(made).toContain("done");
  expect(audit.data).toMatchObject([{ action: "decideAgentApproval", outcome: "done" }]);
  expect(await planOf("alpha")).toBe("<b>gold</b>\u202e");
  expect(await page.locator("b").count()).toBe(0);
});

test("by the keyboard one is denied with a reason, which the agent reads", async (context) => {
  await call("silver");
  await using visit = await openAsOwner(context, people, "/dev/approvals?state=waiting");
  const { page } = visit;

  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "Call of open__set-plan" });
  await panel.getByText("The agent had read text that others may have written").waitFor();
  await panel.getByText("people with the scope").waitFor();
  await expectAccessible(page);
  await panel.getByRole("textbox", { name: /Why/ }).fill("Not this customer.");
  await page.keyboard.press("Enter");
  await panel.getByText("Denied.").waitFor();

  expect(await call("silver")).toContain("Not this customer.");
  expect(await planOf("alpha")).not.toBe("silver");
});

test("who may only look sees that a call waits, and not what it says", async (context) => {
  await call("bronze");
  await using visit = await openAsRole(context, people, "support", "/dev/approvals?state=waiting");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page
    .getByText(/environment:agents:approve/)
    .first()
    .waitFor();
  await expectAccessible(page);

  expect(await page.getByText("bronze").count()).toBe(0);
});

test("a phone decides on a page of its own; empty and gone are said as what they are", async (context) => {
  const viewport = { width: 360, height: 780 };
  await call("tin");
  await using visit = await openAsOwner(context, people, "/dev/approvals", { viewport });
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByRole("heading", { name: "Call of open__set-plan", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Approve for the session" }).waitFor();
  await expectAccessible(page);
  const isWide = await isTooWide(page);
  await page.getByRole("button", { name: "Approve for the session" }).click();
  await page.getByText("The agent makes the call when it calls again.").waitFor();
  await page.goto(`${dashboardOf(people)}/prod/approvals`);
  await page.getByText("No agent has asked yet").waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/approvals/${crypto.randomUUID()}`);
  await page.getByRole("alert").getByText("not_found").waitFor();

  expect(isWide).toBe(false);
  expect(await call("lead")).toContain("done");
});

test("what agents called is listed, and a script has its calls with it", async (context) => {
  const tools = [{ integration: "open" }];
  const body = { mode: "code", tools, policy: { preset: "trusted" } };
  await owner.call("PUT", "/agent/toolsets/coder", { environment, body });
  const asked = { toolset: "coder", end_user_id: "u-alpha" };
  const begun = await owner.call("POST", "/agent/sessions", { environment, body: asked });
  const { id, token: bearer } = begun.body.data;
  const code =
    "await tools.open.setPlan({ plan: 'one' }); await tools.open.setPlan({ plan: 'two' }); return 1;";
  const ran = await callTool("coder", bearer, { name: "run_code", arguments: { code } });
  await using visit = await openAsOwner(context, people, `/dev/agent-calls?session=${id}`);
  const { page } = visit;

  await page.getByText("run_code").first().waitFor();
  const marked = await page.getByTitle("Called by a script").count();
  await expectAccessible(page);
  await page.locator("a[data-row='2']").click();
  const panel = page.getByRole("complementary", { name: "run_code" });
  const calls = panel.getByRole("region", { name: "Calls of the script" });
  await calls.getByText("open__set-plan").first().waitFor();
  await expectAccessible(page);

  expect(ran).toContain("value");
  expect(marked).toBe(2);
  expect(await calls.getByText("open__set-plan").count()).toBe(2);
});
