import { expect, test } from "vitest";
import { type SimulatedProvider, startSimulatedProvider } from "../start-simulated-provider.ts";
import {
  exchangeCode,
  newAuthorizationRequest,
  redirectUri,
  refresh,
  requestToken,
  type TokenAnswer,
} from "../testing/code-flow.ts";
import { approveAuthorization } from "./approve-authorization.ts";

function startProvider(accessTokenLifetimeSeconds = 3600): Promise<SimulatedProvider> {
  return startSimulatedProvider({
    redirectUris: [redirectUri],
    contacts: 5,
    accessTokenLifetimeSeconds,
    consent: "automatic",
  });
}

async function connect(provider: SimulatedProvider): Promise<TokenAnswer> {
  const request = newAuthorizationRequest(provider);
  const callback = await approveAuthorization(request.url);
  return exchangeCode(provider, callback, request.codeVerifier);
}

async function callApi(provider: SimulatedProvider, token = ""): Promise<number> {
  const response = await fetch(`${provider.apiUrl}/me`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.body?.cancel();
  return response.status;
}

test("gives tokens for a code, and the access token opens the API", async () => {
  await using provider = await startProvider(1234);
  const request = newAuthorizationRequest(provider);

  const callback = await approveAuthorization(request.url);
  const tokens = await exchangeCode(provider, callback, request.codeVerifier);

  expect(callback.searchParams.get("state")).toBe(request.state);
  expect(callback.searchParams.get("iss")).toBe(provider.oauth.issuer);
  expect(tokens).toMatchObject({ status: 200, expires_in: 1234 });
  const me = await fetch(`${provider.apiUrl}/me`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  expect(await me.json()).toEqual({ id: "demo@harbor.example", email: "demo@harbor.example" });
  expect(provider.journal).toMatchObject({ codeGrants: 1, refreshGrants: 0, failedGrants: 0 });
});

test("refuses a request without PKCE and a code with the wrong verifier", async () => {
  await using provider = await startProvider();
  const request = newAuthorizationRequest(provider);
  const withoutPkce = new URL(request.url);
  withoutPkce.searchParams.delete("code_challenge");
  withoutPkce.searchParams.delete("code_challenge_method");

  const refusal = await approveAuthorization(withoutPkce.href);
  const callback = await approveAuthorization(request.url);
  const tokens = await exchangeCode(provider, callback, "w".repeat(43));

  expect(refusal.searchParams.get("error")).toBe("invalid_request");
  expect(tokens).toMatchObject({ status: 400, error: "invalid_grant" });
  expect(provider.journal).toMatchObject({ codeGrants: 0, failedGrants: 1 });
});

test("gives a usable grant to a request without a contacts scope", async () => {
  await using provider = await startProvider();
  const request = newAuthorizationRequest(provider);
  const url = new URL(request.url);
  url.searchParams.set("scope", "offline_access");

  const callback = await approveAuthorization(url.href);
  const tokens = await exchangeCode(provider, callback, request.codeVerifier);

  expect(tokens.status).toBe(200);
  expect(tokens.refresh_token).toBeTypeOf("string");
});

test("rotates the refresh token on each refresh", async () => {
  await using provider = await startProvider();
  const first = await connect(provider);

  const second = await refresh(provider, first.refresh_token);
  const third = await refresh(provider, second.refresh_token);

  expect([second.status, third.status]).toEqual([200, 200]);
  expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
  expect(await callApi(provider, third.access_token)).toBe(200);
  expect(provider.journal).toMatchObject({ codeGrants: 1, refreshGrants: 2, failedGrants: 0 });
});

test("revokes the whole family when a spent refresh token comes back", async () => {
  await using provider = await startProvider();
  const first = await connect(provider);
  const second = await refresh(provider, first.refresh_token);
  const untouched = await connect(provider);

  const reuse = await refresh(provider, first.refresh_token);
  const afterReuse = await refresh(provider, second.refresh_token);

  expect(reuse).toMatchObject({ status: 400, error: "invalid_grant" });
  expect(afterReuse).toMatchObject({ status: 400, error: "invalid_grant" });
  expect(await callApi(provider, second.access_token)).toBe(401);
  expect(await callApi(provider, untouched.access_token)).toBe(200);
  expect((await refresh(provider, untouched.refresh_token)).status).toBe(200);
  expect(provider.journal).toMatchObject({ reusedTokens: 1, failedGrants: 2 });
});

test("lets at most one of several simultaneous refreshes with one token through", async () => {
  await using provider = await startProvider();
  const first = await connect(provider);

  const answers = await Promise.all(
    Array.from({ length: 8 }, () => refresh(provider, first.refresh_token)),
  );

  const winners = answers.filter((answer) => answer.status === 200);
  expect(winners).toHaveLength(1);
  expect(provider.journal.refreshGrants).toBe(1);
  expect(provider.journal.reusedTokens).toBeGreaterThan(0);
  expect(await callApi(provider, winners[0]?.access_token)).toBe(401);
  expect((await refresh(provider, winners[0]?.refresh_token)).status).toBe(400);
});

test("refuses a code that was already exchanged and revokes its tokens", async () => {
  await using provider = await startProvider();
  const request = newAuthorizationRequest(provider);
  const callback = await approveAuthorization(request.url);
  const tokens = await exchangeCode(provider, callback, request.codeVerifier);

  const again = await exchangeCode(provider, callback, request.codeVerifier);

  expect(again).toMatchObject({ status: 400, error: "invalid_grant" });
  expect(await callApi(provider, tokens.access_token)).toBe(401);
});

test("grants client credentials, authenticated by header or body", async () => {
  await using provider = await startProvider();
  const form = { grant_type: "client_credentials" };

  const byHeader = await requestToken(provider, form);
  const byBody = await requestToken(provider, form, { clientSecretInBody: true });

  expect([byHeader.status, byBody.status]).toEqual([200, 200]);
  expect(byHeader.refresh_token).toBeUndefined();
  expect(await callApi(provider, byHeader.access_token)).toBe(200);
  expect(await callApi(provider, byBody.access_token)).toBe(200);
  expect(provider.journal.clientCredentialsGrants).toBe(2);
});

test("refuses a wrong client secret and says so in the journal", async () => {
  await using provider = await startProvider();

  const response = await fetch(provider.oauth.tokenUrl, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${provider.oauth.clientId}:wrong`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });

  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: "invalid_client" });
  expect(provider.journal.failedGrants).toBe(1);
});

test("ends a token that its client revokes", async () => {
  await using provider = await startProvider();
  const tokens = await connect(provider);
  const { clientId, clientSecret, revocationUrl } = provider.oauth;

  const revocation = await fetch(revocationUrl, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ token: tokens.refresh_token ?? "" }),
  });

  expect(revocation.status).toBe(200);
  expect((await refresh(provider, tokens.refresh_token)).status).toBe(400);
  expect(await callApi(provider, tokens.access_token)).toBe(401);
  expect(provider.journal.revocations).toBe(1);
});

test("shows a page, and redirects nowhere, for an unknown redirect address", async () => {
  await using provider = await startProvider();
  const url = new URL(newAuthorizationRequest(provider).url);
  url.searchParams.set("redirect_uri", "http://127.0.0.1:9/elsewhere");

  const response = await fetch(url, { redirect: "manual", headers: { accept: "text/html" } });

  expect(response.status).toBe(400);
  expect(await response.text()).toContain("invalid_redirect_uri");
});
