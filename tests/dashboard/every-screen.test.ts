import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { deployThings, runThings } from "./deployed-sync.ts";
import { addConnections, waitFor } from "./fill-environment.ts";
import { findFaults } from "./find-faults.ts";
import { listKnownScreens } from "./known-screens.ts";
import {
  dashboardOf,
  expectAccessible,
  findViolationsIn,
  findWeakContrast,
  openAsOwner,
  openAsRole,
} from "./open-dashboard.ts";
import { closeDialogs, listOpeners, listSilent, pressAll } from "./walks/buttons.ts";
import { readCommands } from "./walks/code.ts";
import { findFilterFaults } from "./walks/filters.ts";
import { heldApi } from "./walks/held-api.ts";
import { looksOfSwitch } from "./walks/looks-of-switch.ts";
import { faultsOfCode, faultsThatStay, goTo, waitUntilStill } from "./walks/still.ts";

let people: PeopleUnderTest;
let owner: Browser;
const environment = "dev";
/** Lists cut it in its middle. */
const long = "customer-0ece6fd6-734f-4021-955d-2eaab852a105";

beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha", long]);
  await deployThings(owner, environment);
  for (const id of ["alpha", long]) await runThings(owner, environment, id);
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
    environments: "/environments",
    "o/$operationId": `/o/${await idOf("/logs/operations?types=sync")}`,
    "/": "/dev",
    start: "/dev/start",
    problems: "/dev/problems",
    "problems/$problemId": `/dev/problems/${await idOf("/problems")}`,
    connections: "/dev/connections",
    "connections/$integration/$connectionId/$tab": "/dev/connections/open/alpha/overview",
    "connect-links": "/dev/connect-links",
    integrations: "/dev/integrations",
    "integrations/$integration": "/dev/integrations/open",
    "integrations/$integration/$tab": "/dev/integrations/open/settings",
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

test("every screen has its code, and nothing is cut, covered or too wide at 375, 1280 and 2560 pixels", async (context) => {
  const viewport = { width: 1280, height: 720 };
  await using visit = await openAsOwner(context, people, "/dev", { viewport });
  const { page } = visit;
  const addresses = await listAddresses();
  const commands = await readCommands();
  const faults: unknown[] = [];

  for (const [path, address] of Object.entries(addresses)) {
    await page.setViewportSize(viewport);
    await goTo(page, `${dashboardOf(people)}${address}`);
    // The stream of events never ends, so a page is never idle: rows are there once nothing stands in for them.
    await expect.poll(async () => await page.locator(".skeleton").count()).toBe(0);
    const codes = await page.getByRole("button", { name: "Show as code" }).count();
    if (codes === 0) faults.push([path, "has no code"]);
    else faults.push(...(await faultsOfCode(page, commands)).map((found) => [path, found]));
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
}, 600_000);

/** Forms, which read nothing, or only have what is entered checked. */
const withoutQuestion: readonly string[] = ["toolsets/new", "catalogue/new"];

test("each screen says while it loads, when that fails, and when a role may not; to everyone", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  const api = heldApi();
  await page.route(isOfApi, api.answer);
  const faults: unknown[] = [];

  const addresses = {
    ...(await listAddresses()),
    playground: "/dev/playground?integration=open&type=sync&function=things",
  };

  for (const [index, [path, address]] of Object.entries(addresses).entries()) {
    if (withoutQuestion.includes(path)) continue;
    api.hold();
    // Screens share their parts: each is looked at in one theme, and both themes see all parts.
    await page.emulateMedia({ colorScheme: index % 2 === 0 ? "light" : "dark" });
    await page.goto(`${dashboardOf(people)}${address}`);
    const missing: string[] = [];
    const look = async () =>
      missing.push(...(await findFaults(page)), ...(await findViolationsIn(page, "main")));
    if (await appears(page.locator(loading))) await look();
    else missing.push("loading");
    await api.release(500);
    const alert = page.getByRole("alert");
    if (!(await appears(alert.getByText("internal_error")))) missing.push("error");
    const main = String(await page.evaluate("document.querySelector('main').innerText"));
    missing.push(...(main.match(saysNone) ?? []));
    await look();
    await api.release(403);
    const retry = alert.getByRole("button", { name: "Try again" }).first();
    if (await appears(retry)) await retry.click();
    if (!(await appears(alert.getByText("forbidden", { exact: true })))) missing.push("forbidden");
    else missing.push(...(await findViolationsIn(page, "main")));
    if (missing.length > 0) faults.push([path, missing]);
    if (path === "operations") await expectAccessible(page);
  }
  await page.emulateMedia({ colorScheme: null });

  expect(faults).toEqual([]);
}, 600_000);

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

test("dialogs keep their buttons in view in a low window; lists take every choice of their filters, and refuse other values", async (context) => {
  const viewport = { width: 1280, height: 480 };
  await using visit = await openAsOwner(context, people, "/dev", { viewport });
  const { page } = visit;
  const faults: unknown[] = [];

  for (const [path, address] of Object.entries(await listAddresses())) {
    await goTo(page, `${dashboardOf(people)}${address}`);
    for (const name of await listOpeners(page)) {
      // A button that moves under the pointer takes no press.
      await waitUntilStill(page);
      await page.locator("main").getByRole("button", { name, exact: true }).first().click();
      await page.getByRole("dialog").first().waitFor();
      const found = (await findFaults(page)).filter((fault) => /fold|out of the/.test(fault));
      if (found.length > 0) faults.push([path, name, ...found]);
      await closeDialogs(page);
    }
    const found = await findFilterFaults(page);
    if (found.length > 0) faults.push([path, ...found]);
  }

  expect(faults).toEqual([]);
}, 600_000);

test.for(["read-only", "support"] as const)(
  "what the role %s may not do is disabled with the reason, and nothing else is forbidden",
  { timeout: 600_000 },
  async (role, context) => {
    await using visit = await openAsRole(context, people, role, "/dev");
    await using asOwner = await openAsOwner(context, people, "/dev");
    const faults: unknown[] = [];

    for (const [path, address] of Object.entries(await listAddresses())) {
      // What it changes is one's own, and needs no scope.
      if (path === "profile") continue;
      const settle = async ({ page }: { readonly page: Page }) => {
        await goTo(page, `${dashboardOf(people)}${address}`);
        const ofScreen = await listSilent(page);
        // What the list's first row opens: a panel at its side, or a page.
        const row = page.locator("main tbody tr a[href]").first();
        if ((await row.count()) === 0) return ofScreen;
        await row.click();
        await waitUntilStill(page);
        return [...ofScreen, ...(await listSilent(page))];
      };
      const silent = await settle(visit);
      const ofOwner = silent.length === 0 ? [] : await settle(asOwner);
      const unexplained = silent.filter((name) => !ofOwner.includes(name));
      const ofPanel = await pressAll(visit.page);
      await goTo(visit.page, `${dashboardOf(people)}${address}`);
      const forbidden = [...ofPanel, ...(await pressAll(visit.page))];
      if (unexplained.length + forbidden.length > 0)
        faults.push([path, { unexplained, forbidden }]);
    }

    expect(faults).toEqual([]);
  },
);

test("a list of choices is as wide as its field, and opens at the chosen one", async (context) => {
  const viewport = { width: 1280, height: 720 };
  await using visit = await openAsOwner(context, people, "/dev/catalogue/new", { viewport });
  const { page } = visit;

  await page.getByRole("button", { name: /Category/ }).click();
  const last = page.getByRole("option", { name: "other" });
  await last.waitFor();
  const faults = await findFaults(page);
  await last.click();
  await page.setViewportSize({ width: 1280, height: 420 });
  await page.getByRole("button", { name: /Category/ }).click();
  await last.waitFor();

  expect(faults).toEqual([]);
  await expect.poll(async () => await page.evaluate(isChosenInView)).toBe(true);
});

/** Whether the chosen one is within the part of its list that is shown. */
const isChosenInView = `(() => {
  const chosen = document.querySelector("[role=option][aria-selected=true]");
  const [inner, outer] = [chosen, chosen?.closest("[role=listbox]")].map((one) => one?.getBoundingClientRect());
  return inner !== undefined && inner.top >= outer.top && inner.bottom <= outer.bottom;
})()`;

test("a page is printed whole and in light colours, with the rows that are not in sight", async (context) => {
  // More operations than a window shows; the last change is back to what it was.
  for (let change = 0; change <= 20; change += 1) {
    const body = { forward: change % 2 === 0 };
    await owner.call("PATCH", "/environment/webhooks", { environment, body });
  }
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all", {
    viewport: { width: 720, height: 400 },
    colorScheme: "dark",
  });
  const { page } = visit;
  const rows = page.locator("tbody tr");
  await rows.first().waitFor();
  const total = await page.evaluate("document.querySelector('table').ariaRowCount - 1");
  const inSight = await rows.count();

  await page.emulateMedia({ media: "print" });
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");

  expect(inSight).toBeLessThan(Number(total));
  await expect.poll(async () => await rows.count()).toBe(total);
  expect(await page.evaluate(onPaper)).toEqual({
    ...{ ground: "rgba(0, 0, 0, 0)", text: "rgb(22, 32, 44)", isWide: false, cut: [], shown: 0 },
    broken: [],
  });
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  await page.emulateMedia({ media: null });
  await expect.poll(async () => await rows.count()).toBe(inSight);
  await page.goto(`${dashboardOf(people)}/audit`);
  await rows.first().waitFor();
  await page.emulateMedia({ media: "print" });
  expect(await page.evaluate(onPaper)).toMatchObject({ isWide: false, cut: [], broken: [] });
});

/** What paper has no use for: grounds, controls, and what would have to be scrolled. */
const onPaper = `(() => {
  const seen = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const { backgroundColor: ground, color: text } = getComputedStyle(document.body);
  const isScrolled = (one) => getComputedStyle(one).overflowY !== "visible" && one.scrollHeight > one.clientHeight + 1;
  return {
    ground,
    text,
    isWide: document.documentElement.scrollWidth > innerWidth,
    cut: seen("main, main .table-scroll, main .page-scroll, main .card, main tr").filter(isScrolled).map((one) => one.className || one.tagName),
    shown: seen("nav, .screen-head button, td.select").length,
    broken: seen("main .table th, main .table .badge, main .table time").filter((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const tops = [...range.getClientRects()].map(({ top }) => top);
      const isOver = one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline";
      return isOver || Math.max(...tops) - Math.min(...tops) > 8;
    }).map((one) => one.innerText),
  };
})()`;

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
  const lined = await widthsOfBadges(page);
  const looks = await looksOfSwitch(page, `${dashboardOf(people)}/dev/settings/webhooks`);
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
  expect(await widthsOfBadges(page)).toEqual(lined);
  expect(looks.on.equals(looks.off)).toBe(false);
  await expectAccessible(page);
});

async function widthsOfBadges(page: Page): Promise<unknown> {
  return await page.evaluate(
    "[...document.querySelectorAll('td .badge')].map((one) => one.getBoundingClientRect().width)",
  );
}
