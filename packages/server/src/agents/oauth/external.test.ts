import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR, SECOND } from "#foundation";
import { type Issuer, startIssuer } from "../testing/issuer.ts";
import { type OauthApp, startOauthApp } from "../testing/oauth-app.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
let issuer: Issuer;
let raw: RawOauth;
let toolset: { id: string; mcp_url: string };
beforeAll(async () => {
  issuer = await startIssuer();
  app = await startOauthApp();
  raw = new RawOauth(app);
  await app.deploy("whose", "return (await svc.getConnection()).connection_id;", "read");
  await app.deploy("change", "return 1;", "write");
  const authorization = { mode: "external", issuer: issuer.issuer, end_user_claim: "person" };
  toolset = await app.putToolset("external", { authorization });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const claims = (change: object = {}) => {
  const exp = Math.floor((app.app.clock.now().getTime() + HOUR) / SECOND);
  return { aud: toolset.mcp_url, person: "ada", exp, client_id: "their-app", ...change };
};

test("clients are sent to the customer's own issuer, whose tokens act for their end user", async () => {
  const path = `/.well-known/oauth-protected-resource/mcp/${toolset.id}`;
  const { body: metadata } = await app.api("GET", path);
  const token = await issuer.sign(claims());

  const answer = await raw.tool(toolset.mcp_url, token, "crm__whose");
  const again = await raw.tool(toolset.mcp_url, token, "crm__whose");
  const { body } = await app.api("GET", "/agent/sessions?end_user_id=ada");

  expect(metadata.authorization_servers).toEqual([issuer.issuer]);
  expect(answer.body.result.content[0].text).toBe('"ada-crm"');
  expect(again.status).toBe(200);
  expect(body.data).toHaveLength(1);
});

test("scopes that are ours narrow what the token may do", async () => {
  const token = await issuer.sign(claims({ scope: "openid tools:read" }));

  const { status, body } = await raw.tool(toolset.mcp_url, token, "crm__change");

  expect([status, body.error.message]).toEqual([403, expect.stringContaining("tools:write")]);
});

test("a session ends with its token, and at once where it is ended here", async () => {
  const token = await issuer.sign(claims({ person: "bob" }));
  const before = await raw.call(toolset.mcp_url, token);

  await app.api("POST", "/agent/stop", { end_user_id: "bob" });
  const ended = await raw.call(toolset.mcp_url, token);
  const other = await issuer.sign(claims({ jti: "2" }));
  app.app.clock.advance(HOUR);
  const expired = await raw.call(toolset.mcp_url, other);

  expect([before.status, ended.status, expired.status]).toEqual([200, 401, 401]);
});
