import type { Locator, Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { deployThings, runThings } from "./deployed-sync.ts";
import { addConnections, waitFor } from "./fill-environment.ts";
import { findFaults } from "./find-faults.ts";
import { listKnownScreens } from "./known-screens.ts";
import { dashboardOf, expectAccessible, findWeakContrast, openAsOwner } from "./open-dashboard.ts";

let people: PeopleUnderTest;
let owner: Browser;
const environment = "dev";

beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  await deployThings(owner, environment);
  await runThings(owner, environment, "alpha");
  const entry = { ...{ id: "own-api", display_name: "Own API" }, categories: ["other"] };
  const provider = { entry: { ...entry, auth_mode: "NONE" } };
  await owner.call("POST", "/custom-providers", { environment, body: provider });
  const body = { primary_url: "http://127.0.0.1:9/hooks", forward: true };
  await owner.call("PATCH", "/environment/webhooks", { environment, body });
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === environment);
  await fetch(`${people.url}/webhook/${id}/open`, { method: "POST", body: '{"type":"made"}' });
  await waitFor(async () => (await listed("/webhooks/deliveries")).length > 0);
  const api = [{ integration: "open", allow: [{ methods: ["GET"], paths: ["/**"] }] }];
  const toolset = { tools: [{ integration: "open" }], api };
  await owner.call("PUT", "/agent/toolsets/helper", { environment, body: toolset });
  const session = { toolset: "helper", end_user_id: "u-alpha" };
  const opened = await owner.call("POST", "/agent/sessions", { environment, body: session });
  expect(opened.status, JSON.stringify(opened.body)).toBe(201);
  const link = { tags: { end_user_id: "u-alpha", end_user_display_name: "Alpha" } };
  await owner.call("POST", "/connect/links", { environment, body: link });
  const rehearsal = { match: { provider_config_key: "open" }, rehearsal: true, reason: "a test" };
  const begun = await owner.call("POST", "/revocations", { environment, body: rehearsal });
  expect(begun.status, JSON.stringify(begun.body)).toBe(202);
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function listed(path: string): Promise<readonly { readonly id: string }[]> {
  return (await owner.call("GET", path, { environment })).body?.data ?? [];
}

/** An address of each screen that the router knows; nothing to show is a screen as well. */
async function listAddresses(): Promise<Readonly<Record<string, string>>> {
  const none = crypto.randomUUID();
  const idOf = async (path: string) => (await listed(path))[0]?.id ?? none;
  const sync = await idOf("/syncs");
  return {
    people: "/people",
    sso: "/sso",
    audit: "/audit",
    installation: "/installation",
    profile: "/profile",
    "/": "/dev",
    start: "/dev/start",
    problems: "/dev/problems",
    "problems/$problemId": `/dev/problems/${await idOf("/problems")}`,
    connections: "/dev/connections",
    "connections/$integration/$connectionId/$tab": "/dev/connections/open/alpha/overview",
    "connect-links": "/dev/connect-links",
    integrations: "/dev/integrations",
    "integrations/$integration": "/dev/integrations/open",
    catalogue: "/dev/catalogue",
    "catalogue/new": "/dev/catalogue/new",
    "catalogue/$provider": "/dev/catalogue/own-api",
    functions: "/dev/functions",
    "functions/$integration/$type/$name/$tab": "/dev/functions/open/sync/things/overview",
    playground: "/dev/playground",
    syncs: "/dev/syncs",
    "syncs/$syncId/runs/$runId": `/dev/syncs/${sync}/runs/${await idOf(`/syncs/${sync}/runs`)}`,
    settings: "/dev/settings",
    "settings/$tab": "/dev/settings/webhooks",
    deployments: "/dev/deployments",
    keys: "/dev/keys",
    metrics: "/dev/metrics",
    "rate-limits": "/dev/rate-limits",
    revocations: "/dev/revocations",
    "revocations/$revocationId": `/dev/revocations/${await idOf("/revocations")}`,
    toolsets: "/dev/toolsets",
    "toolsets/new": "/dev/toolsets/new",
    "toolsets/$toolset/$tab": "/dev/toolsets/helper/edit",
    "agent-sessions": "/dev/agent-sessions",
    "agent-sessions/$sessionId": `/dev/agent-sessions/${await idOf("/agent/sessions")}`,
    approvals: "/dev/approvals",
    "agent-calls": "/dev/agent-calls",
    "approvals/$approvalId": `/dev/approvals/${none}`,
    records: "/dev/records",
    "records/$integration/$connection/$model": "/dev/records/open/alpha/Thing",
    destinations: "/dev/destinations",
    "webhooks/out": "/dev/webhooks/out",
    "webhooks/out/$deliveryId": `/dev/webhooks/out/${await idOf("/webhooks/deliveries")}`,
    "webhooks/in": "/dev/webhooks/in",
    "webhooks/in/$webhookId": `/dev/webhooks/in/${await idOf("/webhooks/inbox")}`,
    operations: "/dev/operations",
    "operations/$operationId": `/dev/operations/${await idOf("/logs/operations?types=sync")}`,
  };
}

/**
 * Until two frames in a row have the same layout, and nothing is on its way. Read by the page itself, so that the frames
 * follow each other.
 */
async function waitUntilStill(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const until = performance.now() + 5000;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const look = () => [...document.querySelectorAll("main *")].map((one) => one.scrollWidth).join();
    const isBusy = () => document.querySelector("[aria-busy=true], .loading") !== null;
    let before = look();
    for (let same = 0; same < 3 && performance.now() < until; ) {
      await frame();
      const now = look();
      same = now === before && !isBusy() ? same + 1 : 0;
      before = now;
    }
  })()`);
}

/** Of the panel with the code, which it closes again. */
async function faultsOfCode(page: Page): Promise<readonly string[]> {
  await page.getByRole("button", { name: "Show as code" }).first().click();
  const panel = page.getByRole("dialog", { name: "Show as code" });
  await panel.waitFor();
  const found = await findFaults(page);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  return found;
}

/** Charts are drawn again a moment after their size has changed. */
async function faultsThatStay(page: Page): Promise<readonly string[]> {
  for (let left = 8; ; left -= 1) {
    const found = await findFaults(page);
    if (found.length === 0 || left === 0) return found;
    await page.waitForTimeout(250);
  }
}

test("every screen has its code, and nothing is cut, covered or too wide at 375, 1280 and 2560 pixels", async (context) => {
  const viewport = { width: 1280, height: 720 };
  await using visit = await openAsOwner(context, people, "/dev", { viewport });
  const { page } = visit;
  const addresses = await listAddresses();
  const faults: unknown[] = [];

  for (const [path, address] of Object.entries(addresses)) {
    await page.setViewportSize(viewport);
    await page.goto(`${dashboardOf(people)}${address}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    // The stream of events never ends, so a page is never idle: rows are there once nothing stands in for them.
    await expect.poll(async () => await page.locator(".skeleton").count()).toBe(0);
    await waitUntilStill(page);
    const codes = await page.getByRole("button", { name: "Show as code" }).count();
    if (codes === 0) faults.push([path, "has no code"]);
    else faults.push(...(await faultsOfCode(page)).map((found) => [path, found]));
    const weak = await findWeakContrast(page);
    if (Array.isArray(weak) && weak.length > 0) faults.push([path, weak]);
    for (const size of [viewport, { width: 2560, height: 1200 }, { width: 375, height: 800 }]) {
      await page.setViewportSize(size);
      const found = await faultsThatStay(page);
      if (found.length > 0) faults.push([path, size.width, ...found]);
    }
  }

  const known = await listKnownScreens();
  expect(Object.keys(addresses).toSorted()).toEqual(known.toSorted());
  expect(faults).toEqual([]);
}, 240_000);

/** Forms, which read nothing, or only have what is entered checked. */
const withoutQuestion: readonly string[] = ["toolsets/new", "catalogue/new"];

test("each screen says while it loads, when that fails, and when a role may not", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  const api = heldApi();
  await page.route(isOfApi, api.answer);
  const faults: unknown[] = [];

  const addresses = {
    ...(await listAddresses()),
    playground: "/dev/playground?integration=open&type=sync&function=things",
  };

  for (const [path, address] of Object.entries(addresses)) {
    if (withoutQuestion.includes(path)) continue;
    api.hold();
    await page.goto(`${dashboardOf(people)}${address}`);
    const missing: string[] = [];
    if (!(await appears(page.locator(loading)))) missing.push("loading");
    await api.release(500);
    const alert = page.getByRole("alert");
    if (!(await appears(alert.getByText("internal_error")))) missing.push("error");
    const main = String(await page.evaluate("document.querySelector('main').innerText"));
    missing.push(...(main.match(saysNone) ?? []), ...(await findFaults(page)));
    await api.release(403);
    const retry = alert.getByRole("button", { name: "Try again" }).first();
    if (await appears(retry)) await retry.click();
    if (!(await appears(alert.getByText("forbidden", { exact: true })))) missing.push("forbidden");
    if (missing.length > 0) faults.push([path, missing]);
    if (path === "operations") await expectAccessible(page);
  }

  expect(faults).toEqual([]);
}, 300_000);

/** What may only be said of what was read. */
const saysNone = /^.* not found$|^No .* yet$|ended in this time/gim;

const loading = ".skeleton, [aria-busy=true], :text-is('Loading')";

async function appears(place: Locator): Promise<boolean> {
  const found = place.first().waitFor({ timeout: 10_000, state: "attached" });
  return await found.then(
    () => true,
    () => false,
  );
}

/** Calls of screens; the frame of the page has its own. */
function isOfApi({ pathname }: URL): boolean {
  return (
    !pathname.startsWith("/dashboard") && !["/me", "/events", "/auth/state"].includes(pathname)
  );
}

/** An API whose answers wait, and then are all the same. */
function heldApi() {
  let status: 403 | 500 | undefined;
  const waiting: Route[] = [];
  const codes = { 403: "forbidden", 500: "internal_error" };
  const fulfil = async (route: Route, answered: 403 | 500) => {
    const json = { error: { code: codes[answered], message: "The scope for it is missing." } };
    await route.fulfill({ status: answered, json }).catch(() => undefined);
  };
  return {
    hold: () => {
      status = undefined;
      waiting.length = 0;
    },
    release: async (answered: 403 | 500) => {
      status = answered;
      for (const route of waiting.splice(0)) await fulfil(route, answered);
    },
    answer: async (route: Route) => {
      if (status === undefined) waiting.push(route);
      else await fulfil(route, status);
    },
  };
}

test("forced colours and more contrast: what a ground shows has a line as well", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/syncs", {
    forcedColors: "active",
  });
  const { page } = visit;
  const borderOf = async (selector: string) =>
    await page.evaluate(
      `(() => { const style = getComputedStyle(document.querySelector(${JSON.stringify(selector)})); return style.borderTopWidth + " " + style.outlineStyle + " " + style.forcedColorAdjust; })()`,
    );

  await page.locator("a[data-row='0']").waitFor();
  const badge = await borderOf(".badge");
  const chosen = await borderOf("nav [aria-current='page']");
  const looks = await looksOfSwitch(page);
  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("j");
  const session = await page.context().newCDPSession(page);
  await page.emulateMedia({ forcedColors: "none" });
  await session.send("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-contrast", value: "more" }],
  });
  await expect
    .poll(async () => await page.evaluate("document.documentElement.hasAttribute('data-contrast')"))
    .toBe(true);

  expect([badge, chosen]).toEqual(["1px none auto", "0px solid auto"]);
  expect(looks.on.equals(looks.off)).toBe(false);
  await expectAccessible(page);
});

/** Pictures of a switch in both states; leaves the page where it was. */
async function looksOfSwitch(page: Page): Promise<{ readonly on: Buffer; readonly off: Buffer }> {
  const before = page.url();
  await page.goto(`${dashboardOf(people)}/dev/settings/webhooks`);
  const toggle = page.locator(".choice.toggle").first();
  const look = async () => {
    await page.mouse.move(0, 0);
    return await toggle.screenshot({ animations: "disabled" });
  };
  await toggle.waitFor();
  const on = await look();
  await toggle.click();
  const off = await look();
  await page.goto(before);
  await page.locator("a[data-row='0']").waitFor();
  return { on, off };
}
