import { createHmac } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import type { AuthSubject, OutgoingBody } from "../auth-mode.ts";
import { getAuthMode } from "../modes/index.ts";
import { certificates } from "../testing/certificates.ts";
import { subjectOfEntry } from "../testing/subject.ts";
import { appendQuery, applyCredentials, isPlainCall, readsBody } from "./apply-credentials.ts";

const now = new Date("2026-05-01T12:00:00.000Z");

function apply(
  subject: AuthSubject,
  credentials: Record<string, string>,
  call: { body?: string | "stream"; contentType?: string; method?: string; url?: string } = {},
) {
  const { method = "POST", url = "https://api.example.com/v1/x?a=b%20c", contentType = "" } = call;
  const body: OutgoingBody =
    call.body === undefined
      ? { kind: "none" }
      : call.body === "stream"
        ? { kind: "stream" }
        : { kind: "bytes", bytes: Buffer.from(call.body) };
  const mode = getAuthMode(subject.provider.auth_mode);
  const type = subject.provider.auth_mode;
  const applied = applyCredentials(
    mode,
    subject,
    { type, ...credentials },
    {
      method,
      url,
      contentType,
      body,
      facts: { now, dpopNonce: undefined },
      toSentHeaders: (added) => new Map([["content-type", contentType], ...added.credentials]),
    },
  );
  return {
    ...applied,
    text: applied.body.kind === "bytes" ? Buffer.from(applied.body.bytes).toString() : undefined,
  };
}

test("computes headers from method, path, query and body, last", () => {
  const subject = subjectOfEntry({
    auth_mode: "API_KEY",
    api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
    query: { version: "2" },
    inject: {
      headers: {
        "X-Key": "{{credentials.apiKey}}",
        "X-Time": "{{epoch()}}",
        "X-Signature":
          '{{hmac_sha256_hex(request.method ~ request.path ~ "?" ~ request.query ~ request.body ~ epoch(), credentials.secret)}}',
      },
    },
    credentials: { secret: { title: "Secret", secret: true } },
  });
  const mode = getAuthMode("API_KEY");

  const applied = apply(subject, { apiKey: "K", secret: "S" }, { body: '{"x":1}' });

  const text = 'POST/v1/x?a=b%20c&version=2{"x":1}1777636800';
  expect(Object.fromEntries(applied.credentials)).toEqual({
    "x-key": "K",
    "x-time": "1777636800",
    "x-signature": createHmac("sha256", "S").update(text).digest("hex"),
  });
  expect(applied.url).toBe("https://api.example.com/v1/x?a=b%20c&version=2");
  expect(readsBody(mode, subject, { method: "POST", contentType: "" })).toBe(true);
  expect(isPlainCall(mode, subject)).toBe(false);
});

const severalKeys = {
  auth_mode: "API_KEY",
  api_key: [
    { placement: "header", name: "X-App", value: "{{credentials.app}}" },
    { placement: "query", name: "user", value: "{{credentials.user}}" },
    { placement: "body", name: "token", value: "{{credentials.apiKey}}" },
  ],
  credentials: { app: { title: "App" }, user: { title: "User" } },
};

test.each([
  ["a JSON object", { body: '{"a":1}', contentType: "application/json" }, '{"a":1,"token":"K"}'],
  [
    "a form",
    { body: "a=1&token=old", contentType: "application/x-www-form-urlencoded" },
    "a=1&token=K",
  ],
  ["no body", {}, '{"token":"K"}'],
])("puts several keys into header, query and %s", (_, call, sent) => {
  const subject = subjectOfEntry(severalKeys);

  const applied = apply(subject, { apiKey: "K", app: "A", user: "u 1" }, call);

  expect(applied.credentials.get("x-app")).toBe("A");
  expect(applied.url).toBe("https://api.example.com/v1/x?a=b%20c&user=u%201");
  expect(applied.text).toBe(sent);
});

test.each([
  ["a list", { body: "[1]", contentType: "application/json" }, "invalid_body"],
  ["a stream", { body: "stream" }, "request_too_large"],
])("cannot put a key into %s", (_, call, code) => {
  const subject = subjectOfEntry(severalKeys);

  expect(() => apply(subject, { apiKey: "K", app: "A", user: "u" }, call)).toThrow(
    expect.objectContaining({ code }),
  );
});

test("leaves the body of a GET alone", () => {
  const subject = subjectOfEntry(severalKeys);

  const applied = apply(subject, { apiKey: "K", app: "A", user: "u" }, { method: "GET" });

  expect(applied.body).toEqual({ kind: "none" });
});

test("tells headers that carry a secret from those that do not", () => {
  const subject = subjectOfEntry({
    auth_mode: "BASIC",
    basic: { username: "{{credentials.username}}/token", password: "{{credentials.password}}" },
    headers: { "X-Version": "2", "X-Account": "{{credentials.username}}" },
  });

  const applied = apply(subject, { username: "u", password: "p" });

  expect(Object.fromEntries(applied.defaults)).toEqual({ "x-version": "2" });
  expect(Object.fromEntries(applied.credentials)).toEqual({
    "x-account": "u",
    authorization: `Basic ${btoa("u/token:p")}`,
  });
  expect(isPlainCall(getAuthMode("BASIC"), subject)).toBe(true);
});

test("a key may be a segment before the path, and changes no other part of the address", () => {
  const subject = subjectOfEntry({
    auth_mode: "API_KEY",
    api_key: { placement: "path", name: "token", value: "bot{{credentials.apiKey}}" },
  });

  const applied = apply(subject, { apiKey: "12:a/b?c" });

  expect(applied.url).toBe("https://api.example.com/bot12:a%2Fb%3Fc/v1/x?a=b%20c");
  expect([...applied.credentials]).toEqual([]);
});

test("a value that would break a header is reported as the integration's fault", () => {
  const subject = subjectOfEntry({
    auth_mode: "API_KEY",
    api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
  });

  expect(() => apply(subject, { apiKey: "K\r\nx-evil: 1" })).toThrow(
    expect.objectContaining({ code: "integration_misconfigured" }),
  );
});

test.each([
  ["/a", "/a?k=v%20%26"],
  ["/a?b=c", "/a?b=c&k=v%20%26"],
  ["/a?", "/a?k=v%20%26"],
])("appends a parameter to %s", (path, sent) => {
  expect(appendQuery(path, new Map([["k", "v &"]]))).toBe(sent);
});

test("shows the client's certificate at the token endpoint", async () => {
  const { authority, serverCertificate: cert, serverKey: key } = certificates;
  const server = createServer(
    { cert, key, ca: authority, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { subject } = asTls(request.socket).getPeerCertificate();
      response.end(JSON.stringify({ access_token: subject.CN }));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const log = createLogger("silent");
  await using http = createEgress({ allow: ["127.0.0.0/8"], log, authorities: [authority] });
  const tools = { http, now, signal: new AbortController().signal };
  const subject = subjectOfEntry({
    auth_mode: "OAUTH2_CC",
    token_url: `https://127.0.0.1:${asTcp(server.address()).port}/token`,
    token_auth_method: "tls_client_auth",
  });
  const given = { type: "OAUTH2_CC", client_id: "id", client_private_key: certificates.clientKey };

  const { clientCertificate: client_certificate } = certificates;
  const minted = await getAuthMode("OAUTH2_CC").accept(
    subject,
    { ...given, client_certificate },
    tools,
  );
  const without = getAuthMode("OAUTH2_CC").accept(subject, given, tools);
  const withWrong = async (wrong: object) =>
    await getAuthMode("OAUTH2_CC")
      .accept(subject, { ...given, client_certificate, ...wrong }, tools)
      .catch((error: unknown) => error);
  const unreadable = await withWrong({ client_certificate: "no certificate" });
  const unfit = await withWrong({ client_private_key: certificates.serverKey });

  expect(minted.credentials).toMatchObject({ token: "client", client_certificate });
  await expect(without).rejects.toThrow("client_certificate");
  const message = "client_certificate and client_private_key are not a certificate and its key";
  for (const refused of [unreadable, unfit]) {
    expect(refused).toMatchObject({ message: expect.stringContaining(message) });
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

// The sockets of an HTTPS server are of TLS.
function asTls(socket: unknown): TLSSocket {
  return socket as TLSSocket;
}

// A server that listens on a port of TCP has such an address.
function asTcp(address: unknown): AddressInfo {
  return address as AddressInfo;
}

test.each(["Host", "content-length", "Transfer-Encoding", "connection", "Upgrade", "TE"])(
  "a header that a value of the integration names %s is not sent",
  (name) => {
    const subject = {
      ...subjectOfEntry({
        auth_mode: "API_KEY",
        api_key: {
          placement: "header",
          name: "{{lower(integration.name)}}",
          value: "{{credentials.apiKey}}",
        },
        integration_config: { name: { title: "Name" } },
      }),
      integrationConfig: { name },
    };

    expect(() => apply(subject, { apiKey: "K" })).toThrow(/is set by Jackfield/);
  },
);
