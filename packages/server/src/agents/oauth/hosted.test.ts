import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { eraseAgentSessions } from "../erase-agents.ts";
import { Browser } from "../testing/browser.ts";
import { type OauthApp, REDIRECT, startOauthApp } from "../testing/oauth-app.ts";
import { connectByUrl } from "../testing/oauth-client.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
let raw: RawOauth;
let url: string;
beforeAll(async () => {
  app = await startOauthApp();
  raw = new RawOauth(app);
  await app.deploy("whose", "return (await svc.getConnection()).connection_id;", "read");
  await app.deploy("change", "return 1;", "write");
  url = (await app.putToolset("support")).mcp_url;
});
beforeEach(() => {
  app.signedIn = "ada";
  // Registrations have a limit for each minute.
  app.app.clock.advance(MINUTE);
});
afterAll(async () => await app[Symbol.asyncDispose]());

test("a client that knows the URL alone is let in by the end user, and acts for them", async () => {
  const { client } = await connectByUrl(url, { browser: new Browser() });
  const { tools } = await client.listTools();
  const answer = await client.callTool({ name: "crm__whose", arguments: {} });

  expect(tools.map(({ name }) => name)).toContain("crm__change");
  expect(answer.content).toEqual([{ type: "text", text: '"ada-crm"' }]);
});

test("who is signed in in the browser is whom the client acts for", async () => {
  app.signedIn = "bob";

  const { access } = await raw.letIn(url);

  const { body } = await raw.tool(url, access, "crm__whose");
  expect(body.result.content[0].text).toBe('"bob-crm"');
});

test("a caller without a token learns where it gets one", async () => {
  const answer = await fetch(url, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  const metadata = /resource_metadata="([^"]+)"/.exec(answer.headers.get("www-authenticate") ?? "");
  const resource = await (await fetch(metadata?.[1] ?? "")).json();
  const server = await (
    await fetch(
      `${app.url}/.well-known/oauth-authorization-server/agent/oauth/${app.ctx.environment.id}`,
    )
  ).json();

  expect(answer.status).toBe(401);
  expect(resource).toMatchObject({
    ...{ resource: url, authorization_servers: [raw.issuer] },
    scopes_supported: ["tools:read", "tools:write", "tools:destructive"],
  });
  expect(server).toMatchObject({
    ...{ issuer: raw.issuer, code_challenge_methods_supported: ["S256"] },
    ...{ client_id_metadata_document_supported: true },
    authorization_response_iss_parameter_supported: true,
    token_endpoint: `${raw.issuer}/token`,
  });
});

test("the page says who asks, for whose accounts, and what they may do; reading only is a choice", async () => {
  const browser = new Browser();
  const page = await raw.page(await raw.client(), url, browser);
  const { access } = await raw.letIn(url, "read");

  const read = await raw.tool(url, access, "crm__whose");
  const write = await raw.tool(url, access, "crm__change");

  expect(page.text).toContain("Let Raw in?");
  expect(page.text).toContain("an app on this computer");
  expect(page.text).toMatch(/Private API[^:]*: ada-crm/);
  expect(read.body.result.isError).toBeUndefined();
  expect(JSON.parse(write.body.result.content[0].text)).toMatchObject({ code: "unknown_tool" });
});

test("a refusal goes back to the client, which gets nothing", async () => {
  const browser = new Browser();
  const page = await raw.page(await raw.client(), url, browser);

  const back = await browser.press(page, "deny", REDIRECT);

  expect(back.url.searchParams.get("error")).toBe("access_denied");
  expect(back.url.searchParams.get("iss")).toBe(raw.issuer);
  expect(back.url.searchParams.has("code")).toBe(false);
});

test("refreshing gives another token; one that is used twice ends all of them", async () => {
  const { client, access, refresh } = await raw.letIn(url);
  const second = await raw.refresh(client, refresh);
  const works = await raw.call(url, second.body.access_token);

  const stolen = await raw.refresh(client, refresh);

  expect(works.status).toBe(200);
  expect(stolen.body.error).toBe("invalid_grant");
  expect((await raw.call(url, access)).status).toBe(401);
  expect((await raw.call(url, second.body.access_token)).status).toBe(401);
  expect((await raw.refresh(client, second.body.refresh_token)).status).toBe(400);
});

test("of refreshes at once with one token, none leaves a second family", async () => {
  const { client, refresh } = await raw.letIn(url);

  const answers = await Promise.all(
    Array.from({ length: 5 }, async () => await raw.refresh(client, refresh)),
  );

  const won = answers.filter(({ status }) => status === 200);
  expect(won.length).toBeLessThanOrEqual(1);
  for (const { body } of won) expect((await raw.call(url, body.access_token)).status).toBe(401);
});

test("an access token lasts 15 minutes; ending the session ends it at once", async () => {
  const first = await raw.letIn(url);
  app.app.clock.advance(1);
  const second = await raw.letIn(url);
  const { body } = await app.api("GET", "/agent/sessions?limit=1");

  await app.api("DELETE", `/agent/sessions/${body.data[0].id}`);
  const ended = await raw.call(url, second.access);
  const refreshed = await raw.refresh(second.client, second.refresh);
  const before = await raw.call(url, first.access);
  app.app.clock.advance(15 * MINUTE);
  const after = await raw.call(url, first.access);

  expect([ended.status, before.status, after.status]).toEqual([401, 200, 401]);
  expect(refreshed.body.error).toBe("invalid_grant");
});

test("erasing an end user leaves nothing of what they have allowed", async () => {
  const { access } = await raw.letIn(url);

  await eraseAgentSessions(app.ctx, "ada");

  expect((await raw.call(url, access)).status).toBe(401);
});

test("without anybody who can tell whose browser it is, nobody is let in", async () => {
  const { body: before } = await app.api("GET", "/agent/sign-in");
  const client = await raw.client();
  await app.api("DELETE", "/agent/sign-in");

  const page = await raw.page(client, url);
  await app.api("PUT", "/agent/sign-in", {
    ...{ verifier_url: before.data.verifier_url, dynamic_registration: true },
  });

  expect(page.status).toBe(403);
  expect(page.text).toContain("Nobody can tell whose browser this is");
});

test("who asks the authorization server too often has to wait", async () => {
  const asked = Array.from({ length: 610 }, async () => {
    const answer = await fetch(`${raw.issuer}/jwks`);
    await answer.body?.cancel();
    return answer.status;
  });

  const statuses = await Promise.all(asked);

  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});
