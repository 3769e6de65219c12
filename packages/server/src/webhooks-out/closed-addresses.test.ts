import { randomUUID } from "node:crypto";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { AppError, createLogger, type EnvironmentContext, type Logger } from "#foundation";
import { createEgress } from "#foundation/egress";
import { closedAddresses } from "#foundation/egress/testing";
import { createDeliveryWork, sendWebhook } from "./index.ts";
import { type OutboxUnderTest, startOutbox } from "./testing/outbox.ts";
import { receive } from "./testing/receiver.ts";

/** Stands for the internet: opened for these calls, an address of this machine all the same. */
const OUTSIDE = "127.0.0.2";

/** Names that a resolver leads inside: at once, later, in part, or as a list. */
const answers: Readonly<Record<string, (count: number) => readonly string[]>> = {
  "inside.example": () => ["127.0.0.1"],
  "inside6.example": () => ["::1"],
  "mapped.example": () => ["::ffff:127.0.0.1"],
  "mapped-hex.example": () => ["::ffff:7f00:1"],
  "metadata.example": () => ["169.254.169.254"],
  "zero.example": () => ["0.0.0.0"],
  "unspecified.example": () => ["::"],
  "nat64.example": () => ["64:ff9b::7f00:1"],
  "unique-local.example": () => ["fd00::1"],
  "link-local.example": () => ["fe80::1"],
  "broadcast.example": () => ["255.255.255.255"],
  "shared.example": () => ["100.64.0.1"],
  "mixed.example": () => [OUTSIDE, "127.0.0.1"],
  "mixed-first.example": () => ["127.0.0.1", OUTSIDE],
  "mixed-families.example": () => [OUTSIDE, "::1"],
  "many.example": () => [...Array.from({ length: 50 }, () => OUTSIDE), "127.0.0.1"],
  "rebinding.example": (count) => [count === 0 ? OUTSIDE : "127.0.0.1"],
  "alternating.example": (count) => [count % 2 === 0 ? "127.0.0.1" : OUTSIDE],
  "later.example": (count) => [count < 2 ? OUTSIDE : "127.0.0.1"],
  "nothing.example": () => [],
  "xn--inside-example.example": () => ["127.0.0.1"],
  "inside.example.": () => ["127.0.0.1"],
  "127.0.0.1.nip.example": () => ["127.0.0.1"],
  "under_score.example": () => ["127.0.0.1"],
};

const spellings: readonly (readonly [string, string])[] = [
  ...Object.keys(answers).map((name) => [name, `http://${name}:PORT/`] as const),
  ...Object.keys(answers).map((name) => [`${name}, TLS`, `https://${name}:PORT/`] as const),
  ["a name in capitals", "http://INSIDE.Example:PORT/"],
  ["a name in full width", "http://ｉｎｓｉｄｅ.example:PORT/"],
  ["a name, percent-encoded", "http://%69nside.example:PORT/"],
  ["a name with a soft hyphen", "http://in\u00adside.example:PORT/"],
  ["a port with zeros", "http://inside.example:00PORT/"],
  ["a user before a name", "http://8.8.8.8@inside.example:PORT/"],
  ["a password before a name", "http://a:b@inside.example:PORT/"],
  ["a fragment with another host", "http://inside.example:PORT/#@8.8.8.8/"],
  ["a query with another host", "http://inside.example:PORT/?@8.8.8.8"],
  ["a backslash before another host", "http://inside.example:PORT\\@8.8.8.8/"],
  ["lines in the address", "http://inside.example:PORT/\r\nHost: 8.8.8.8\r\n"],
  ["a scope of IPv6", "http://[fe80::1%25lo]:PORT/"],
  ["gopher with lines", "gopher://inside.example:PORT/_POST%20/%0d%0a"],
  ["dict", "dict://inside.example:PORT/d:x"],
  ["a file by host", "file://inside.example/etc/passwd"],
  ["a blob", "blob:http://inside.example:PORT/x"],
  ["a script", "javascript:fetch('http://inside.example:PORT/')"],
  ["jar", "jar:http://inside.example:PORT/x!/"],
  ["view-source", "view-source:http://inside.example:PORT/"],
];

/** Such as nobody can resolve here: counted, never asked of the system. */
function hostileResolver(): LookupFunction {
  const counts = new Map<string, number>();
  return (hostname, _options, callback) => {
    const count = counts.get(hostname) ?? 0;
    counts.set(hostname, count + 1);
    const found = answers[hostname]?.(count) ?? [];
    if (found.length === 0) {
      callback(Object.assign(new Error(`no ${hostname}`), { code: "ENOTFOUND" }), []);
      return;
    }
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
}

let outbox: OutboxUnderTest;
let trap: Server;
let trapPort = 0;
let reached = 0;
const tally = { cases: 0 };
beforeAll(async () => {
  outbox = await startOutbox();
  trap = createServer((_request, response) => response.end("trapped"));
  trap.on("connection", (socket) => {
    if (socket.localAddress?.endsWith(OUTSIDE)) socket.destroy();
    else reached += 1;
  });
  await new Promise<void>((done) => trap.listen(0, done));
  const address = trap.address();
  trapPort = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(async () => {
  trap.closeAllConnections();
  trap.close();
  await outbox[Symbol.asyncDispose]();
  process.stdout.write(
    `\nwebhooks to closed addresses: ${tally.cases} cases, ${reached} connections\n`,
  );
});

const fill = (form: string) => form.replaceAll("PORT", String(trapPort));

function close(ctx: EnvironmentContext, allow: readonly string[] = [], log: Logger = ctx.log) {
  const http = createEgress({ allow, log, lookup: hostileResolver() });
  onTestFinished(async () => await http[Symbol.asyncDispose]());
  return { ...ctx, http, log };
}

/** Sends to an address that is in the database, regardless of who let it in; returns what became of it. */
async function sendTo(url: string, allow: readonly string[] = [OUTSIDE]) {
  const ctx = close(await outbox.environment({ primary: url }), allow);
  const body = { from: "svc", type: "sync", connectionId: "a" };
  await sendWebhook(ctx, { type: "sync", body });
  const work = createDeliveryWork();
  await work.claim(ctx, () => {});
  await work.drain?.();
  const [delivery] = await outbox.stored(ctx);
  return delivery;
}

const all = [...spellings, ...closedAddresses];

test("no address that leads inside is connected to at the time of sending", async () => {
  const delivered: string[] = [];
  for (const [name, form] of all) {
    tally.cases += 1;
    const delivery = await sendTo(fill(form));
    if (delivery?.state !== "waiting" || delivery.lastStatus !== null) delivered.push(name);
  }

  expect(delivered).toEqual([]);
  expect(reached).toBe(0);
}, 120_000);

test("a literal address that leads inside is refused when it is set, and a name that turns later is not called", async () => {
  const taken: string[] = [];
  for (const [, form] of all) {
    const ctx = close(await outbox.environment());
    const url = fill(form);
    tally.cases += 1;
    // What every verb that takes an address for webhooks asks before it stores it.
    const isTaken = await ctx.http.requireAllowedUrl(url).then(
      () => true,
      (error) => {
        expect(error).toBeInstanceOf(AppError);
        return false;
      },
    );
    if (isTaken) taken.push(url);
  }

  // Names: what they lead to is found out when they are called.
  const hosts = taken.map((url) => new URL(url).hostname);
  expect(hosts.filter((host) => /^[\d.]+$|^\[|localhost\.?$/.test(host))).toEqual([]);
  expect(hosts.length).toBeGreaterThan(10);
  expect(reached).toBe(0);
}, 120_000);

const ways = ["301", "302", "303", "307", "308", "200 refresh", "200 alt-svc", "401", "421"];

test.each(ways)("a receiver that answers %s leads nowhere else", async (way) => {
  const [status = "", field] = way.split(" ");
  const receiver = await receive((_count, response) => {
    const inside = `http://127.0.0.1:${trapPort}/`;
    response.writeHead(Number(status), {
      location: inside,
      "content-location": inside,
      link: `<${inside}>; rel="preload"`,
      ...(field === "refresh" && { refresh: `0; url=${inside}` }),
      ...(field === "alt-svc" && { "alt-svc": `h2="127.0.0.1:${trapPort}"` }),
    });
    response.end();
  });
  tally.cases += 1;

  const delivery = await sendTo(receiver.url, ["127.0.0.1/32"]);

  expect(receiver.received).toHaveLength(1);
  expect(delivery?.lastStatus).toBe(Number(status));
  expect(reached).toBe(0);
});

const injected: readonly (readonly [string, Record<string, string>])[] = [
  ["a line in a value", { "x-a": "b\r\nx-injected: 1" }],
  ["half a line in a value", { "x-a": "b\nx-injected: 1" }],
  ["a line in a name", { "x-a: b\r\nx-injected": "1" }],
  ["a NUL in a value", { "x-a": "b\0x-injected: 1" }],
  ["a space in a name", { "x-a x-injected": "1" }],
  ["a whole request in a value", { "x-a": "b\r\n\r\nPOST /x HTTP/1.1\r\nx-injected: 1\r\n\r\n" }],
  ["letters beyond ASCII", { "x-a": "č\u010a\u010dx-injected: 1" }],
  ["another length", { "content-length": "0" }],
  ["chunks", { "transfer-encoding": "chunked" }],
  ["another host", { host: "8.8.8.8" }],
  ["an upgrade", { connection: "upgrade", upgrade: "h2c" }],
  ["our signature", { "webhook-signature": "v1,forged", "X-Svc-Hmac-Sha256": "forged" }],
  ["our id", { "Webhook-Id": "forged" }],
];

test.each(injected)("headers that are sent along bring no other: %s", async (_name, headers) => {
  const receiver = await receive((_count, response) => response.end());
  const host = new URL(receiver.url).host;
  const ctx = close(await outbox.environment({ primary: receiver.url }), ["127.0.0.1/32"]);
  tally.cases += 1;

  await sendWebhook(ctx, { type: "forward", body: { from: "x", type: "forward" }, headers });
  const work = createDeliveryWork();
  await work.claim(ctx, () => {});
  await work.drain?.();

  expect(receiver.received.length).toBeLessThanOrEqual(1);
  for (const { headers: seen, body } of receiver.received) {
    expect(seen).not.toHaveProperty("x-injected");
    expect(seen.host).toBe(host);
    expect(body).toBe('{"from":"x","type":"forward"}');
    expect(JSON.stringify(seen)).not.toContain("forged");
  }
});

test("names of connections and integrations with lines in them stay in the body", async () => {
  const receiver = await receive((_count, response) => response.end());
  const ctx = close(await outbox.environment({ primary: receiver.url }), ["127.0.0.1/32"]);
  const name = "a\r\nx-injected: 1\r\n\r\n";
  const body = { from: name, type: name, connectionId: name, providerConfigKey: name };
  tally.cases += 1;

  await sendWebhook(ctx, { type: "forward", body });
  const work = createDeliveryWork();
  await work.claim(ctx, () => {});
  await work.drain?.();

  const [seen] = receiver.received;
  expect(seen?.headers).not.toHaveProperty("x-injected");
  expect(JSON.parse(seen?.body ?? "")).toEqual(body);
});

test("what a receiver answers is kept with the delivery alone, a KB of it, and never logged", async () => {
  const mark = randomUUID();
  const receiver = await receive((_count, response) => {
    response.writeHead(500, { "x-mark": mark, "content-type": "text/html" });
    response.end(`<script>${mark}</script>${mark.repeat(10_000)}`);
  });
  const file = join(await mkdtemp(join(tmpdir(), "jackfield-log-")), "log");
  const ctx = close(
    await outbox.environment({ primary: receiver.url }),
    ["127.0.0.1/32"],
    createLogger("debug", file),
  );
  tally.cases += 1;

  await sendWebhook(ctx, { type: "sync", body: { from: "svc", type: "sync" } });
  const work = createDeliveryWork();
  await work.claim(ctx, () => {});
  await work.drain?.();

  const [delivery] = await outbox.stored(ctx);
  expect(delivery).toMatchObject({ lastStatus: 500, lastError: null });
  expect(await readFile(file, "utf8").catch(() => "")).not.toContain(mark);
  const { rows } = await outbox.app.database.pool.query<{ answer: Buffer }>(
    "select a.answer from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.id = $1",
    [delivery?.id],
  );
  expect(rows[0]?.answer.includes(mark)).toBe(false);
  expect(rows[0]?.answer.byteLength).toBeLessThan(1200);
});
