import type { Quirk } from "./quirk-server.ts";

export const base = {
  auth_mode: "OAUTH2",
  authorization_url: "https://login.example.com/authorize",
  token_url: "ORIGIN/token",
};
export const granted = { access_token: "A", refresh_token: "R", expires_in: 3600 };
export const secret = "s:+/%é";
const formEncoded = "the+client:s%3A%2B%2F%25%C3%A9";

/** How a client shows who it is. */
export const clientQuirks: readonly Quirk[] = [
  {
    name: "HTTP Basic with id and secret form-encoded",
    entry: { ...base, token_auth_method: "client_secret_basic" },
    step: "connect",
    demands: [{ basic: formEncoded }],
    forbidden: ["client_id", "client_secret"],
    answers: [granted],
  },
  {
    name: "HTTP Basic with id and secret as they are",
    entry: { ...base, token_auth_method: "client_secret_basic_raw" },
    step: "connect",
    demands: [{ basic: `the client:${secret}` }],
    forbidden: ["client_secret"],
    answers: [granted],
  },
  {
    name: "the secret as the user",
    entry: { ...base, token_auth_method: "secret_as_basic_user" },
    step: "refresh",
    demands: [{ basic: `${secret}:` }],
    forbidden: ["client_secret"],
    answers: [granted],
  },
  {
    name: "both Basic and body",
    entry: { ...base, token_auth_method: "client_secret_basic_and_post" },
    step: "connect",
    demands: [{ basic: `the client:${secret}`, form: { client_secret: secret } }],
    answers: [granted],
  },
  {
    name: "the id in the body and the secret in a header",
    entry: {
      ...base,
      token_auth_method: "id_only",
      token_headers: { "X-Client-Secret": "{{client.secret}}" },
    },
    step: "connect",
    demands: [
      {
        form: { client_id: "the client" },
        headers: { "x-client-secret": secret },
      },
    ],
    forbidden: ["client_secret"],
    answers: [granted],
  },
  {
    name: "a public client without a secret",
    entry: { ...base, token_auth_method: "none" },
    step: "connect",
    demands: [{ form: { client_id: "the client" } }],
    forbidden: ["client_secret"],
    answers: [granted],
  },
];

/** What a token request looks like. */
export const requestQuirks: readonly Quirk[] = [
  {
    name: "no PKCE",
    entry: { ...base, pkce: "none" },
    step: "connect",
    demands: [{ form: { grant_type: "authorization_code", code: "C" } }],
    forbidden: ["code_verifier"],
    answers: [granted],
  },
  {
    name: "a JSON body",
    entry: { ...base, body_format: "json" },
    step: "connect",
    demands: [
      {
        headers: { "content-type": "application/json" },
        json: { grant_type: "authorization_code", code: "C", client_secret: secret },
      },
    ],
    answers: [granted],
  },
  {
    name: "an XML body and an XML answer",
    entry: {
      ...base,
      body_format: "xml",
      xml_root: "tokenRequest",
      token_response: { root: "ns.session", access_token: "token", expires: "ttl" },
    },
    step: "connect",
    demands: [{ headers: { "content-type": "application/xml" } }],
    answers: [
      {
        body: '<?xml version="1.0"?><x:ns xmlns:x="urn:x"><x:session><x:token>A&amp;1</x:token><ttl>60</ttl></x:session></x:ns>',
      },
    ],
    credentialsAfter: { access_token: "A&1" },
    expiresAt: "2026-05-01T12:01:00.000Z",
  },
  {
    name: "GET with everything in the query",
    entry: { ...base, token_method: "GET" },
    step: "connect",
    demands: [{ method: "GET", query: { code: "C", client_secret: secret }, body: "" }],
    answers: [granted],
  },
  {
    name: "POST with everything in the query",
    entry: { ...base, body_format: "query" },
    step: "connect",
    demands: [{ method: "POST", query: { code: "C", client_id: "the client" }, body: "" }],
    answers: [granted],
  },
  {
    name: "renamed and left out parameters, extra headers, the code under another name",
    entry: {
      ...base,
      callback: { code: "auth_code" },
      token_rename: {
        code: "auth_code",
        client_id: "app_id",
        client_secret: "secret",
        redirect_uri: "",
      },
      token_params: { format: "json" },
      token_headers: { "X-Version": "2", Accept: "application/vnd.x+json" },
    },
    step: "connect",
    callback: { auth_code: "C2" },
    demands: [
      {
        form: { auth_code: "C2", app_id: "the client", secret, format: "json" },
        headers: { "x-version": "2", accept: "application/vnd.x+json" },
      },
    ],
    forbidden: ["code", "client_id", "client_secret", "redirect_uri"],
    answers: [granted],
  },
  {
    name: "a consent that comes back without a code",
    entry: {
      ...base,
      callback: { code: "" },
      token_rename: { code: "" },
      token_params: { scope: ".default" },
      capture: { callback: { tenant: "tenant" } },
    },
    step: "connect",
    callback: { tenant: "T1", admin_consent: "True" },
    demands: [{ form: { scope: ".default" } }],
    forbidden: ["code"],
    answers: [granted],
    configAfter: { tenant: "T1" },
  },
  {
    name: "a token host that only the callback tells",
    entry: {
      ...base,
      token_url: "{{config.accounts}}/oauth/v2/token",
      capture: { callback: { accounts: "accounts-server" } },
      connection_config: {
        accounts: { title: "Accounts", automated: true, pattern: "^http://127\\.0\\.0\\.1:\\d+$" },
      },
    },
    step: "connect",
    callback: { code: "C", "accounts-server": "ORIGIN" },
    demands: [{ path: "/oauth/v2/token" }],
    answers: [granted],
  },
  {
    name: "a token host that a browser has forged",
    entry: {
      ...base,
      token_url: "{{config.accounts}}/oauth/v2/token",
      capture: { callback: { accounts: "accounts-server" } },
      connection_config: {
        accounts: {
          title: "Accounts",
          automated: true,
          pattern: "^https://accounts\\.example\\.(com|eu)$",
        },
      },
    },
    step: "connect",
    callback: { code: "C", "accounts-server": "ORIGIN" },
    demands: [],
    answers: [granted],
    failure: { ending: "invalid_callback" },
  },
  {
    name: "a refresh with its own address, method, parameters and headers",
    entry: {
      ...base,
      refresh_url: "ORIGIN/renew",
      refresh_method: "GET",
      refresh_params: { type: "refresh" },
      refresh_headers: { authorization: "Bearer {{grant.refresh_token}}" },
      refresh_rename: { refresh_token: "", client_id: "", client_secret: "" },
      token_params: { only_first: "1" },
    },
    step: "refresh",
    demands: [
      {
        method: "GET",
        path: "/renew",
        query: { type: "refresh", grant_type: "refresh_token" },
        headers: { authorization: "Bearer R0" },
      },
    ],
    forbidden: ["only_first", "refresh_token", "client_id", "client_secret"],
    answers: [{ access_token: "A" }],
    credentialsAfter: { access_token: "A", refresh_token: "R0" },
  },
  {
    name: "a refresh by the access token",
    entry: {
      ...base,
      refresh_with: "access_token",
      refresh_url: "ORIGIN/refresh_access_token",
      refresh_method: "GET",
      refresh_auth_method: "custom",
      refresh_params: {
        grant_type: "ig_refresh_token",
        access_token: "{{credentials.access_token}}",
      },
    },
    step: "refresh",
    credentials: { access_token: "LONG" },
    demands: [{ query: { grant_type: "ig_refresh_token", access_token: "LONG" } }],
    forbidden: ["client_id", "refresh_token"],
    answers: [{ access_token: "LONGER", expires_in: 5_184_000 }],
    credentialsAfter: { access_token: "LONGER" },
  },
];
