import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OWNER, type PeopleUnderTest, startPeople } from "./people-under-test.ts";

// The test is the proxy next to the server; 10.1.0.0/16 are proxies before that one.
let people: PeopleUnderTest;
let direct: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople({ SVC_TRUSTED_PROXIES: "127.0.0.1, 10.1.0.0/16,2001:db8::/32" });
  direct = await startPeople();
  await people.owner();
  await direct.owner();
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await direct[Symbol.asyncDispose]();
});

const { email } = OWNER;

const lastAddress = `select data ->> 'address' as address from audit_events
  join audit_details on event_id = id and part = 'actor' order by sequence desc limit 1`;

async function fail(server: PeopleUnderTest, forwarded: string): Promise<number> {
  const headers = { "x-forwarded-for": forwarded };
  const body = { email, password: "another one entirely" };
  return (await server.browser().call("POST", "/auth/password", { headers, body })).status;
}

/** The address that the audit log has of the last sign-in that failed. */
async function addressOf(server: PeopleUnderTest, forwarded: string): Promise<string> {
  await server.database.pool.query("delete from sign_in_failures");
  await fail(server, forwarded);
  const { rows } = await server.database.pool.query(lastAddress);
  return rows[0].address;
}

test.each([
  ["one that the proxy has seen", "203.0.113.7", "203.0.113.7"],
  ["a forged entry left of it", "198.51.100.1, 203.0.113.7", "203.0.113.7"],
  ["a forged entry of a trusted proxy", "10.1.0.1, 203.0.113.7", "203.0.113.7"],
  ["two proxies", "203.0.113.7, 10.1.2.3", "203.0.113.7"],
  ["a forged entry before two proxies", "127.0.0.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
  ["an address of IPv6", "2001:DB9::7", "2001:db9::7"],
  ["an address with its port", "203.0.113.7:4711", "203.0.113.7"],
  ["no address", "unknown", "127.0.0.1"],
  ["an address of IPv4 as one of IPv6", "::ffff:203.0.113.7", "203.0.113.7"],
  ["script in place of an address", "<script>, <b>", "127.0.0.1"],
])("behind a proxy: %s", async (_what, forwarded, expected) => {
  expect(await addressOf(people, forwarded)).toBe(expected);
});

test("without a trusted proxy the header counts for nothing", async () => {
  expect(await addressOf(direct, "203.0.113.7")).toBe("127.0.0.1");
});

test("pauses count by the address behind the proxy, and a forged one begins no new count", async () => {
  await people.database.pool.query("delete from sign_in_failures");

  const forged = [];
  for (let n = 0; n < 7; n += 1) forged.push(await fail(people, `198.51.100.${n}, 203.0.113.9`));
  const other = await fail(people, "203.0.113.10");

  expect(forged).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect(other).toBe(401);
});

test("two headers are read as one, and a long one is answered at once", async () => {
  await people.database.pool.query("delete from sign_in_failures");
  const { port } = new URL(people.url);
  const body = JSON.stringify({ email, password: "another one entirely" });
  const lines = [
    "POST /auth/password HTTP/1.1",
    `Host: localhost:${port}`,
    "Sec-Fetch-Site: same-origin",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
    `X-Forwarded-For: ${"1.1.1.1, ".repeat(1000)}203.0.113.20`,
    "X-Forwarded-For: 203.0.113.21",
  ];

  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(Buffer.from(chunk))).on("error", reject);
    socket.on("end", () => resolve(Buffer.concat(chunks).toString()));
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  });

  const { rows } = await people.database.pool.query(lastAddress);
  expect(text).toMatch(/^HTTP\/1.1 401/);
  expect(rows[0].address).toBe("203.0.113.21");
});
