import type { Quirk } from "./quirk-server.ts";
import { base, granted, secret } from "./request-quirks.ts";

/** What answers look like, and what follows them. */
export const answerQuirks: readonly Quirk[] = [
  {
    name: "tokens below another field and under other names",
    entry: {
      ...base,
      token_response: {
        root: "data",
        access_token: "jwt",
        refresh_token: "renewal",
        expires: "lifetime",
        expiry_unit: "minutes",
      },
    },
    step: "connect",
    demands: [{}],
    answers: [{ data: { jwt: "A", renewal: "R", lifetime: 30 } }],
    credentialsAfter: { access_token: "A", refresh_token: "R" },
    expiresAt: "2026-05-01T12:30:00.000Z",
  },
  {
    name: "the token of the user where there is none of a bot",
    entry: {
      ...base,
      token_response: { access_token: ["access_token", "authed_user.access_token"] },
    },
    step: "connect",
    demands: [{}],
    answers: [{ ok: true, authed_user: { access_token: "U" } }],
    credentialsAfter: { access_token: "U" },
  },
  {
    name: "a token in a header, and a body that is no JSON",
    entry: { ...base, token_response: { access_token: "header:X-Session-Token" } },
    step: "connect",
    demands: [{}],
    answers: [{ status: 200, body: "welcome", headers: { "x-session-token": "H" } }],
    credentialsAfter: { access_token: "H" },
  },
  {
    name: "a body that is the token",
    entry: { ...base, token_response: { access_token: "$", lifetime_s: 600 } },
    step: "connect",
    demands: [{}],
    answers: [{ body: '"eyJ.a.b"\n' }],
    credentialsAfter: { access_token: "eyJ.a.b" },
    expiresAt: "2026-05-01T12:10:00.000Z",
  },
  {
    name: "JSON behind a byte order mark, sent as HTML",
    entry: base,
    step: "connect",
    demands: [{}],
    answers: [
      { body: `\uFEFF${JSON.stringify(granted)}`, headers: { "content-type": "text/html" } },
    ],
    credentialsAfter: { access_token: "A" },
  },
  {
    name: "a life in milliseconds",
    entry: { ...base, token_response: { expiry_unit: "milliseconds" } },
    step: "connect",
    demands: [{}],
    answers: [{ access_token: "A", expires_in: 5_184_000_000 }],
    expiresAt: "2026-06-30T12:00:00.000Z",
  },
  {
    name: "a life in days, hours and minutes",
    entry: base,
    step: "connect",
    demands: [{}],
    answers: [{ access_token: "A", expires_in: "1:02:30" }],
    expiresAt: "2026-05-02T14:30:00.000Z",
  },
  {
    name: "a token that expires without saying so",
    entry: { ...base, token_response: { lifetime_s: 7200 } },
    step: "connect",
    demands: [{}],
    answers: [{ access_token: "A" }],
    expiresAt: "2026-05-01T14:00:00.000Z",
  },
  {
    name: "a failure with status 200 and a token next to it",
    entry: {
      ...base,
      token_response: { success: { path: "code", equals: "0" }, error: "code" },
      token_errors: { revoked: ["40102"] },
    },
    step: "refresh",
    demands: [{}],
    answers: [{ code: 40_102, message: "gone", access_token: "OLD" }],
    failure: { name: "ProviderFailure", kind: "revoked" },
  },
  {
    name: "a code of its own for a while",
    entry: { ...base, token_errors: { transient: ["invalid_grant"] } },
    step: "refresh",
    demands: [{}],
    answers: [{ status: 400, body: '{"error":"invalid_grant"}' }],
    failure: { kind: "unavailable" },
  },
  {
    name: "a short token that is exchanged for a long one",
    entry: {
      ...base,
      exchange: [
        {
          url: "ORIGIN/exchange",
          method: "GET",
          params: {
            grant_type: "fb_exchange_token",
            client_secret: "{{client.secret}}",
            fb_exchange_token: "{{token.access_token}}",
          },
        },
      ],
    },
    step: "connect",
    demands: [
      { path: "/token" },
      { path: "/exchange", query: { fb_exchange_token: "SHORT", client_secret: secret } },
    ],
    answers: [
      { access_token: "SHORT", expires_in: 60, refresh_token: "R" },
      { access_token: "LONG", expires_in: 86_400 },
    ],
    credentialsAfter: { access_token: "LONG", refresh_token: "R" },
    expiresAt: "2026-05-02T12:00:00.000Z",
  },
  {
    name: "a session after the token, whose address is kept",
    entry: {
      ...base,
      exchange: [
        {
          url: "ORIGIN/login?version=2&access_token={{token.access_token}}",
          body_format: "json",
          headers: { "x-first": "{{steps.0.instance}}" },
          response: { access_token: "BhRestToken" },
        },
      ],
      capture: { token: { restUrl: "restUrl" } },
      base_url: "{{config.restUrl}}",
    },
    step: "refresh",
    demands: [
      { form: { refresh_token: "R0" } },
      { query: { version: "2", access_token: "A" }, headers: { "x-first": "i7" } },
    ],
    answers: [
      { access_token: "A", refresh_token: "R1", instance: "i7" },
      { BhRestToken: "S", restUrl: "https://rest.example.com/x" },
    ],
    credentialsAfter: { access_token: "S", refresh_token: "R1" },
    configAfter: { restUrl: "https://rest.example.com/x" },
  },
  {
    name: "an expiry that only introspection tells",
    entry: {
      ...base,
      exchange: [
        {
          url: "ORIGIN/introspect",
          params: { token: "{{token.access_token}}" },
          response: { expires: "exp" },
        },
      ],
    },
    step: "connect",
    demands: [{}, { form: { token: "A" } }],
    answers: [{ access_token: "A" }, { active: true, exp: 1_777_640_400 }],
    credentialsAfter: { access_token: "A" },
    expiresAt: "2026-05-01T13:00:00.000Z",
  },
  {
    name: "values captured from the token answer and a header",
    entry: {
      ...base,
      capture: {
        token: { instance_url: "instance_url", region: "header:X-Region", team: "team.id" },
      },
    },
    step: "connect",
    demands: [{}],
    answers: [
      {
        body: JSON.stringify({
          ...granted,
          instance_url: "https://a.example.com",
          team: { id: 7 },
        }),
        headers: { "x-region": "eu" },
      },
    ],
    configAfter: { instance_url: "https://a.example.com", region: "eu", team: "7" },
  },
];

/** Requests after the connect, with the fresh token. */
/** A list of which the first item counts where nothing else says which, saved in two fields. */
const listing = {
  entry: {
    ...base,
    base_url: "ORIGIN",
    headers: { "x-account": "{{config.account}} {{config.host}} {{config.site}}" },
    after_connect: [
      {
        request: { path: "/accounts" },
        save: { account: { list: "all", path: "id" }, host: { list: "all", path: "host" } },
      },
    ],
    connection_config: {
      site: { title: "Site" },
      account: { title: "Account", automated: true },
      host: { title: "Host", automated: true },
    },
  },
  step: "connect",
  demands: [{}, { path: "/accounts" }],
  answers: [
    granted,
    {
      all: [
        { id: 1, host: "one.example" },
        { id: 2, host: "two.example" },
      ],
    },
  ],
} as const;

export const afterConnectQuirks: readonly Quirk[] = [
  {
    ...listing,
    name: "a list of accounts, one of which was given with its id alone",
    config: { account: "2" },
    configAfter: { account: "2", host: "two.example" },
  },
  {
    ...listing,
    name: "a list of accounts that has another host for the one that was given",
    config: { account: "2", host: "one.example" },
    failure: { code: "invalid_body" },
  },
  {
    ...listing,
    name: "a list of accounts, one of which the connection had before under another host",
    kept: { account: "2", host: "former.example" },
    configAfter: { account: "2", host: "two.example" },
  },
  {
    ...listing,
    name: "a list of accounts without the one that the connection had before",
    kept: { account: "3" },
    failure: { code: "invalid_body" },
  },
  {
    name: "an account that is chosen from a list, then a call below the address found",
    entry: {
      ...base,
      base_url: "ORIGIN/api/{{config.cloudId}}",
      after_connect: [
        {
          request: { url: "ORIGIN/resources" },
          save: { cloudId: { where: { url: "https://{{config.site}}.example.net" }, path: "id" } },
        },
        {
          request: { path: "/me" },
          save: { email: "user.email", hash: { text: "{{sha256_hex(lower(answer.user.email))}}" } },
        },
      ],
      connection_config: { site: { title: "Site" }, cloudId: { title: "Cloud", automated: true } },
    },
    step: "connect",
    demands: [
      {},
      { path: "/resources", headers: { authorization: "Bearer A" } },
      { path: "/api/c2/me", headers: { authorization: "Bearer A" } },
    ],
    answers: [
      granted,
      {
        body: JSON.stringify([
          { id: "c1", url: "https://other.example.net" },
          { id: "c2", url: "https://acme.example.net" },
        ]),
      },
      { user: { email: "A@b.c" } },
    ],
    configAfter: {
      cloudId: "c2",
      email: "A@b.c",
      hash: "d648b243a3e817eaa3309e00e183483f2867baadf522099f0c2121770536b25a",
    },
  },
  {
    name: "what may be missing, from a server that does not answer and from one that refuses",
    entry: {
      ...base,
      base_url: "ORIGIN",
      after_connect: [
        // Nothing listens on port 1.
        { request: { url: "http://127.0.0.1:1/me" }, save: { account: "id" }, optional: true },
        { request: { path: "/me" }, save: { account: "id" }, optional: true },
      ],
    },
    step: "connect",
    demands: [{}, { path: "/me" }],
    answers: [granted, { status: 403, body: "{}" }],
    configAfter: {},
  },
  {
    name: "an answer that lacks what the connection needs",
    entry: {
      ...base,
      base_url: "ORIGIN",
      after_connect: [{ request: { path: "/me" }, save: { account: "account.id" } }],
    },
    step: "connect",
    demands: [{}, { path: "/me" }],
    answers: [granted, { account: {} }],
    failure: { code: "connection_test_failed" },
  },
];
