import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { Browser } from "../testing/browser.ts";
import { type OauthApp, REDIRECT, startOauthApp } from "../testing/oauth-app.ts";
import { allow, type Kept, newAuthProvider } from "../testing/oauth-client.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
let raw: RawOauth;
let url: string;
beforeAll(async () => {
  app = await startOauthApp();
  raw = new RawOauth(app);
  await app.deploy("look", "return 1;", "read");
  await app.deploy("change", "return 2;", "write");
  url = (await app.putToolset("support")).mcp_url;
});
beforeEach(() => app.app.clock.advance(MINUTE));
afterAll(async () => await app[Symbol.asyncDispose]());

/** Tokens of a client that asks for these scopes. */
async function letIn(scope: string, decision = "allow", resource = url) {
  const { body: client } = await raw.register();
  const browser = new Browser();
  const asked = { client_id: client.client_id, resource, scope };
  const page = await browser.open(raw.authorizeUrl(asked), REDIRECT);
  const back = await browser.press(page, decision, REDIRECT);
  const code = back.url.searchParams.get("code") ?? "";
  const { body } = await raw.exchange({ client: client.client_id, resource, code });
  return { client, tokens: body };
}

async function call(
  token: string,
  name: string,
  args: object = {},
  address = url,
): Promise<Response> {
  return await fetch(address, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...{ accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" },
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name, arguments: args },
    }),
  });
}

test("a tool beyond what a client has asked for is shown, and its call says what to ask for", async () => {
  const { tokens } = await letIn("tools:read");

  const listed = await raw.call(url, tokens.access_token);
  const refused = await call(tokens.access_token, "crm__change");
  const inside = await app.api("GET", "/agent/calls?limit=1");

  const names = listed.body.result.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["crm__look", "crm__change"]));
  expect(refused.status).toBe(403);
  const challenge = refused.headers.get("www-authenticate") ?? "";
  expect(challenge).toContain('error="insufficient_scope", scope="tools:read tools:write"');
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  expect(await (await fetch(metadata)).json()).toMatchObject({ resource: url });
  expect(inside.body.data).toEqual([]);
});

test("the official client asks for more, and calls again once the end user has allowed it", async () => {
  const { client: information, tokens } = await letIn("tools:read");
  const kept: Kept = { client: information, tokens };
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      authProvider: newAuthProvider(kept),
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    return { client, transport };
  };
  const { client, transport } = await connect();

  const refusal = await client
    .callTool({ name: "crm__change", arguments: {} })
    .catch((error: unknown) => error);
  const wanted = kept.location?.searchParams.get("scope");
  const back = await allow(new Browser(), kept.location ?? new URL("none:"));
  await transport.finishAuth(back.searchParams);
  const again = await (await connect()).client.callTool({ name: "crm__change", arguments: {} });

  expect(refusal).toBeInstanceOf(Error);
  expect(wanted?.split(" ").toSorted()).toEqual(
    expect.arrayContaining(["tools:read", "tools:write"]),
  );
  expect(again.content).toEqual([{ type: "text", text: "2" }]);
});

test("what the end user has refused, or an operator has taken away, is not asked for again", async () => {
  const { tokens: reading } = await letIn("tools:read tools:write", "read");
  app.app.clock.advance(1);
  const { tokens: narrowed } = await letIn("tools:read tools:write");
  const { body } = await app.api("GET", "/agent/sessions?limit=1");
  await app.api("PATCH", `/agent/sessions/${body.data[0].id}`, { policy: { effects: ["read"] } });

  for (const { access_token } of [reading, narrowed]) {
    const listed = await raw.call(url, access_token);
    const refused = await call(access_token, "crm__change");

    const names = listed.body.result.tools.map(({ name }: { name: string }) => name);
    expect(names).not.toContain("crm__change");
    expect(refused.status).toBe(200);
    expect(await refused.text()).toContain("unknown_tool");
  }
});

test("a request that writes, of a tool that also reads, says what to ask for before anything is sent", async () => {
  const paths = ["/things/**"];
  const { mcp_url: address } = await app.putToolset("requests", {
    tools: [],
    api: [{ integration: "crm", allow: [{ methods: ["GET", "POST", "DELETE"], paths }] }],
  });
  const { tokens } = await letIn("tools:read", "allow", address);
  const send = async (method: string) => {
    const request = { method, path: "/things/1" };
    const response = await call(tokens.access_token, "api__crm", request, address);
    // Its headers come before the call.
    await response.text();
    return response;
  };

  const read = await send("GET");
  const write = await send("POST");
  const destroy = await send("DELETE");
  const inside = await app.api("GET", "/agent/calls?limit=10");

  const scopeOf = ({ headers }: Response) =>
    /scope="([^"]*)"/.exec(headers.get("www-authenticate") ?? "")?.[1];
  expect(read.status).toBe(200);
  expect([write.status, scopeOf(write)]).toEqual([403, "tools:read tools:write"]);
  expect([destroy.status, scopeOf(destroy)]).toEqual([403, "tools:read tools:destructive"]);
  const made = inside.body.data.filter(({ tool }: { tool: string }) => tool === "api__crm");
  expect(made).toMatchObject([{ effect: "read" }]);
});
