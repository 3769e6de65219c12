import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { tlsCertificates } from "#foundation/egress/testing";
import { CLIENT, startIdentityProvider } from "#people/testing";
import { Browser } from "../testing/browser.ts";
import { type OauthApp, REDIRECT, startOauthApp } from "../testing/oauth-app.ts";
import { connectByUrl } from "../testing/oauth-client.ts";
import { RawOauth } from "../testing/raw-oauth.ts";

let app: OauthApp;
let url: string;
let documents: Server;
let document: { [name: string]: unknown };
let documentUrl: string;
beforeAll(async () => {
  documents = createServer(tlsCertificates.server, (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => documents.listen(0, "127.0.0.1", resolve));
  // It listens on a port, not on a socket file.
  documentUrl = `https://127.0.0.1:${(documents.address() as AddressInfo).port}/client.json`;
  app = await startOauthApp({ authorities: [tlsCertificates.authority] });
  await app.deploy("whose", "return (await svc.getConnection()).connection_id;", "read");
  url = (await app.putToolset("support")).mcp_url;
});
beforeEach(() => {
  app.signedIn = "ada";
  app.app.clock.advance(MINUTE);
  document = {
    ...{ client_id: documentUrl, client_name: "Known app", redirect_uris: [REDIRECT, SITE] },
    ...{ token_endpoint_auth_method: "none", response_types: ["code"] },
    grant_types: ["authorization_code", "refresh_token"],
  };
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  documents.closeAllConnections();
  documents.close();
});

const SITE = "https://app.example.com/back";

test("a client is known by its metadata document, without registering itself", async () => {
  const { body: signIn } = await app.api("GET", "/agent/sign-in");
  const { verifier_url } = signIn.data;
  await app.api("PUT", "/agent/sign-in", { verifier_url });
  const kept = {};

  const { client } = await connectByUrl(url, { browser: new Browser(), documentUrl, kept });
  const answer = await client.callTool({ name: "crm__whose", arguments: {} });
  await app.api("PUT", "/agent/sign-in", { verifier_url, dynamic_registration: true });

  expect(kept).toMatchObject({ client: { client_id: documentUrl } });
  expect(answer.content).toEqual([{ type: "text", text: '"ada-crm"' }]);
});

test("who has agreed is not asked again by a site of that client, but for a new version of the toolset", async () => {
  const raw = new RawOauth(app);
  const { mcp_url: resource } = await app.putToolset("again");
  const open = async (browser = new Browser()) => {
    const asked = { client_id: documentUrl, redirect_uri: SITE, resource };
    return { browser, page: await browser.open(raw.authorizeUrl(asked), SITE) };
  };
  const first = await open();
  const agreed = await first.browser.press(first.page, "allow", SITE);

  const second = await open();
  await app.putToolset("again", { effects: ["read", "write"] });
  const third = await open();

  expect(first.page.text).toContain("The app is from 127.0.0.1");
  expect(agreed.url.searchParams.get("code")).toBeTruthy();
  expect(second.page.url.searchParams.get("code")).toBeTruthy();
  expect(third.page.text).toContain("Let Known app in?");
});

test("an identity provider of the environment proves who the browser's user is", async () => {
  const redirectUris = [`${app.url}/agent/sign-in/callback`];
  await using provider = await startIdentityProvider(redirectUris);
  const { body: before } = await app.api("GET", "/agent/sign-in");
  const oidc = { issuer: provider.issuer, client_id: CLIENT.id, client_secret: CLIENT.secret };
  const set = await app.api("PUT", "/agent/sign-in", { oidc, dynamic_registration: true });
  const raw = new RawOauth(app);
  const browser = new Browser();

  const leaving = await browser.open(
    raw.authorizeUrl({ client_id: await raw.client(), resource: url }),
    provider.issuer,
  );
  const back = await provider.signIn(leaving.url.href, { sub: "bob" });
  const page = await browser.open(back);
  const { verifier_url } = before.data;
  await app.api("PUT", "/agent/sign-in", { verifier_url, dynamic_registration: true });

  expect(set.body.data).toMatchObject({
    ...{ verifier_url: null, oidc: { has_client_secret: true, redirect_uri: redirectUris[0] } },
  });
  expect(JSON.stringify(set.body)).not.toContain(CLIENT.secret);
  expect(page.text).toContain("<strong>bob</strong>");
});
