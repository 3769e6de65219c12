import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { connect } from "../testing/accounts.ts";
import { Browser } from "../testing/browser.ts";
import { type OauthApp, startOauthApp } from "../testing/oauth-app.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
beforeAll(async () => {
  app = await startOauthApp();
  await app.deploy("whose", "return (await svc.getConnection()).connection_id;", "read");
  await app.putToolset("support");
});
beforeEach(() => app.app.clock.advance(MINUTE));
afterAll(async () => await app[Symbol.asyncDispose]());

async function begin(endUserId: string): Promise<string> {
  const body = { toolset: "support", end_user_id: endUserId };
  return (await app.api("POST", "/agent/sessions", body)).body.data.token;
}

test("a client that opens addresses is asked to, and its call works once the account is there", async () => {
  const token = await begin("carl");
  const opened: string[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: "auto" } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    if (params.mode !== "url") throw new Error("a form was asked for");
    opened.push(params.url);
    app.signedIn = "carl";
    const page = await new Browser().open(params.url, `${app.url}/connect/?session_token=`);
    opened.push(page.url.href);
    const connection = { integration: app.crm, connectionId: "carl-crm", endUserId: "carl" };
    await connect(app.ctx, connection);
    return { action: "accept" as const };
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp/support`), {
    requestInit,
  });
  await client.connect(transport);

  const answer = await client.callTool({ name: "crm__whose", arguments: {} });

  expect(opened[0]).toMatch(/\/connect\/agent\/[0-9a-f-]{36}$/);
  expect(opened[1]).toContain("/connect/?session_token=");
  expect(answer.content).toEqual([{ type: "text", text: '"carl-crm"' }]);
});

test("others read the address, which is the same for a while and holds no credential", async () => {
  const token = await begin("dora");
  const raw = new RawOauth(app);
  const ask = async () => {
    const { body } = await raw.tool(`${app.url}/mcp/support`, token, "crm__whose");
    return JSON.parse(body.result.content[0].text);
  };

  const [first, second] = [await ask(), await ask()];
  app.signedIn = "dora";
  const page = await new Browser().open(first.connect_url, `${app.url}/connect/?session_token=`);
  const again = await new Browser().open(first.connect_url);

  expect(first).toMatchObject({ code: "authorization_required", integration: "crm" });
  expect(second.connect_url).toBe(first.connect_url);
  expect(first.connect_url).not.toContain("token");
  expect(page.url.searchParams.get("session_token")).toBeTruthy();
  expect(again.status).toBe(403);
});
