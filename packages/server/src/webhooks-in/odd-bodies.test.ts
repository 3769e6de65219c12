import { createHmac } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type InboxServer, startInboxServer, type TestRequest } from "./testing/index.ts";

let server: InboxServer;
let path: string;
beforeAll(async () => {
  server = await startInboxServer();
  const ctx = await server.environment();
  path = server.pathOf(
    await server.integration(ctx, "autotask", { custom: { webhookSecret: "s3" } }),
  );
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const event = JSON.stringify({ Guid: "g", EntityType: "Ticket", SequenceNumber: 1 });

function sign(body: string | Buffer, secret = "s3"): string {
  return `sha1=${createHmac("sha1", secret).update(body).digest("base64")}`;
}

const bodies: Readonly<Record<string, string | Buffer>> = {
  plain: event,
  "invalid UTF-8": Buffer.concat([
    Buffer.from('{"Guid":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]),
  "byte order mark": `\uFEFF${event}`,
  "doubled keys": '{"Guid":"a","Guid":"b","EntityType":"Ticket"}',
  "escaped NUL": '{"Guid":"a\\u0000b","EntityType":"T\\u0000"}',
  "half of a surrogate pair": '{"Guid":"\\ud800","EntityType":"\\udfff"}',
  "a prototype": '{"__proto__":{"Guid":"x"},"constructor":1,"EntityType":"Ticket"}',
  "a number beyond all": '{"Guid":1e999,"Id":123456789012345678901234567890}',
  "250 levels": `${'{"a":'.repeat(249)}1${"}".repeat(249)}`,
};

for (const [name, body] of Object.entries(bodies)) {
  test(`${name}: signed it is taken and handled, else it is 401`, async () => {
    const headers = { "content-type": "application/json" };
    const sent = async (signature: string) =>
      (await server.send(path, { headers: { ...headers, "x-hook-signature": signature }, body }))
        .status;

    expect(await sent(sign(body))).toBe(200);
    expect(await sent(sign(body, "other"))).toBe(401);
    expect(await server.handle()).toBe(1);
  });
}

const ways: Readonly<Record<string, TestRequest>> = {
  chunked: {
    headers: { "x-hook-signature": sign(event) },
    body: [event.slice(0, 9), event.slice(9)],
  },
  "gzip, signed before": {
    headers: { "content-encoding": "gzip", "x-hook-signature": sign(event) },
    body: gzipSync(event),
  },
  "brotli, signed after": {
    headers: { "content-encoding": "br", "x-hook-signature": sign(brotliCompressSync(event)) },
    body: brotliCompressSync(event),
  },
  "another content type": {
    headers: { "content-type": "text/html; charset=utf-16", "x-hook-signature": sign(event) },
    body: event,
  },
};

for (const [name, sent] of Object.entries(ways)) {
  test(`${name}: the signature counts, not the way`, async () => {
    const headers = { ...sent.headers, "x-hook-signature": sign(event, "other") };

    expect((await server.send(path, sent)).status).toBe(200);
    expect((await server.send(path, { ...sent, headers })).status).toBe(401);
  });
}

const refused: Readonly<Record<string, readonly [status: number, sent: TestRequest]>> = {
  "no JSON": [400, { headers: { "x-hook-signature": sign("{") }, body: "{" }],
  "a list": [400, { headers: { "x-hook-signature": sign("[]") }, body: "[]" }],
  "300 levels": [
    400,
    {
      headers: { "x-hook-signature": sign(`${"[".repeat(300)}${"]".repeat(300)}`) },
      body: `${"[".repeat(300)}${"]".repeat(300)}`,
    },
  ],
  "no gzip": [
    400,
    { headers: { "content-encoding": "gzip", "x-hook-signature": sign("x") }, body: "x" },
  ],
  "an unknown coding": [
    400,
    { headers: { "content-encoding": "rot13", "x-hook-signature": sign("x") }, body: "x" },
  ],
  "a gzip bomb": [
    400,
    {
      headers: { "content-encoding": "gzip", "x-hook-signature": sign("x") },
      body: gzipSync(Buffer.alloc(30 * 1024 * 1024)),
    },
  ],
  "a signature sent twice": [
    401,
    { headers: { "x-hook-signature": [sign(event), sign(event)] }, body: event },
  ],
  "no signature": [401, { body: event }],
  "another method": [
    404,
    { method: "PUT", headers: { "content-type": "application/json" }, body: event },
  ],
  "no key of an integration": [400, { query: "%2F", body: event }],
};

for (const [name, [status, sent]] of Object.entries(refused)) {
  test(`${name} is answered ${status}`, async () => {
    const answer = await server.send(path, sent);

    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { code: expect.any(String), message: expect.any(String) },
    });
  });
}

test("a body above the limit is refused before it was read", async () => {
  const headers = { "content-length": String(26 * 1024 * 1024) };

  const answer = await server.send(path, { headers, body: ["{"] });

  expect(answer.status).toBe(413);
});
