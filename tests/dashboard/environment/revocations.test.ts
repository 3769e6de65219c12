import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyReports } from "../../../packages/cli/src/commands/revoke/verify-reports.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { beginSession, callTool, putToolset } from "../agents/fill-agents.ts";
import { addConnections } from "../fill-environment.ts";
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
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha", "beta"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** A provider that answers anything. */
async function startProvider() {
  const server = createServer((_request, response) => response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function frozenBy(id: string): Promise<unknown> {
  const path = `/connections/${id}?provider_config_key=open`;
  return (await owner.call("GET", path, { environment })).body.frozen_by;
}

test("a rehearsal is looked at, then the same is revoked, reported and released", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/revocations", {
    timezoneId: "Asia/Tokyo",
  });
  const { page } = visit;

  await page.getByText("Nothing has been revoked yet").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Rehearse a revocation" }).click();
  await page.getByRole("textbox", { name: /^Integration/ }).fill("open");
  await page.getByText("In your time zone, Asia/Tokyo, UTC+9.").first().waitFor();
  await page.getByLabel("Created or refreshed since").fill("2020-01-31T12:00:00");
  await page.getByRole("textbox", { name: /^Why/ }).fill("Laptop stolen");
  await expectAccessible(page);
  await page.getByRole("button", { name: "See what would happen" }).click();
  await page.getByRole("heading", { name: "Rehearsal", level: 1 }).waitFor();
  await page.getByText("cannot be withdrawn").first().waitFor();
  await page.getByText("open · since 31 Jan 2020, 12:00").waitFor();
  const [rehearsal] = (await owner.call("GET", "/revocations", { environment })).body.data;
  const rehearsed = await frozenBy("alpha");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Revoke these connections" }).click();
  await page.getByRole("button", { name: "Freeze and withdraw" }).click();
  await page.getByRole("heading", { name: "Revocation", level: 1 }).waitFor();
  const frozen = await frozenBy("alpha");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the signed report" }).click({ timeout: 30_000 });
  const report = await readFile(await (await download).path(), "utf8");
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/connections/open/alpha/credentials`);
  await page.getByText("Frozen by a revocation").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open the revocation" }).click();
  await page.getByRole("button", { name: "Release what was not withdrawn" }).click();
  await page.getByRole("button", { name: "Release", exact: true }).click();
  await page.getByText("Released 2 connections.").waitFor();

  expect(rehearsal.match.from).toBe("2020-01-31T03:00:00.000Z");
  expect(rehearsed).toBeNull();
  expect(frozen).toEqual(expect.any(String));
  expect(verifyReports(report)).toEqual({ connections: 2, summary: true });
  expect(await frozenBy("alpha")).toBeNull();
}, 90_000);

test("what touched the connections is named: for whom an agent acted, with a link to its session", async (context) => {
  await using provider = await startProvider();
  const call = async (method: string, path: string, body: object) =>
    (await owner.call(method, path, { environment, body })).body;
  const integration_config = { base_url: provider.url };
  await call("POST", "/integrations", {
    ...{ provider: "unauthenticated", unique_key: "echo", integration_config },
  });
  await call("POST", "/connections", {
    ...{ provider_config_key: "echo", connection_id: "gamma", credentials: { type: "NONE" } },
    tags: { end_user_id: "u-gamma" },
  });
  const info = { title: "Echo", version: "1" };
  const paths = { "/find": { get: { operationId: "find", description: "Finds" } } };
  const document = JSON.stringify({ openapi: "3.1.0", info, paths });
  await call("PUT", "/integrations/echo/openapi", { document });
  await putToolset(owner, environment, { name: "echoes", tools: [{ integration: "echo" }] });
  const session = { toolset: "echoes", end_user_id: "u-gamma" };
  const { id, token } = await beginSession(owner, environment, session);
  await callTool(people, { token, toolset: "echoes", name: "echo__find" });
  const uses = "/connections/gamma/uses?provider_config_key=echo";
  await expect
    .poll(async () => (await owner.call("GET", uses, { environment })).body.data.length, {
      timeout: 40_000,
    })
    .toBeGreaterThan(0);
  const begun = await call("POST", "/revocations", {
    ...{ match: { provider_config_key: "echo" }, rehearsal: true, reason: "a leak" },
  });
  await using visit = await openAsOwner(context, people, `/dev/revocations/${begun.data.id}`);
  const { page } = visit;

  const touched = page.getByRole("region", { name: "What touched them" });
  const link = touched.getByRole("link", { name: "for u-gamma, with echoes" });
  await link.waitFor();
  await expectAccessible(page);
  const shown = await touched.textContent();
  await link.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Session for u-gamma" }).waitFor();
  await page.goto(`${dashboardOf(people)}/dev/connections/echo/gamma/credentials`);
  await page.getByText("Agent for u-gamma, with echoes").waitFor();

  expect(shown).not.toContain(id);
}, 120_000);

test("on a phone the screens fit; who may not revoke sees the list alone", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using phone = await openAsOwner(context, people, "/dev/revocations", { viewport });
  await phone.page.locator("a[data-row='0']").click();
  await phone.page.getByRole("heading", { level: 1 }).waitFor();
  await phone.page
    .getByText("cannot be withdrawn")
    .or(phone.page.getByText("released"))
    .first()
    .waitFor();
  const isWide = await isTooWide(phone.page);
  await expectAccessible(phone.page);
  await using visit = await openAsRole(context, people, "support", "/dev/revocations");
  const rehearse = visit.page.getByRole("button", { name: "Rehearse a revocation" });
  await rehearse.focus();

  expect(isWide).toBe(false);
  await visit.page
    .getByRole("tooltip")
    .filter({ hasText: /^It needs environment:revocations:create/ })
    .waitFor();
  expect(await rehearse.isDisabled()).toBe(true);
});
