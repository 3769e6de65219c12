import { beforeAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "./browser.ts";
import { answerAtProvider, type Installation, startInstallation } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation();
  return async () => {
    await closeBrowser();
    await installation[Symbol.asyncDispose]();
  };
});

async function funnelOf(key: string) {
  const path = `/connect/funnel?provider_config_key=${key}`;
  return (await installation.api("GET", path)).body.data[0];
}

const toHarbor = { name: "Continue to Harbor CRM" };

test("each step counts a session once, through reload, Back, a second tab and a denial", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { link } = await installation.createSession({ allowed_integrations: ["harbor", "quay"] });
  const created = await funnelOf("harbor");

  await page.goto(link);
  await page.getByRole("listitem").first().waitFor();
  await page.reload();
  await page.getByRole("listitem").first().waitFor();
  const opened = await funnelOf("harbor");
  await page.getByRole("button", { name: "Harbor CRM" }).click();
  await page.getByRole("button", toHarbor).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Harbor CRM" }).click();
  await page.getByRole("button", toHarbor).waitFor();
  const chosen = await funnelOf("harbor");
  const other = await page.context().newPage();
  await other.goto(link);
  await other.getByRole("button", { name: "Harbor CRM" }).click();
  const popup = await visit.nextPopup(() => page.getByRole("button", toHarbor).click());
  await popup.getByLabel("Email").waitFor();
  const started = await funnelOf("harbor");
  await answerAtProvider(popup, "Deny");
  await page.getByRole("alert").waitFor();
  const denied = await funnelOf("harbor");
  const second = await visit.nextPopup(() =>
    page.getByRole("button", { name: "Try again" }).click(),
  );
  await second.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Harbor CRM is connected" }).waitFor();
  const completed = await funnelOf("harbor");

  const none = { chosen: 0, started: 0, completed: 0, failed: 0, abandoned: 0, failures: [] };
  expect(created).toEqual({ provider_config_key: "harbor", sessions: 1, opened: 0, ...none });
  expect(opened).toEqual({ ...created, opened: 1 });
  expect(chosen).toEqual({ ...opened, chosen: 1 });
  expect(started).toEqual({ ...chosen, started: 1, abandoned: 1 });
  expect(denied).toEqual({
    ...{ ...started, abandoned: 0, failed: 1 },
    failures: [{ reason: "authorization_cancelled", count: 1 }],
  });
  expect(completed).toEqual({ ...started, abandoned: 0, completed: 1 });
  expect(await funnelOf("quay")).toMatchObject({ sessions: 1, opened: 1, chosen: 0 });
});

test("a client without the page counts from where it starts, and any session offers every integration", async () => {
  const before = await funnelOf("ledger");
  const { token } = await installation.createSession();
  const path = `/api-auth/api-key/ledger?connect_session_token=${token}`;
  const made = await installation.api("POST", path, { body: { type: "API_KEY", apiKey: "k" } });
  const after = await funnelOf("ledger");

  expect(made.status).toBe(200);
  expect(after).toMatchObject({
    ...{ sessions: before.sessions + 1, opened: before.opened + 1 },
    ...{ chosen: 1, started: 1, completed: 1, failed: 0, abandoned: 0 },
  });
});
