import { afterAll, beforeAll, expect, test } from "vitest";
import { MINUTE, withEnvironment } from "#foundation";
import { authenticateSession } from "./authenticate-session.ts";
import { streamSessionEvents } from "./sessions/session-events.ts";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { begin, createSession, finish } from "./testing/end-user.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

function ancestorsOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  return /frame-ancestors ([^;]*)/.exec(String(headers["content-security-policy"]))?.[1];
}

test("the page is served under a strict policy, and never kept", async () => {
  const { status, headers, text } = await server.call({ url: "/connect/" });

  expect(status).toBe(200);
  expect(text).toContain("<title>page</title>");
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  );
  expect(headers["referrer-policy"]).toBe("no-referrer");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers).not.toHaveProperty("cross-origin-opener-policy");
  expect(headers).not.toHaveProperty("x-frame-options");
});

test("only pages that the session allows may embed it", async () => {
  const limited = await createSession(server, {
    allowed_origins: ["https://app.example.com", "http://localhost:3000"],
  });
  const open = await createSession(server);
  const ancestors = async (token: string) =>
    ancestorsOf((await server.call({ url: `/connect/?session_token=${token}` })).headers);

  const forLimited = await ancestors(limited);
  const forOpen = await ancestors(open);
  const forUnknown = await ancestors(`svc_connect_session_${"0".repeat(64)}`);
  server.installation.clock.advance(31 * MINUTE);
  const forEnded = await ancestors(limited);

  expect(forLimited).toBe("'self' https://app.example.com http://localhost:3000");
  expect(forOpen).toBe("'self'");
  expect(forUnknown).toBe("'self'");
  expect(forEnded).toBe(forLimited);
});

test("the page of one's connections shows the connect page inside, and may be embedded as it may", async () => {
  const limited = await createSession(server, { allowed_origins: ["https://app.example.com"] });
  const { status, headers } = await server.call({ url: "/connect/manage/" });
  const framed = await server.call({ url: `/connect/manage/?session_token=${limited}` });

  expect(status).toBe(200);
  expect(headers["content-security-policy"]).toContain("frame-src 'self';");
  expect(ancestorsOf(headers)).toBe("'self'");
  expect(ancestorsOf(framed.headers)).toBe("'self' https://app.example.com");
});

test("without the slash at its end the page's address leads to the one with it", async () => {
  const { status, headers } = await server.call({ url: "/connect?session_token=a&lang=en" });

  expect([status, headers["location"]]).toEqual([308, "connect/?session_token=a&lang=en"]);
});

test("files of the page are kept for good; nothing else is served", async () => {
  const file = await server.call({ url: "/connect/assets/index-a1b2.js" });
  const paths = ["nope.js", "..%2Findex.html", "../index.html", "%2e%2e/index.html", "", "x/y.js"];
  const others = await Promise.all(
    paths.map(async (path) => (await server.call({ url: `/connect/assets/${path}` })).status),
  );

  expect(file.status).toBe(200);
  expect(file.text).toBe("export {};");
  expect(file.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(file.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(others).toEqual(paths.map(() => 404));
});

test("a page that is reached elsewhere knows where the API is, and may call it", async () => {
  await using elsewhere = await startConnectServer({
    settings: {
      serverUrl: "https://api.example.com/jackfield",
      connectUrl: "https://connect.example.com",
    },
  });

  const { text, headers } = await elsewhere.call({ url: "/connect/" });
  const created = await elsewhere.call({
    method: "POST",
    url: "/connect/sessions",
    as: "dev",
    payload: {},
  });

  expect(text).toContain('content="https://api.example.com/jackfield/"');
  expect(headers["content-security-policy"]).toContain(
    "connect-src 'self' https://api.example.com;",
  );
  expect(JSON.parse(created.text).data.connect_link).toMatch(
    /^https:\/\/connect\.example\.com\/\?session_token=/,
  );
});

async function contextOf(token: string) {
  const { ctx } = server.installation;
  const { environment, sessionId } = await authenticateSession(ctx, token);
  return withEnvironment(ctx, environment, { kind: "session", sessionId });
}

const quick = { heartbeatMs: 20, lookEveryMs: 5 };
const never = new AbortController().signal;

function read(event: string | undefined): unknown {
  expect(event).toMatch(/^data: .*\n\n$/);
  return JSON.parse((event ?? "").slice("data: ".length)).data;
}

test("events tell how the session goes, with a sign of life in between, and end with the connection", async () => {
  const token = await createSession(server);
  const events = streamSessionEvents(await contextOf(token), never, quick);

  const first = await events.next();
  const heartbeat = await events.next();
  const begun = await begin(server, { token, query: "&attempt_id=one" });
  const started = await events.next();
  await finish(server, begun);
  const rest: string[] = [];
  for await (const event of events) rest.push(event);

  expect(read(String(first.value))).toEqual({ state: "waiting" });
  expect(heartbeat.value).toBe(": \n\n");
  expect(read(String(started.value))).toEqual({ state: "waiting", attempt_id: "one" });
  expect(read(rest.findLast((event) => event.startsWith("data")))).toMatchObject({
    state: "success",
    attempt_id: "one",
    provider_config_key: "oauth",
  });
});

test("events end with the session, and when the server stops", async () => {
  const token = await createSession(server);
  const stopping = new AbortController();
  const ending = streamSessionEvents(await contextOf(token), never, quick);
  const stopped = streamSessionEvents(await contextOf(token), stopping.signal);
  await ending.next();
  await stopped.next();

  stopping.abort();
  const afterStop = await stopped.next();
  server.installation.clock.advance(30 * MINUTE);
  const last: string[] = [];
  for await (const event of ending) last.push(event);

  expect(afterStop.done).toBe(true);
  expect(read(last.findLast((event) => event.startsWith("data")))).toMatchObject({
    state: "error",
    error: { type: "unknown_connect_session_token" },
  });
});

test("over HTTP the stream ends by itself after a success, and may be read from any page", async () => {
  const token = await createSession(server);
  await finish(server, await begin(server, { token }));

  const { status, headers, text } = await server.call({
    url: "/connect/session/events",
    as: token,
    accept: "text/event-stream",
  });

  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  expect(headers["cache-control"]).toBe("no-store");
  expect(read(text)).toMatchObject({ state: "success" });
});

test.each(["*", "https://a;sandbox", "https://*.example.com", "https://"])(
  "a session with %j for an origin is refused",
  async (origin) => {
    const { status, text } = await server.call({
      method: "POST",
      url: "/connect/sessions",
      as: "dev",
      payload: { allowed_origins: [origin] },
    });

    expect(status).toBe(400);
    expect(JSON.parse(text).error.errors[0].path).toEqual(["allowed_origins", "0"]);
  },
);

test.each([
  ["de-AT,de;q=0.9,en;q=0.8", "de", "Nicht verbunden"],
  ["tlh, fr;q=0.5, es;q=0.7", "es", "No conectado"],
  ["ja;q=0, tlh", "en", "Not connected"],
  [undefined, "en", "Not connected"],
])("to a browser that wants %s the page at the end speaks %s", async (wanted, language, title) => {
  const { text } = await server.call({
    url: "/oauth/callback?state=unknown",
    acceptLanguage: wanted,
  });

  expect(text).toContain(`<html lang="${language}"`);
  expect(text).toContain(`<h1>${title}</h1>`);
});

test("the language of a session comes before that of the browser", async () => {
  const token = await createSession(server, { language: "ja" });
  const begun = await begin(server, { token });

  const { text } = await finish(server, begun);

  expect(text).toContain('<html lang="ja"');
  expect(text).toContain("接続しました");
});
