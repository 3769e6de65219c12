import { afterAll, beforeAll, expect, test } from "vitest";
import type { OidcServer } from "#auth-modes/testing";
import type { ConnectServer } from "./testing/connect-server.ts";
import { begin, createSession } from "./testing/end-user.ts";
import { CALLBACK, startTwoServers, type TwoServers } from "./testing/two-servers.ts";

const app = "https://app.example.com";

let servers: TwoServers;
let server: ConnectServer;
let honest: OidcServer;
let comeBack: TwoServers["comeBack"];

beforeAll(async () => {
  servers = await startTwoServers();
  ({ server, honest, comeBack } = servers);
});
afterAll(async () => await servers[Symbol.asyncDispose]());

const hostile = [
  "</script><script>alert(1)</script>",
  "'\" onload=alert(1) x='",
  "<img src=x onerror=alert(1)>",
  "{{constructor.constructor('alert(1)')()}}",
  "javascript:alert(1)",
  "&#x3c;script&#x3e;alert(1)&#x3c;/script&#x3e;",
  "\u2028alert(1)\u2029",
  "\u202Egnp.exe",
  "]]><script>alert(1)</script>",
  "<!--<script>",
];

test.each(hostile)(
  "the id of an attempt is data on the page and for its opener: %j",
  async (attempt) => {
    const token = await createSession(server, { allowed_origins: [app] });
    const query = `&opener_origin=${app}&attempt_id=${encodeURIComponent(attempt)}`;
    const started = await server.call({
      url: `/oauth/connect/honest?connect_session_token=${token}${query}`,
    });
    if (started.status === 400) return;
    const location = new URL(String(started.headers["location"]));
    const cookie = String(started.headers["set-cookie"]).split(";")[0];

    const page = await comeBack(await honest.authorize(location.href, CALLBACK), cookie);

    const [, written = ""] = /data-messages="([^"]*)"/.exec(page.text) ?? [];
    const messages = JSON.parse(
      written
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&"),
    );
    expect(messages[0].payload.attemptId).toBe(attempt);
    expect(page.text.replace(/<script src="[^"]*" defer><\/script>/, "")).not.toMatch(
      /<(script|img)/,
    );
  },
);

test.each([
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "//evil.example",
  "https:evil.example",
  "https://app.example.com@evil.example/",
  "https://evil.example\\@app.example.com/",
  "https://app.example.com.evil.example/",
  "https://evil.example/#https://app.example.com",
  "http://app.example.com/",
  "https://app.example.com:8443/",
  "blob:https://app.example.com/x",
  "https://user:pass@app.example.com/",
])("a session does not return to %j", async (returnUrl) => {
  const { status } = await server.call({
    method: "POST",
    url: "/connect/sessions",
    as: "dev",
    payload: { allowed_origins: [app], return_url: returnUrl },
  });

  expect(status).toBe(400);
});

test("what the address of return says of the result is replaced", async () => {
  const returnUrl = `${app}/?state=success&connection_id=forged&error=none&state=again`;
  const token = await createSession(server, { allowed_origins: [app], return_url: returnUrl });
  const begun = await begin(server, { key: "honest", token });

  const answer = await comeBack(
    { state: begun.state, error: "access_denied", iss: honest.issuer },
    begun.cookie,
  );

  const { searchParams } = new URL(String(answer.headers["location"]));
  expect(searchParams.getAll("state")).toEqual(["error"]);
  expect(searchParams.getAll("error")).toEqual(["authorization_cancelled"]);
  expect(searchParams.getAll("connection_id")).toEqual([]);
});

test.each([
  `${app}/`,
  `${app}:443`,
  "HTTPS://APP.example.com",
  `${app}\n`,
  `${app}\0`,
  ` ${app}`,
  `${app}#`,
  `${app}?`,
  `blob:${app}`,
  "file://",
  "about:blank",
  "data:text/html,x",
  "https://app.example.com@evil.example",
  "https://xn--pp-eia.example.com",
  "http://app.example.com",
])("%j is no opener that gets a message", async (origin) => {
  const token = await createSession(server, { allowed_origins: [app] });

  const page = await server.call({
    url: `/oauth/connect/honest?connect_session_token=${token}&opener_origin=${encodeURIComponent(origin)}`,
  });

  expect(page.status).toBe(400);
  expect(page.text).not.toContain("data-opener");
});
