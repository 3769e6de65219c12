import { afterAll, beforeAll, expect, test } from "vitest";
import { presentEnding } from "./page/present-ending.ts";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { begin, createSession, finish, resultOf } from "./testing/end-user.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

const decode = (html: string): string => html.replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** Whom the page tells, and what. */
function reportedBy(html: string) {
  const origin = /data-opener="([^"]*)"/.exec(html)?.[1];
  const messages = JSON.parse(decode(/data-messages="([^"]*)"/.exec(html)?.[1] ?? "[]"));
  expect(messages.length).toBeLessThan(2);
  return { origin, message: messages[0] };
}

const app = "https://app.example.com";

test("the window that opened the popup gets a message about the success, at its own origin only", async () => {
  const token = await createSession(server, { allowed_origins: [app] });
  const begun = await begin(server, { token, query: `&opener_origin=${app}&attempt_id=a1` });

  const page = await finish(server, begun);
  const result = await resultOf(server, token);

  expect(reportedBy(page.text)).toEqual({
    origin: app,
    message: {
      type: "svc_oauth_callback_success",
      payload: {
        attemptId: "a1",
        connectionId: result.connection_id,
        providerConfigKey: "oauth",
        isPending: false,
      },
    },
  });
  expect(result.attempt_id).toBe("a1");
  expect(page.text).toContain('data-outcome="success"');
});

test("without an origin of the opener nobody gets a message", async () => {
  const page = await finish(server, await begin(server));

  expect(reportedBy(page.text)).toEqual({ origin: undefined, message: undefined });
});

test("the opener gets a message about a failure too", async () => {
  const token = await createSession(server);
  const begun = await begin(server, { token, query: `&opener_origin=${app}&attempt_id=a2` });

  const page = await server.call({
    url: `/oauth/callback?error=access_denied&state=${begun.state}`,
    cookie: begun.cookie,
  });

  expect(reportedBy(page.text)).toMatchObject({
    origin: app,
    message: {
      type: "svc_oauth_callback_error",
      payload: { errorType: "authorization_cancelled", attemptId: "a2" },
    },
  });
});

test("with a further spelling of names the opener gets messages under both", () => {
  const { ctx } = server.installation;
  const spelled = { ...ctx, settings: { ...ctx.settings, compatPrefix: "acme" } };
  const made = { connectionId: "c", providerConfigKey: "oauth", isPending: false };
  const ending = { error: undefined, made, openerOrigin: app, attemptId: undefined };

  const page = presentEnding(spelled, ending, { status: 200 });

  const messages = JSON.parse(decode(/data-messages="([^"]*)"/.exec(page.html)?.[1] ?? ""));
  expect(messages).toEqual([
    { type: "svc_oauth_callback_success", payload: made },
    { type: "acme_oauth_callback_success", payload: made },
  ]);
});

test("a browser that did not begin the attempt gets no message and no redirect", async () => {
  const token = await createSession(server, { return_url: `${app}/done` });
  const popup = await begin(server, { token, query: `&opener_origin=${app}` });
  const redirect = await begin(server, { token });

  for (const begun of [popup, redirect]) {
    const page = await finish(server, begun, {}, "");

    expect(page.status).toBe(400);
    expect(reportedBy(page.text).origin).toBeUndefined();
    expect(page.headers).not.toHaveProperty("location");
  }
});

test.each([
  ["an origin that the session does not allow", "https://evil.example"],
  ["an origin like an allowed one", `${app}.evil.example`],
  ["no origin", "null"],
  ["a wildcard", "*"],
  ["an address with a path", `${app}/x`],
  ["another scheme", "javascript:alert(1)"],
])("does not begin for an opener with %s", async (_case, origin) => {
  const token = await createSession(server, { allowed_origins: [app] });

  const answer = await server.call({
    url: `/oauth/connect/oauth?connect_session_token=${token}&opener_origin=${encodeURIComponent(origin)}`,
    accept: "*/*",
  });

  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text).error).toMatchObject({
    code: "invalid_query_params",
    errors: [{ path: ["opener_origin"] }],
  });
  expect(await resultOf(server, token)).toMatchObject({
    state: "error",
    error: { type: "invalid_query_params", message: expect.stringContaining("opener_origin") },
  });
});

test("the hosted page itself may always open the popup", async () => {
  const token = await createSession(server, { allowed_origins: [app] });
  const begun = await begin(server, { token, query: "&opener_origin=http://127.0.0.1:3003" });

  expect(reportedBy((await finish(server, begun)).text).origin).toBe("http://127.0.0.1:3003");
});

test("an attempt that cannot begin reaches the opener and those who wait for the session", async () => {
  const token = await createSession(server, { allowed_integrations: ["second"] });
  const url = `/oauth/connect/oauth?connect_session_token=${token}&opener_origin=${app}&attempt_id=a3`;

  const page = await server.call({ url });

  expect(page.status).toBe(400);
  expect(reportedBy(page.text)).toMatchObject({
    origin: app,
    message: { payload: { errorType: "integration_not_allowed", attemptId: "a3" } },
  });
  expect(await resultOf(server, token)).toMatchObject({
    state: "error",
    attempt_id: "a3",
    error: { type: "integration_not_allowed" },
  });
});

test("without a popup the browser goes back to the customer's page with the result", async () => {
  const token = await createSession(server, { return_url: `${app}/done?tab=1#top` });

  const answer = await finish(server, await begin(server, { token }));
  const location = new URL(String(answer.headers["location"]));
  const result = await resultOf(server, token);

  expect(answer.status).toBe(303);
  expect(location.origin + location.pathname + location.hash).toBe(`${app}/done#top`);
  expect(Object.fromEntries(location.searchParams)).toEqual({
    tab: "1",
    state: "success",
    connection_id: result.connection_id,
    provider_config_key: "oauth",
  });
});

test("a denial goes back there too", async () => {
  const token = await createSession(server, { return_url: `${app}/done` });
  const begun = await begin(server, { token });

  const answer = await server.call({
    url: `/oauth/callback?error=access_denied&state=${begun.state}`,
    cookie: begun.cookie,
  });
  const location = new URL(String(answer.headers["location"]));

  expect(answer.status).toBe(303);
  expect(location.searchParams.get("state")).toBe("error");
  expect(location.searchParams.get("error")).toBe("authorization_cancelled");
});

test("a posted answer that was asked for comes back as a query, to which the browser adds its cookie", async () => {
  const begun = await begin(server, { query: "&authorization_params[response_mode]=form_post" });
  const code = server.provider.approve(begun.location.href);

  const forward = await server.call({
    method: "POST",
    url: "/oauth/callback",
    form: { code, state: begun.state },
  });
  const page = await server.call({
    url: `/oauth/callback${String(forward.headers["location"])}`,
    cookie: begun.cookie,
  });

  expect(forward.status).toBe(303);
  expect(page.status).toBe(200);
});

test("the callback script moves a fragment into the query and speaks to one origin", async () => {
  const script = await server.call({ url: "/oauth/callback.js" });
  const stale = await server.call({ url: "/oauth/callback" });

  expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(script.headers["x-content-type-options"]).toBe("nosniff");
  expect(script.text).not.toMatch(/BroadcastChannel|postMessage\([^,]*, *"\*"/);
  expect(stale.text).toContain('data-outcome="stale"');
});

test.each([
  ["without an installation", "state=STATE", 400],
  ["without a state", "installation_id=1", 400],
  ["with an unknown state", "installation_id=1&state=unknown", 404],
  ["that is only asked for", "setup_action=request&state=STATE", 400],
])("an installation %s makes no connection", async (_case, query, status) => {
  const begun = await begin(server);

  const page = await server.call({
    url: `/app-auth/connect?${query.replace("STATE", begun.state)}`,
    cookie: begun.cookie,
  });

  expect(page.status).toBe(status);
  expect(page.headers["content-type"]).toContain("text/html");
  expect((await resultOf(server, begun.token)).state).toBe("waiting");
});

test("client documents are served over https only, for integrations of the environment", async () => {
  await using secure = await startConnectServer({
    settings: { serverUrl: "https://jackfield.example" },
  });
  const { id } = secure.installation.ctx.environment;
  const get = async (from: ConnectServer, path: string) => {
    const { status, text, headers } = await from.call({ url: `/oauth/client-metadata/${path}` });
    return { status, body: JSON.parse(text), headers };
  };

  const served = await get(secure, `${id}/oauth`);
  const plain = await get(server, `${server.installation.ctx.environment.id}/oauth`);
  const noEnvironment = await get(secure, "00000000-0000-4000-8000-000000000000/oauth");
  const noIntegration = await get(secure, `${id}/nope`);
  const otherMode = await get(secure, `${id}/keyed`);

  expect(served.status).toBe(200);
  expect(served.headers["cache-control"]).toBe("public, max-age=300");
  expect(served.body).toMatchObject({
    client_id: `https://jackfield.example/oauth/client-metadata/${id}/oauth`,
    redirect_uris: ["https://jackfield.example/oauth/callback"],
    token_endpoint_auth_method: "none",
  });
  expect([plain.status, plain.body.error.code]).toEqual([404, "feature_disabled"]);
  expect([noEnvironment.status, noEnvironment.body.error.code]).toEqual([
    404,
    "unknown_environment",
  ]);
  expect(noIntegration.body.error.code).toBe("unknown_provider_config");
  expect(otherMode.body.error.code).toBe("unknown_provider_config");
});
