import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { createLogger } from "../logger/index.ts";
import { createEgress } from "./create-egress.ts";
import type { Egress } from "./egress.ts";
import { type Answer, startTestResolver, type TestResolver } from "./testing/dns-server.ts";

// The server behind 127.0.0.2 stands for the public one; nothing may reach the other addresses of loopback.
const OPEN = "127.0.0.2";
const PUBLIC = "192.0.43.8";
const call = { method: "GET", timeoutMs: 5000, maxResponseBytes: 1000 };

let resolver: TestResolver;
let egress: Egress;
let port = 0;
let isClosing = true;
const reached: string[] = [];

const server = createServer((request, response) => {
  reached.push(request.socket.localAddress ?? "");
  if (isClosing) response.setHeader("connection", "close");
  response.end(request.headers.host);
});

beforeAll(async () => {
  resolver = await startTestResolver();
  // Every address of loopback and of both families leads here; which one was used is noted.
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "::" }, resolve));
  port = toPort(server.address());
  egress = createEgress({
    allow: [OPEN],
    log: createLogger("silent"),
    lookup: resolver.lookup,
  });
});
afterAll(async () => {
  await egress[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await resolver[Symbol.asyncDispose]();
});
beforeEach(() => {
  reached.length = 0;
  resolver.asked.length = 0;
  isClosing = true;
});

function toPort(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function ask(name: string): Promise<string> {
  try {
    const answer = await egress.request({ ...call, url: `http://${name}:${port}/` });
    return String(answer.status);
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

function expectOnlyOpen(): void {
  expect(reached.filter((address) => !address.endsWith(OPEN))).toEqual([]);
}

let names = 0;
function newName(...answers: Answer[]): string {
  names += 1;
  const name = `n${names}.rebind.example`;
  resolver.set(name, ...answers);
  return name;
}

const closed = [
  ["loopback", "127.0.0.1"],
  ["another loopback", "127.255.255.254"],
  ["this host", "0.0.0.0"],
  ["this network", "0.1.2.3"],
  ["private 10", "10.0.0.1"],
  ["private 172.16", "172.31.255.255"],
  ["private 192.168", "192.168.0.1"],
  ["link-local metadata", "169.254.169.254"],
  ["carrier-grade NAT", "100.64.0.1"],
  ["protocol assignments", "192.0.0.192"],
  ["documentation", "203.0.113.9"],
  ["benchmarks", "198.18.0.1"],
  ["6to4 relay", "192.88.99.1"],
  ["multicast", "224.0.0.251"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["host agent", "168.63.129.16"],
  ["loopback of IPv6", "::1"],
  ["unspecified", "::"],
  ["IPv4-mapped loopback", "::ffff:127.0.0.1"],
  ["IPv4-mapped metadata", "::ffff:169.254.169.254"],
  ["IPv4-compatible", "::127.0.0.1"],
  ["IPv4-translated", "::ffff:0:127.0.0.1"],
  ["NAT64 of loopback", "64:ff9b::127.0.0.1"],
  ["NAT64 of a public address", "64:ff9b::192.0.43.8"],
  ["local NAT64", "64:ff9b:1::10.0.0.1"],
  ["6to4 of loopback", "2002:7f00:1::1"],
  ["6to4 of private 10", "2002:a00:1::"],
  ["Teredo", "2001:0:7f00:1::1"],
  ["link-local", "fe80::1"],
  ["site-local", "fec0::1"],
  ["unique local", "fd00::1"],
  ["metadata of IPv6", "fd00:ec2::254"],
  ["multicast of IPv6", "ff02::1"],
  ["documentation of IPv6", "2001:db8::1"],
  ["discard-only", "100::1"],
  ["segment routing", "5f00::1"],
] as const;

const shapes: readonly (readonly [string, (address: string) => string])[] = [
  ["alone", (address) => newName([address])],
  ["next to a public address", (address) => newName([PUBLIC, address])],
  ["before a public address", (address) => newName([address, PUBLIC])],
  [
    "next to a public address of the other family",
    (address) => newName([otherFamily(address), address]),
  ],
  ["at the end of a chain of names", (address) => chain(address, 6)],
];

function otherFamily(address: string): string {
  return address.includes(":") ? PUBLIC : "2606:2800:220:1::1";
}

function chain(address: string, length: number): string {
  let name = newName([address]);
  for (let link = 1; link < length; link += 1) name = newName({ cname: name });
  return name;
}

const cases = closed.flatMap(([what, address]) =>
  shapes.map(([shape, make]) => [what, shape, address, make] as const),
);

test("the corpus has the number of cases that is promised", () => {
  expect(cases.length).toBeGreaterThanOrEqual(180);
});

test.each(cases)("%s, %s, is not connected to", async (_what, _shape, address, make) => {
  const code = await ask(make(address));

  expect(code).toBe("destination_not_allowed");
  expect(reached).toEqual([]);
});

test.each(closed)(
  "a name that leads to %s at its second lookup is refused there",
  async (_what, address) => {
    const name = newName([OPEN], [address]);

    const first = await ask(name);
    const second = await ask(name);

    expect([first, second]).toEqual(["200", "destination_not_allowed"]);
    expectOnlyOpen();
  },
);

test("answers that alternate are judged one by one", async () => {
  const turns = Array.from({ length: 40 }, (_, turn) => [turn % 2 === 0 ? OPEN : "127.0.0.1"]);
  const name = newName(...turns);

  const codes: string[] = [];
  for (const _turn of turns) codes.push(await ask(name));

  expect(codes.filter((code) => code === "200")).toHaveLength(20);
  expect(codes.filter((code) => code === "destination_not_allowed")).toHaveLength(20);
  expectOnlyOpen();
});

test("connections that are opened at once each go where their own lookup led", async () => {
  const turns = Array.from({ length: 30 }, (_, turn) => [turn % 3 === 0 ? "127.0.0.1" : OPEN]);
  const name = newName(...turns);

  const codes = await Promise.all(turns.map(async () => await ask(name)));

  expect(new Set(codes)).toEqual(new Set(["200", "destination_not_allowed"]));
  expectOnlyOpen();
});

test("a name is looked up once for a connection", async () => {
  const name = newName([OPEN], ["127.0.0.1"]);

  expect(await ask(name)).toBe("200");
  expect(resolver.asked).toEqual([name]);
});

test("a connection that is kept stays where it was checked, and the next one is checked", async () => {
  isClosing = false;
  const name = newName([OPEN], ["127.0.0.1"]);

  const kept = [await ask(name), await ask(name), await ask(name)];
  server.closeAllConnections();
  const after: string[] = [];
  // The client may learn of the closed connection only when it writes to it.
  for (let turn = 0; turn < 3; turn += 1) after.push(await ask(name));

  // The pool may open a second connection while the first one is still ending its answer.
  expect(kept[0]).toBe("200");
  expect(kept).not.toContain("upstream_unreachable");
  expect(after.at(-1)).toBe("destination_not_allowed");
  expectOnlyOpen();
});

test("a connection of one name serves no other name, also at the same address", async () => {
  isClosing = false;
  const first = newName([OPEN]);
  const second = newName(["127.0.0.1"]);

  expect([await ask(first), await ask(second)]).toEqual(["200", "destination_not_allowed"]);
  expectOnlyOpen();
});

test.each([
  ["a private address of IPv6 first", ["::1", OPEN]],
  ["a private address of IPv4 after it", [OPEN, "127.0.0.1"]],
  ["mapped loopback first", ["::ffff:127.0.0.1", OPEN]],
  ["many private ones", ["::1", "127.0.0.1", "127.0.0.3", "::ffff:127.0.0.4", OPEN]],
])(
  "of addresses that are raced, %s is left out where the operator opened one",
  async (_what, found) => {
    expect(await ask(newName([...found]))).toBe("200");
    expectOnlyOpen();
  },
);

test.each(["UPPER", "dot"])("the spelling of a name changes nothing: %s", async (spelling) => {
  const name = newName(["127.0.0.1"]);
  const spelled = spelling === "dot" ? `${name}.` : name.toUpperCase();

  expect(await ask(spelled)).toBe("destination_not_allowed");
  expect(reached).toEqual([]);
});

test("a chain of names that changes its end is judged by where it ends", async () => {
  const end = newName([OPEN], ["127.0.0.1"]);
  const name = newName({ cname: end });

  expect([await ask(name), await ask(name)]).toEqual(["200", "destination_not_allowed"]);
  expectOnlyOpen();
});

test.each([
  ["a chain that leads to itself", "loop"],
  ["a server that fails", "servfail"],
  ["a name that does not exist", "nxdomain"],
  ["a name without addresses", "empty"],
] as const)("%s is an error of its own", async (_what, kind) => {
  const name = newName(kind === "empty" || kind === "loop" ? [] : kind);
  if (kind === "loop") resolver.set(name, { cname: name });

  const code = await ask(name);

  expect(code).toMatch(/^upstream_|destination_not_allowed/);
  expect(reached).toEqual([]);
});

test("an address that passed a check beforehand is checked again when it is called", async () => {
  const name = newName(["127.0.0.1"]);
  await egress.requireAllowedUrl(`http://${name}:${port}/`);

  expect(await ask(name)).toBe("destination_not_allowed");
  expect(reached).toEqual([]);
});

test.each([
  "fe80::1%25lo",
  "::1%25lo",
  "::ffff:127.0.0.1%25lo",
  "127.0.0.1%25lo",
  "127.0.0.1%00.a",
])("a literal with a zone, %s, is no address", async (literal) => {
  const host = literal.includes(":") ? `[${literal}]` : literal;

  const asking = egress.request({ ...call, url: `http://${host}:${port}/` });

  await expect(asking).rejects.toMatchObject({ code: "destination_not_allowed" });
  expect(reached).toEqual([]);
});

test("an upgrade of the connection is led by the same lookup", async () => {
  const name = newName(["127.0.0.1"], [OPEN]);
  const headers = { connection: "upgrade", upgrade: "websocket" };

  const asking = egress.request({ ...call, url: `http://${name}:${port}/`, headers });

  await expect(asking).rejects.toBeInstanceOf(Error);
  expect(reached).toEqual([]);
});
