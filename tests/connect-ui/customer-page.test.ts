import type { Frame, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { closeBrowser, ofItsOwn, startVisit, type Visit } from "./browser.ts";
import { type CustomerSite, startCustomerSite } from "./customer-site.ts";
import { answerAtProvider, type Installation, startInstallation } from "./installation.ts";

let installation: Installation;
let site: CustomerSite;
let stranger: CustomerSite;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  stack.defer(closeBrowser);
  site = stack.use(await startCustomerSite());
  stranger = stack.use(await startCustomerSite());
  installation = stack.use(await startInstallation());
  return async () => await stack.disposeAsync();
});

/** Gives the page's button its work, as source text of an expression with `jackfield`. */
async function prepare(page: Page, token: string | undefined, work: string): Promise<void> {
  await page.goto(site.origin);
  await page.waitForFunction("document.title === 'Ready'");
  const options = JSON.stringify({ host: installation.url, connectSessionToken: token });
  await page.evaluate(`
    window.jackfield = new Jackfield(${options});
    window.work = async () => ${work};
  `);
}

async function clickGo(visit: Visit): Promise<Page> {
  return await visit.nextPopup(async () => await visit.page.locator("#go").click());
}

const outcome = "window.result";

test("auth() opens the provider and learns the end from the server", async (t) => {
  await using visit = await startVisit(t);
  const { token } = await installation.createSession();
  await prepare(visit.page, token, 'jackfield.auth("harbor")');

  const popup = await clickGo(visit);
  await answerAtProvider(popup, "Allow");

  expect(await visit.page.evaluate(outcome)).toEqual({
    value: { connectionId: expect.any(String), providerConfigKey: "harbor" },
  });
  await expect.poll(() => popup.isClosed()).toBe(true);
});

test("auth() finishes by polling where events do not get through", async (t) => {
  await using visit = await startVisit(t);
  const { token } = await installation.createSession();
  await visit.page.context().route("**/connect/session/events", (route) => route.abort());
  await prepare(visit.page, token, 'jackfield.auth("quay")');

  await clickGo(visit);

  expect(await visit.page.evaluate(outcome)).toMatchObject({
    value: { providerConfigKey: "quay" },
  });
});

test("auth() rejects with a type for denial, closed window, blocked window and old session", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token } = await installation.createSession();
  const watched = 'jackfield.auth("harbor", { detectClosedAuthWindow: true })';

  await prepare(page, token, watched);
  await answerAtProvider(await clickGo(visit), "Deny");
  const denied = await page.evaluate(outcome);
  const popup = await clickGo(visit);
  await popup.getByRole("button", { name: "Allow" }).waitFor();
  await popup.close();
  const closed = await page.evaluate(outcome);
  await page.evaluate("window.open = () => null");
  await page.locator("#go").click();
  const blocked = await page.evaluate(outcome);
  await prepare(
    page,
    token.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")),
    watched,
  );
  await clickGo(visit);
  const unknown = await page.evaluate(outcome);

  const named = (type: string) => ({ error: expect.objectContaining({ name: "AuthError", type }) });
  expect(denied).toEqual(named("authorization_cancelled"));
  expect(closed).toEqual(named("window_closed"));
  expect(blocked).toEqual(named("blocked_by_browser"));
  expect(unknown).toEqual(named("unknown_connect_session_token"));
});

test("auth() with credentials makes the connection, and names why it cannot", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token } = await installation.createSession();
  const run = async (work: string): Promise<unknown> => {
    await prepare(page, token, work);
    await page.locator("#go").click();
    return await page.evaluate(outcome);
  };

  const wrongClient = { client_id: installation.provider.oauth.clientId, client_secret: "wrong" };
  const refused = await run(
    `jackfield.auth("harbor-server", ${JSON.stringify({ credentials: wrongClient })})`,
  );
  const wrongMode = await run('jackfield.auth("harbor", { credentials: { apiKey: "k" } })');
  const made = await run('jackfield.auth("ledger", { credentials: { apiKey: "k" } })');
  const more = await run('jackfield.auth("ledger", { credentials: { apiKey: "k2" } })');
  const result = await run("jackfield.getResult()");

  expect(refused).toMatchObject({ error: { type: "connection_test_failed" } });
  expect(wrongMode).toMatchObject({ error: { type: "invalid_auth_mode" } });
  expect(made).toMatchObject({ value: { providerConfigKey: "ledger" } });
  expect(more).toMatchObject({ value: { providerConfigKey: "ledger" } });
  expect(more).not.toEqual(made);
  expect(result).toEqual(more);
});

test("a connection id, which older clients pass second, is not dropped, and neither are the options after it", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token } = await installation.createSession();
  const run = async (work: string): Promise<unknown> => {
    await prepare(page, token, work);
    await page.locator("#go").click();
    return await page.evaluate(outcome);
  };

  const named = await run('jackfield.auth("ledger", "my-id", { credentials: { apiKey: "k" } })');
  const created = await run('jackfield.create("ledger", "my-id")');
  const popup = await run(
    'jackfield.auth("ledger", { params: {} }, { credentials: { apiKey: "k" } })',
  );

  const refused = {
    error: {
      name: "AuthError",
      type: "invalid_query_params",
      message: expect.stringContaining("connection_id"),
    },
  };
  expect(named).toEqual(refused);
  expect(created).toEqual(refused);
  expect(popup).toMatchObject({ value: { providerConfigKey: "ledger" } });
});

test("redirect mode brings the person and the result back to the customer's page", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token } = await installation.createSession({ return_url: `${site.origin}/back?keep=1` });
  await prepare(page, token, 'jackfield.auth("quay", { flow: "redirect" })');

  await page.locator("#go").click();
  await page.waitForURL(`${site.origin}/back?**`);

  const query = Object.fromEntries(new URL(page.url()).searchParams);
  expect(query).toMatchObject({ keep: "1", state: "success", provider_config_key: "quay" });
  expect(page.url()).not.toContain(token);
});

async function openEmbedded(page: Page, token: string): Promise<Frame> {
  const options = `{ sessionToken: "${token}", onEvent: ({ type }) => seen.push(type) }`;
  await prepare(page, undefined, `void jackfield.openConnectUI(${options})`);
  await page.locator("#go").click();
  const frame = await (await page.waitForSelector("#connect-ui")).contentFrame();
  if (frame === null) throw new Error("there is no frame");
  return frame;
}

test("the page in a frame tells its own customer what happens, and closes", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token } = await installation.createSession({
    allowed_integrations: ["quay"],
    allowed_origins: [site.origin],
  });

  const frame = await openEmbedded(page, token);
  await frame.getByRole("button", { name: "Continue to Quay Mail" }).click();
  await frame.getByRole("button", { name: "Done" }).click();
  await page.waitForSelector("#connect-ui", { state: "detached" });

  const seen = await page.evaluate<unknown[]>("window.seen");
  expect(seen.filter((item) => typeof item === "string")).toEqual([
    "ready",
    "settings_changed",
    "connect",
    "close",
  ]);
  expect(JSON.stringify(seen)).not.toContain(token);
});

interface Reported {
  readonly type: string;
  readonly errorType?: string;
}

/** Opens the overlay with these options, given as source text, and waits until it is gone. */
async function openAndEnd(
  page: Page,
  options: string,
  host = installation.url,
): Promise<Reported[]> {
  await page.goto(site.origin);
  await page.waitForFunction("document.title === 'Ready'");
  const onEvent = "onEvent: ({ type, payload }) => seen.push({ type, ...payload })";
  await page.evaluate(`
    window.work = async () => {
      const jackfield = new Jackfield({ host: ${JSON.stringify(host)} });
      window.connect = jackfield.openConnectUI({ ${onEvent}, ${options} });
    };
  `);
  await page.locator("#go").click();
  await page.waitForSelector("dialog", { state: "detached" });
  expect(await page.evaluate("document.documentElement.style.overflow")).toBe("");
  const seen = await page.evaluate<(Reported & { origin?: string })[]>("window.seen");
  return seen.filter(({ origin }) => origin === undefined);
}

test("all that keeps the page from loading ends in an error and a closed overlay", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token } = await installation.createSession({ allowed_origins: [site.origin] });
  const unlisted = await installation.createSession({ allowed_origins: [stranger.origin] });
  const wrong = token.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
  const closed = "http://127.0.0.1:9";

  const ended = async (options: string, host?: string) => {
    const [error, close, ...more] = await openAndEnd(page, options, host);
    expect([error?.type, close, more]).toEqual(["error", { type: "close" }, []]);
    return error?.errorType;
  };

  const never = 'sessionToken: Promise.reject(new Error("no backend"))';
  expect(await ended(never)).toBe("session_token_failed");
  expect(await ended('sessionToken: Promise.resolve("")')).toBe("missing_auth_token");
  expect(await ended(`sessionToken: "${wrong}"`)).toBe("unknown_connect_session_token");
  expect(await ended(`sessionToken: "${token}"`, closed)).toBe("network_error");
  const hidden = `sessionToken: "${unlisted.token}", loadTimeout: 1500`;
  expect(await ended(hidden)).toBe("page_not_loaded");
  // What the browser itself says of the frames that it did not load.
  visit.takeFaults();
});

test("while the page loads, its button and Escape close the overlay", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const waiting = "sessionToken: new Promise(() => {}), lang: 'de'";

  const byButton = openAndEnd(page, waiting);
  await page.getByRole("status", { name: "Wird geladen…" }).waitFor();
  await page.getByRole("button", { name: "Schließen" }).click();
  expect(await byButton).toEqual([{ type: "close" }]);

  const byEscape = openAndEnd(page, waiting);
  await page.getByRole("button", { name: "Schließen" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await byEscape).toEqual([{ type: "close" }]);
  expect(await page.evaluate("document.activeElement.id")).toBe("go");
});

test("the spinner goes when the page is there, and Escape closes that, too", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token } = await installation.createSession({
    allowed_integrations: ["quay"],
    allowed_origins: [site.origin],
  });

  const ending = openAndEnd(page, `sessionToken: Promise.resolve("${token}")`);
  const frame = page.frameLocator("#connect-ui");
  await frame.getByRole("button", { name: "Continue to Quay Mail" }).waitFor();
  const spinners = await page.locator("[data-jackfield=loading]").count();
  await page.keyboard.press("Escape");

  expect(spinners).toBe(0);
  expect((await ending).map(({ type }) => type)).toEqual(["ready", "settings_changed", "close"]);
});

test("a site that the session does not allow gets neither the page nor a message", async (t) => {
  const { token, link } = await installation.createSession({
    allowed_integrations: ["ledger"],
    allowed_origins: [site.origin],
  });
  const open = await installation.createSession({ allowed_integrations: ["ledger"] });
  const pretend = `&opener_origin=${encodeURIComponent(site.origin)}`;
  await using visit = await startVisit(t, ofItsOwn);
  const { page } = visit;
  await page.goto(stranger.origin);
  await page.waitForFunction("document.title === 'Ready'");

  const blocked = await page.request.get(link);
  await page.evaluate(`
    for (const link of ${JSON.stringify([link + pretend, open.link + pretend])}) {
      const frame = document.createElement("iframe");
      frame.src = link;
      document.body.append(frame);
    }
    window.opened = window.open(${JSON.stringify(link + pretend)});
    window.other = window.open(${JSON.stringify(open.link + pretend)});
  `);
  const pages = () => page.context().pages();
  await expect.poll(() => pages().length).toBe(3);
  const [, popup, other] = pages();
  await popup?.getByRole("heading", { name: "Connect Ledger" }).waitFor();
  await other?.getByLabel("Token", { exact: true }).fill("k");
  await other?.getByRole("button", { name: "Connect", exact: true }).click();
  await other?.getByRole("heading", { name: "Ledger is connected" }).waitFor();

  expect(blocked.headers()["content-security-policy"]).toContain(
    `frame-ancestors 'self' ${site.origin}`,
  );
  const refused = (ancestors: string) =>
    expect.stringContaining(`"frame-ancestors ${ancestors}". The request has been blocked`);
  const faults: string[] = [];
  await expect.poll(() => faults.push(...visit.takeFaults())).toBe(2);
  expect(faults).toContainEqual(refused(`'self' ${site.origin}`));
  expect(faults).toContainEqual(refused("'self'"));
  expect(await page.evaluate("window.seen")).toEqual([]);
  expect(token).not.toBe(open.token);
});
