import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections, deployFunction } from "../fill-environment.ts";
import { expectAccessible, isTooWide, openAsOwner, openAsRole } from "../open-dashboard.ts";
import { greet } from "./greet.ts";

vi.setConfig({ testTimeout: 90_000 });

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha", "beta"]);
  await deployFunction(owner, "dev", { type: "action", name: "greet", code: greet("Hello") });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await owner.call("POST", path, { environment: "dev", body });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

/** Lets `beta` greet in other words; a greeting of nothing fails. */
async function startCanary(word: string): Promise<string> {
  const js = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
module.exports.default = { type: "action", input: any, output: any, exec: async () => {
  if (${JSON.stringify(word)} === "") throw new Error("no word");
  return { greeting: ${JSON.stringify(word)} };
} };`;
  const ts = `// ${word}`;
  const { id } = await post("/functions/deployments/staged", {
    ...{ reconcile: false, deployMode: "single", source: "standalone" },
  });
  const path = `/functions/deployments/staged/${String(id)}`;
  const bundle = createHash("sha256")
    .update(JSON.stringify([js, ts, null]))
    .digest("hex");
  const flow = { syncName: "greet", providerConfigKey: "open", type: "action", bundle };
  await post(`${path}/functions`, { flowConfigs: [{ ...flow, models: [], runs: null }] });
  await post(`${path}/bundles`, { bundles: [{ js, ts }] });
  const connections = { connection_ids: ["beta"] };
  const { data } = await post(`${path}/canary`, { connections });
  return String(Object(data).id);
}

async function callGreet(connection: string) {
  return await owner.call("POST", "/action/trigger", {
    environment: "dev",
    body: { action_name: "greet", input: { name: "Ada" } },
    headers: { "provider-config-key": "open", "connection-id": connection },
  });
}

test("a canary is seen with both versions, and promoted", async (context) => {
  await startCanary("Ahoy");
  const [alpha, beta] = [await callGreet("alpha"), await callGreet("beta")];
  await using visit = await openAsOwner(context, people, "/dev/deployments");
  const { page } = visit;
  const card = page.getByRole("region", { name: "Canary" });

  await card.getByText("within limits").waitFor();
  await card
    .getByRole("row", { name: /new version/ })
    .getByRole("cell", { name: "1", exact: true })
    .waitFor();
  await card.getByText("Ada Lovelace").waitFor();
  await card.getByText(/^5% more of its runs fail, runs take 2 times as long/).waitFor();
  await expectAccessible(page);
  await card.getByRole("button", { name: "All canaries" }).click();
  await page.getByRole("dialog").locator(".badge", { hasText: "running" }).waitFor();
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 360, height: 780 });
  const isWide = await isTooWide(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await card.getByRole("button", { name: "Promote" }).click();
  await page.getByRole("button", { name: "Promote the canary in dev" }).click();
  await card.getByText("It was promoted by hand.").waitFor();
  await page.getByRole("cell", { name: "promotion of a canary" }).waitFor();

  expect([alpha.text, beta.text]).toEqual([
    expect.stringContaining("Hello"),
    '{"greeting":"Ahoy"}',
  ]);
  expect((await callGreet("alpha")).text).toBe('{"greeting":"Ahoy"}');
  expect(isWide).toBe(false);
});

test("one whose version fails is rolled back by itself, and is a problem", async (context) => {
  const id = await startCanary("");
  for (let n = 0; n < 20; n += 1) await callGreet("alpha");
  for (let n = 0; n < 8; n += 1) await callGreet("beta");
  await using visit = await openAsRole(context, people, "read-only", "/dev/deployments");
  const { page } = visit;
  const card = page.getByRole("region", { name: "Canary" });
  await card
    .getByText(/open\/greet is worse than the deployed version/)
    .waitFor({ timeout: 45_000 });
  await card.getByText("beyond a limit").waitFor();
  const after = await callGreet("beta");
  const events = await owner.call("GET", "/audit?limit=50");

  expect(after.text).toBe('{"greeting":"Ahoy"}');
  expect(await card.getByRole("button", { name: "Roll back" }).count()).toBe(0);
  expect(events.body.data).toContainEqual(
    expect.objectContaining({
      ...{ action: "rollBackCanary", actor: expect.objectContaining({ kind: "system" }) },
      target: expect.objectContaining({ canaryId: id }),
    }),
  );
  await expect
    .poll(
      async () => {
        const { body } = await owner.call("GET", "/problems?kind=canary_rolled_back", {
          environment: "dev",
        });
        return body.data.length;
      },
      { timeout: 45_000, interval: 1000 },
    )
    .toBe(1);
});
