import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type LookupFunction } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { HOUR, MINUTE } from "../clock.ts";
import { AppError } from "../errors.ts";
import { createLogger } from "../logger/index.ts";
import { createEgress, type EgressOptions } from "./create-egress.ts";
import type { EgressRequest } from "./egress.ts";
import { closedAddresses } from "./testing/index.ts";
import { toUpstreamError } from "./upstream-error.ts";

const log = createLogger("silent");
const call = { method: "GET", timeoutMs: 10_000, maxResponseBytes: 1000 };

function open(options: Partial<EgressOptions> = {}) {
  const egress = createEgress({ allow: [], log, ...options });
  onTestFinished(async () => await egress[Symbol.asyncDispose]());
  return egress;
}

/** A resolver whose answers are taken from the list in turn; the last one stays. */
function resolver(...answers: string[][]): LookupFunction & { asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, _options, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    setImmediate(() => callback(null, found));
  };
  return Object.assign(lookup, { asked });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return String(portOf(server.address()));
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("connects to no private address, however it is written", async () => {
  let connections = 0;
  const trap = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => trap.listen(0, "127.0.0.1", done));
  onTestFinished(() => void trap.close());
  const port = String(portOf(trap.address()));
  const egress = open({ lookup: resolver(["127.0.0.1"]) });

  const passed: string[] = [];
  for (const [name, form] of closedAddresses) {
    const request = egress.request({ ...call, url: form.replace("PORT", port) });
    const code = await request.then(() => "answered", codeOf);
    if (code !== "destination_not_allowed") passed.push(`${name}: ${code}`);
  }

  expect(passed).toEqual([]);
  expect(connections).toBe(0);
});

test("dispatch to a private address fails without a connection", async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end());
  server.on("connection", () => {
    connections += 1;
  });
  const port = await listen(server);
  const egress = open({ lookup: resolver(["127.0.0.1"]) });
  const origins = ["127.0.0.1", "localhost", "inside.example", "[::ffff:127.0.0.1]", "2130706433"];

  const codes = await Promise.all(
    origins.map(async (host) => await dispatch(egress, `http://${host}:${port}`)),
  );

  expect(codes).toEqual(origins.map(() => "destination_not_allowed"));
  expect(await dispatch(egress, `http://user:x@public.example:${port}`)).toBe(
    "destination_not_allowed",
  );
  expect(await dispatch(egress, `ftp://public.example:${port}`)).toBe("destination_not_allowed");
  expect(connections).toBe(0);
});

test("a name with one private address among public ones is refused", async () => {
  const egress = open({ lookup: resolver(["192.0.43.8", "10.0.0.1"]) });

  const code = await egress.request({ ...call, url: "http://mixed.example/" }).catch(codeOf);

  expect(code).toBe("destination_not_allowed");
});

test("connects to the address that was checked, not to a later answer", async () => {
  const port = await listen(createServer((_request, response) => response.end("checked")));
  const lookup = resolver(["127.0.0.1"], ["10.255.255.1"]);
  const egress = open({ allow: ["127.0.0.1/32"], lookup });

  const answer = await egress.request({ ...call, url: `http://rebinding.example:${port}/` });

  expect(answer.body.toString()).toBe("checked");
  expect(lookup.asked).toEqual(["rebinding.example"]);
});

test("a name that leads elsewhere on the next connection is checked again", async () => {
  const server = createServer((_request, response) =>
    response.setHeader("connection", "close").end("first"),
  );
  const port = await listen(server);
  const egress = open({ allow: ["127.0.0.1"], lookup: resolver(["127.0.0.1"], ["127.0.0.2"]) });
  const url = `http://rebinding.example:${port}/`;

  await egress.request({ ...call, url });

  expect(await egress.request({ ...call, url }).catch(codeOf)).toBe("destination_not_allowed");
});

test.each([
  ["a range", ["127.0.0.0/8"], "http://127.0.0.1"],
  ["a range, asked by name", ["127.0.0.0/8"], "http://localhost"],
  ["an address", ["127.0.0.1"], "http://127.0.0.1"],
  ["an address, written as IPv4-mapped", ["127.0.0.1"], "http://[::ffff:127.0.0.1]"],
  ["a host", ["Inside.example"], "http://inside.EXAMPLE."],
  ["a suffix", ["*.corp.example"], "http://a.b.corp.example"],
])("the operator opens %s", async (_name, allow, origin) => {
  const port = await listen(
    createServer((request, response) => response.end(request.headers.host)),
  );
  const egress = open({ allow, lookup: resolver(["::1", "127.0.0.1"]) });
  const url = `${origin}:${port}/`;

  await egress.requireAllowedUrl(url);
  const answer = await egress.request({ ...call, url });

  expect(answer.body.toString()).toBe(new URL(url).host);
});

test("a suffix opens no other name and not the bare domain", async () => {
  const egress = open({ allow: ["*.corp.example"], lookup: resolver(["127.0.0.1"]) });
  const others = ["http://corp.example/", "http://evilcorp.example/", "http://a.corp.example.net/"];

  const codes = await Promise.all(
    others.map(async (url) => await egress.request({ ...call, url }).catch(codeOf)),
  );

  expect(codes).toEqual(others.map(() => "destination_not_allowed"));
});

test("a URL is judged without connecting or resolving", async () => {
  const lookup = resolver(["127.0.0.1"]);
  const egress = open({ lookup });

  await egress.requireAllowedUrl("https://any.example/path");
  await egress.requireAllowedUrl("https://8.8.8.8/");

  await expect(egress.requireAllowedUrl("https://[fd00::1]/")).rejects.toThrow(
    "fd00::1 is a private or reserved address; the operator can open it with SVC_EGRESS_ALLOW.",
  );
  await expect(egress.requireAllowedUrl("ftp://any.example/")).rejects.toThrow(AppError);
  expect(lookup.asked).toEqual([]);
});

test("returns redirects as answers", async () => {
  const server = createServer((_request, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  );
  const port = await listen(server);
  const egress = open({ allow: ["127.0.0.1"] });

  const answer = await egress.request({ ...call, url: `http://127.0.0.1:${port}/` });

  expect(answer.status).toBe(302);
  expect(answer.headers["location"]).toBe("http://169.254.169.254/");
});

test("an answer past the size limit is refused", async () => {
  const port = await listen(createServer((_request, response) => response.end("x".repeat(1001))));
  const egress = open({ allow: ["127.0.0.1"] });
  const request: EgressRequest = { ...call, url: `http://127.0.0.1:${port}/` };

  await expect(egress.request(request)).rejects.toThrow("larger than 1000 bytes");
  const answer = await egress.request({ ...request, maxResponseBytes: 1001 });
  expect(answer.body.byteLength).toBe(1001);
});

test("the deadline covers the whole answer", async () => {
  const port = await listen(
    createServer((_request, response) => void response.write("first part")),
  );
  const egress = open({ allow: ["127.0.0.1"] });

  const code = await egress
    .request({ ...call, timeoutMs: 50, url: `http://127.0.0.1:${port}/` })
    .catch(codeOf);

  expect(code).toBe("upstream_timeout");
});

test("the caller's own signal ends the request with its reason", async () => {
  const leave = new AbortController();
  const port = await listen(createServer(() => leave.abort(new Error("the caller has gone"))));
  const egress = open({ allow: ["127.0.0.1"] });

  const request = egress.request({
    ...call,
    url: `http://127.0.0.1:${port}/`,
    signal: leave.signal,
  });

  await expect(request).rejects.toThrow("the caller has gone");
});

test("all addresses of a name are asked for, as the one that a resolver prefers says little", async () => {
  const port = await listen(createServer((_request, response) => response.end("reached")));
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    if (all === true) callback(null, [{ address: "127.0.0.1", family: 4 }]);
    else callback(null, "10.255.255.1", 4);
  };
  const egress = open({ allow: ["127.0.0.1"], lookup });

  const answer = await egress.request({ ...call, url: `http://any.example:${port}/` });

  expect(answer.body.toString()).toBe("reached");
});

test("requests one after the other share connections", async () => {
  const server = createServer((_request, response) => response.end());
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const egress = open({ allow: ["127.0.0.1"] });

  for (let sent = 0; sent < 5; sent += 1) await egress.request({ ...call, url });

  // The next may come before the one that is used is free.
  expect(connections).toBeLessThan(3);
});

test("an answer may begin late: only the deadline of the whole counts", async () => {
  const server = createServer((_request, response) => void setTimeout(() => response.end(), 2000));
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const egress = open({ allow: ["127.0.0.1"], headersTimeoutMs: 10, idleTimeoutMs: 10 });

  const answer = await egress.request({ ...call, url });

  expect(answer.status).toBe(200);
});

test("a server's clock is noted from its answers, and kept by those that do not tell the time", async () => {
  let date: string | undefined = new Date(Date.now() + HOUR).toUTCString();
  const server = createServer((_request, response) => {
    response.sendDate = false;
    if (date !== undefined) response.setHeader("date", date);
    response.end();
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const egress = open({ allow: ["127.0.0.1"] });

  await egress.request({ ...call, url });
  const noted = egress.servers.find(url).clockAheadMs;
  date = undefined;
  await egress.request({ ...call, url });

  expect(Math.abs(noted - HOUR)).toBeLessThan(MINUTE);
  expect(egress.servers.find(url).clockAheadMs).toBe(noted);
});

test.each([
  ["http://127.0.0.1/", ["127.0.0.0/8"], true],
  ["http://[::1]/", ["::1"], true],
  ["http://127.0.0.1/", ["10.0.0.0/8"], false],
  ["http://8.8.8.8/", ["127.0.0.0/8"], false],
  ["http://localhost/", ["127.0.0.1"], true],
  ["http://app.localhost/", ["localhost"], false],
  ["http://localhost/", ["10.0.0.1"], false],
  ["http://crm.internal/", ["crm.internal"], true],
  ["http://crm.internal/", ["127.0.0.1"], false],
])("whether the operator has opened %s by %j: %s", (url, allow, isOpened) => {
  expect(open({ allow }).isOpened(url)).toBe(isOpened);
});

test("an origin that the server opens is opened at its port alone", () => {
  const egress = open({ origins: new Set(["http://127.0.0.1:4010"]) });

  expect(egress.isOpened("http://127.0.0.1:4010/path")).toBe(true);
  expect(egress.isOpened("http://127.0.0.1:4011/path")).toBe(false);
});

test("each kind of failure has its own code", async () => {
  const port = await listen(createServer((_request, response) => response.end()));
  const lookup: LookupFunction = (_hostname, _options, callback) =>
    callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
  const egress = open({ allow: ["127.0.0.1"], lookup });
  const code = async (url: string) => await egress.request({ ...call, url }).catch(codeOf);

  expect(await code("http://missing.example/")).toBe("upstream_dns_error");
  expect(await code(`https://127.0.0.1:${port}/`)).toBe("upstream_tls_error");
  expect(await code("http://127.0.0.1:1/")).toBe("upstream_unreachable");
  expect(toUpstreamError(new TypeError("odd"), "host.example").code).toBe("upstream_unreachable");
});

test("a malformed item of the allow list stops the start", () => {
  expect(() => createEgress({ allow: ["10.0.0.0/99"], log })).toThrow();
});

function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : String(error);
}

async function dispatch(egress: ReturnType<typeof open>, origin: string): Promise<string> {
  return await new Promise<string>((done) => {
    egress.dispatch(
      { origin, path: "/", method: "GET" },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: () => done("answered"),
        onResponseError: (_controller, error) => done(codeOf(error)),
      },
    );
  });
}
