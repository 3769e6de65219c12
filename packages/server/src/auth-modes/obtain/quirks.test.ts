import { afterAll, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import type { AuthSubject, AuthTools, Minted } from "../auth-mode.ts";
import { getAuthMode } from "../modes/index.ts";
import { afterConnectQuirks, answerQuirks } from "../testing/answer-quirks.ts";
import { insistOn, type Quirk, type SeenRequest } from "../testing/quirk-server.ts";
import { clientQuirks, requestQuirks } from "../testing/request-quirks.ts";
import { subjectOfEntry } from "../testing/subject.ts";
import { startTokenServer } from "../testing/token-server.ts";

const server = await startTokenServer();
const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });
const now = new Date("2026-05-01T12:00:00.000Z");
const tools: AuthTools = { http, now, signal: new AbortController().signal };

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function localize<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll("ORIGIN", server.url));
}

function subjectOf({ entry, client, config, kept }: Quirk): AuthSubject {
  const subject = subjectOfEntry(localize(entry), {
    integrationCredentials: {
      type: "OAUTH2",
      client_id: "the client",
      client_secret: "s:+/%é",
      ...client,
    },
    connectionConfig: { site: "acme", ...config },
  });
  return { ...subject, keptConfig: kept };
}

async function run(quirk: Quirk): Promise<Minted | undefined> {
  const subject = subjectOf(quirk);
  const mode = getAuthMode(subject.provider.auth_mode);
  if (quirk.step === "refresh") {
    const known = { type: "OAUTH2", refresh_token: "R0", ...quirk.credentials };
    return await mode.refresh?.(subject, known, tools);
  }
  const query = localize(quirk.callback ?? { code: "C" });
  const redirectUri = "https://platform.example.com/oauth/callback";
  return await mode.finishAuthorization?.(
    subject,
    { query, redirectUri, codeVerifier: "v".repeat(43) },
    tools,
  );
}

function parametersOf({ query, form, json }: SeenRequest): string[] {
  return [query, form, json].flatMap((fields) => Object.keys(fields));
}

const quirks = [...clientQuirks, ...requestQuirks, ...answerQuirks, ...afterConnectQuirks];

test.each(quirks)("a server with $name", async (quirk) => {
  const seen = insistOn(server, quirk);

  const result = await run(quirk).catch((error: unknown) => error);

  expect(seen).toMatchObject(localize(quirk.demands));
  for (const name of quirk.forbidden ?? []) {
    expect(seen.flatMap(parametersOf)).not.toContain(name);
  }
  if (quirk.failure !== undefined) {
    expect(result).toMatchObject(quirk.failure);
    return;
  }
  expect(result).toMatchObject({ credentials: { type: "OAUTH2", ...quirk.credentialsAfter } });
  if (quirk.expiresAt !== undefined) {
    expect(result).toMatchObject({ expiresAt: new Date(quirk.expiresAt) });
  }
  if (quirk.configAfter !== undefined) {
    expect(result).toMatchObject({ capturedConfig: quirk.configAfter });
  }
});

const authorization = {
  auth_mode: "OAUTH2",
  authorization_url: "https://login.example.com/authorize",
  token_url: "https://login.example.com/token",
};

// Exact addresses, as a browser is sent there. The verifier is 43 times `v`.
const challenge =
  "code_challenge=7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM&code_challenge_method=S256";
const client = "response_type=code&client_id=id&redirect_uri=https%3A%2F%2Fp.example%2Fcb&state=S";

test.each<[string, Record<string, unknown>, string]>([
  ["scopes joined by a space", {}, `${client}&scope=a%3Ab+c&${challenge}`],
  ["a comma", { scope_separator: "," }, `${client}&scope=a%3Ab%2Cc&${challenge}`],
  ["a plus", { scope_separator: "+" }, `${client}&scope=a%3Ab%2Bc&${challenge}`],
  [
    "scopes that must not be encoded",
    { scope_separator: "%20", authorization_unencoded: ["scope"] },
    `${client}&${challenge}&scope=a:b%20c`,
  ],
  ["no PKCE", { pkce: "none" }, `${client}&scope=a%3Ab+c`],
  [
    "plain PKCE",
    { pkce: "plain" },
    `${client}&scope=a%3Ab+c&code_challenge=${"v".repeat(43)}&code_challenge_method=plain`,
  ],
  [
    "a scope for refresh tokens",
    { pkce: "none", required_scopes: ["offline_access"] },
    `${client}&scope=a%3Ab+c+offline_access`,
  ],
  [
    "a second scope parameter",
    { pkce: "none", user_scope_parameter: "user_scope" },
    `user_scope=u1+u2&${client}&scope=a%3Ab+c`,
  ],
  [
    "renamed and left out parameters",
    {
      pkce: "none",
      authorization_rename: {
        client_id: "app_id",
        redirect_uri: "redirect_url",
        state: "customField",
        response_type: "",
      },
    },
    "app_id=id&redirect_url=https%3A%2F%2Fp.example%2Fcb&customField=S&scope=a%3Ab+c",
  ],
  [
    "parameters of its own, left out where their value is not known",
    { pkce: "none", authorization_params: { audience: "api", resource: "{{config.resource}}" } },
    `audience=api&${client}&scope=a%3Ab+c`,
  ],
])("the authorization address with %s", async (_, extra, query) => {
  const subject = subjectOfEntry(
    {
      ...authorization,
      ...extra,
      connection_config: JSON.stringify(extra).includes("config.resource")
        ? { resource: { title: "R", optional: true } }
        : {},
    },
    {
      integrationCredentials: {
        type: "OAUTH2",
        client_id: "id",
        client_secret: "secret",
        scopes: "a:b,c",
      },
    },
  );

  const redirect = await getAuthMode("OAUTH2").startAuthorization?.(subject, start, tools);

  expect(redirect?.location).toBe(`https://login.example.com/authorize?${query}`);
});

const start = {
  redirectUri: "https://p.example/cb",
  state: "S",
  codeVerifier: "v".repeat(43),
  scopesOverride: undefined,
  userScopes: "u1,u2",
  authorizationParams: {},
};

test("an authorization request that the page reads from the fragment", async () => {
  const entry = { ...authorization, pkce: "none", authorization_fragment: "oauth/authorize" };
  const subject = subjectOfEntry(entry, {
    integrationCredentials: { type: "OAUTH2", client_id: "id", client_secret: "secret" },
  });

  const redirect = await getAuthMode("OAUTH2").startAuthorization?.(subject, start, tools);

  expect(redirect?.location).toBe(`https://login.example.com/authorize#oauth/authorize?${client}`);
});

test("the callback's own signature is checked with the client secret", async () => {
  server.respond = () => ({ body: '{"access_token":"A"}' });
  const entry = { ...authorization, token_url: `${server.url}/token`, callback: { hmac: "hmac" } };
  const subject = subjectOfEntry(entry, {
    integrationCredentials: { type: "OAUTH2", client_id: "id", client_secret: "hush" },
  });
  const finish = (hmac: string) =>
    getAuthMode("OAUTH2").finishAuthorization?.(
      subject,
      {
        query: { code: "C", shop: "a.example", hmac },
        redirectUri: "https://p/",
        codeVerifier: "",
      },
      tools,
    );

  // Computed by: printf 'code=C&shop=a.example' | openssl dgst -sha256 -hmac hush
  const genuine = "d65a991bda811eb2c784b12d39f5435797f16aade4a94d73981370e864f7971e";
  await expect(finish(genuine)).resolves.toMatchObject({ credentials: { access_token: "A" } });
  await expect(finish(genuine.replace(/^./, "x"))).rejects.toMatchObject({
    ending: "invalid_callback",
  });
});

test.each([
  [
    "RFC 7009",
    {},
    { method: "POST", form: { token: "R", client_id: "id", client_secret: "hush" } },
  ],
  [
    "a DELETE of its own",
    {
      method: "DELETE",
      body_format: "none",
      client_auth: false,
      headers: { authorization: "token {{credentials.access_token}}" },
    },
    { method: "DELETE", headers: { authorization: "token A" }, body: "" },
  ],
])("withdraws tokens by %s", async (_, revocation, demand) => {
  const quirk = { ...clientQuirks[0], answers: [{ status: 200, body: "" }] };
  const seen = insistOn(server, { name: "", step: "refresh", demands: [], entry: {}, ...quirk });
  const url = `${server.url}/revoke`;
  const subject = subjectOfEntry(
    { ...authorization, revocation: { url, ...revocation } },
    { integrationCredentials: { type: "OAUTH2", client_id: "id", client_secret: "hush" } },
  );
  const credentials = { type: "OAUTH2", access_token: "A", refresh_token: "R" };

  await getAuthMode("OAUTH2").revoke?.(subject, credentials, tools);

  expect(seen).toMatchObject([{ path: "/revoke", ...demand }]);
});
