import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getConnectionForCall } from "#connections";
import { openJson } from "#vault";
import { type ConnectServer, ISSUER, startConnectServer } from "./testing/connect-server.ts";
import { begin, createSession, finish, resultOf } from "./testing/end-user.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
  await sql`update webhook_settings set primary_url = 'https://example.com/hook'`.execute(
    server.installation.ctx.db,
  );
});
afterAll(async () => await server[Symbol.asyncDispose]());

test("a state works once, also after a failure", async () => {
  const begun = await begin(server);
  const code = server.provider.approve(begun.location.href);
  const url = `/oauth/callback?code=${code}&state=${begun.state}`;

  const withoutCookie = await server.call({ url });
  const withCookie = await server.call({ url, cookie: begun.cookie });

  expect(withoutCookie.text).toContain("state_cookie_err");
  expect(withCookie.text).toContain("state_err");
  expect(server.provider.exchanges).not.toContain(code);
});

test("the expected issuer is accepted", async () => {
  const page = await finish(server, await begin(server, { key: "strict" }), { iss: ISSUER });

  expect(page.status).toBe(200);
});

test("a denial reaches the session and the customer, and the session can try again", async () => {
  const begun = await begin(server);

  const denied = await server.call({
    url: `/oauth/callback?error=access_denied&state=${begun.state}`,
    cookie: begun.cookie,
  });
  const afterDenial = await resultOf(server, begun.token);
  const retry = await begin(server, { token: begun.token });
  const duringRetry = await resultOf(server, begun.token);
  await finish(server, retry);
  const afterRetry = await resultOf(server, begun.token);

  expect(denied.status).toBe(400);
  expect(afterDenial).toMatchObject({ state: "error", error: { type: "authorization_cancelled" } });
  expect(duringRetry).toEqual({ status: 200, state: "waiting" });
  expect(afterRetry.state).toBe("success");
});

test("a session that is ended while its code is exchanged makes no connection", async () => {
  const { db } = server.installation.ctx;
  const count = async () =>
    (await sql<{ id: number }>`select id from connections`.execute(db)).rows;
  const begun = await begin(server);
  const before = await count();
  const { arrived, release } = server.provider.hold();

  const finishing = finish(server, begun);
  await arrived;
  const ended = await server.call({ method: "DELETE", url: "/connect/session", as: begun.token });
  release();
  const page = await finishing;

  expect(ended.status).toBe(204);
  expect(page.text).toContain("unknown_connect_session_token");
  expect(await count()).toEqual(before);
});

test("a failed exchange sends one failure webhook, with the session's tags and end user and the session's error type", async () => {
  const { ctx } = server.installation;
  const token = await createSession(server, {
    tags: { a: "b", end_user_id: "u1" },
    webhook_url_override: "https://example.com/own",
  });
  const begun = await begin(server, { token });
  server.provider.failWith({ status: 500, body: { error: "boom" } });
  const { rows: before } = await sql<{ id: string }>`select id from webhook_deliveries`.execute(
    ctx.db,
  );

  const page = await finish(server, begun);
  server.provider.failWith(undefined);
  const { rows } = await sql<{ id: string; url: string; body: Buffer }>`
    select id, url, body from webhook_deliveries where id <> all(${before.map(({ id }) => id)})`.execute(
    ctx.db,
  );
  const bodies = await Promise.all(
    rows.map(({ id, body }) =>
      openJson(
        ctx,
        { environmentId: ctx.environment.id, table: "webhook_deliveries", column: "body", row: id },
        body,
      ),
    ),
  );

  const { error } = await resultOf(server, token);
  expect(page.status).toBe(400);
  // The customer learns what has to be corrected, the end user does not.
  expect(error.message).toContain("Try again in a few minutes");
  expect(JSON.stringify(bodies)).toContain("The token endpoint answered 500");
  expect(rows.map(({ url }) => url)).toEqual(["https://example.com/own"]);
  expect(bodies).toMatchObject([
    {
      type: "auth",
      operation: "creation",
      success: false,
      authMode: "OAUTH2",
      tags: { a: "b", end_user_id: "u1" },
      endUser: { endUserId: "u1", tags: {} },
      error: { type: error.type },
    },
  ]);
  expect(JSON.stringify(bodies)).not.toContain("asked again");
});

const markup = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "\"'><svg/onload=alert(1)>",
  "</title><h1>x",
  "</script><script>alert(1)</script>",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "&lt;script&gt;",
  "&#60;script&#62;",
  "\u2028<b>",
  "%3Cscript%3E",
  "<!--<script>",
  "<![CDATA[<script>]]>",
  "<iframe srcdoc=x>",
  "<meta http-equiv=refresh content=0>",
  "<base href=//evil>",
  "<form action=//evil>",
  "<style>*{}</style>",
  "<link rel=stylesheet href=//evil>",
  "<math><mi>",
  "<details open ontoggle=alert(1)>",
  "<a href=javascript:alert(1)>",
  "{{constructor}}",
  "#{alert(1)}",
  "`-alert(1)-`",
  "\u0001<script>",
  "\uFEFF<script>",
  "\r\n\r\n<script>",
  "' onmouseover='alert(1)",
  '" data-opener="https://evil.example',
];

const pageTags = ["html", "head", "meta", "title", "style", "body", "main", "p", "h1"];

function listTags(html: string): Set<string | undefined> {
  return new Set([...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name));
}

test.each(markup)("a page never carries the provider's text as markup: %s", async (text) => {
  const begun = await begin(server);
  const query = new URLSearchParams({
    error: text,
    error_description: text,
    error_uri: text,
    state: begun.state,
  });

  const page = await server.call({ url: `/oauth/callback?${query}`, cookie: begun.cookie });

  expect(page.status).toBe(400);
  expect(listTags(page.text)).toEqual(new Set([...pageTags, "script"]));
  expect(page.text).not.toMatch(/<[^>]* on[a-z]+=/i);
  expect(page.text.match(/<script[^>]*>[^<]*/g)).toEqual([
    '<script src="http://127.0.0.1:3003/oauth/callback.js" defer>',
  ]);
});

test.each(markup)("a page never carries the caller's text as markup: %s", async (text) => {
  const token = await createSession(server);
  const query = new URLSearchParams({
    connect_session_token: token,
    [`credentials[${text}]`]: "1",
  });

  const page = await server.call({ url: `/oauth/connect/oauth?${query}` });

  expect(page.status).toBe(400);
  expect(listTags(page.text)).toEqual(new Set(pageTags));
});

test("pages allow one script and no framing, leak no referrer and keep the opener", async () => {
  const { headers, text } = await finish(server, await begin(server));

  expect(headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; script-src http:\/\/127\.0\.0\.1:3003\/oauth\/callback\.js; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(headers["referrer-policy"]).toBe("no-referrer");
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers).not.toHaveProperty("cross-origin-opener-policy");
  expect(text).not.toMatch(/style=|<script>|data-opener/);
});

test("a session of one environment leads to its integrations only", async () => {
  const token = await createSession(server, {}, "other");
  const begun = await begin(server, { token });
  await finish(server, begun);

  const { connection_id: connectionId } = await resultOf(server, token);
  const name = { integrationKey: "oauth", connectionId };

  await expect(getConnectionForCall(server.installation.ctx, name)).rejects.toMatchObject({
    code: "unknown_connection",
  });
  const { connection } = await getConnectionForCall(server.other, name);
  expect(connection.environmentId).toBe(server.other.environment.id);
});

test("over https the cookie is bound to the host and sent only encrypted", async () => {
  await using secure = await startConnectServer({
    settings: { serverUrl: "https://jackfield.example" },
  });
  const session = await secure.call({
    method: "POST",
    url: "/connect/sessions",
    as: "dev",
    payload: {},
  });
  const { token } = JSON.parse(session.text).data;

  const answer = await secure.call({ url: `/oauth/connect/oauth?connect_session_token=${token}` });

  expect(answer.headers["set-cookie"]).toMatch(
    /^__Host-svc-flow-[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(String(answer.headers["location"])).toContain(
    `redirect_uri=${encodeURIComponent("https://jackfield.example/oauth/callback")}`,
  );
});
