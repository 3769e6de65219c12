import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { flatNames } from "./deprecated/flat-names.ts";
import { positionalMethods } from "./deprecated/positional-methods.ts";
import { Jackfield, JackfieldError } from "./index.ts";
import { calls } from "./testing/calls.ts";
import { positionalCalls } from "./testing/positional-calls.ts";
import { recordCall } from "./testing/record-call.ts";
import { type StubPlatform, startStubPlatform } from "./testing/stub-platform.ts";

let platform: StubPlatform;
let jackfield: Jackfield;
beforeAll(async () => {
  platform = await startStubPlatform();
  jackfield = new Jackfield({ apiKey: "key", host: `${platform.url}/` });
});
afterAll(async () => await platform[Symbol.asyncDispose]());
beforeEach(() => {
  platform.seen.length = 0;
});

const all = [...calls, ...positionalCalls];

test.each(all)("%s calls the route of the contract", async (_name, call, line, body) => {
  await call(jackfield);

  const [request] = platform.seen;
  expect(`${request?.method} ${request?.url}`).toBe(line);
  expect(request?.headers.authorization).toBe("Bearer key");
  expect(request?.body === "" ? undefined : JSON.parse(request?.body ?? "")).toEqual(body);
});

test("each deprecated name makes the call of the method that it stands for", async () => {
  const made = calls.map(([, call]) => recordCall(call));
  const wanting = new Set<string>(unsampled);

  for (const [name, path] of Object.entries(flatNames)) {
    if (wanting.delete(path)) continue;
    const sample = made.find((call) => call.path === path);
    expect(sample, `a sample call of ${path}`).toBeDefined();
    await sample?.make(jackfield, path);
    await sample?.make(jackfield, name);
    const [first, second] = platform.seen.splice(0);
    expect([first?.method, first?.url, first?.body, first?.headers["connection-id"]]).toEqual([
      second?.method,
      second?.url,
      second?.body,
      second?.headers["connection-id"],
    ]);
  }
  expect([...wanting]).toEqual([]);
});

/** Tried in tests of their own. */
const unsampled = ["connectSessions.wait", "records.pages"];

test("each method with arguments in a row has a sample call, or is tried below", () => {
  const sampled = positionalCalls.map(([name]) => name);

  expect(Object.keys(positionalMethods).filter((name) => !sampled.includes(name))).toEqual([
    "getToken",
    "getRawTokenResponse",
    "getMetadata",
  ]);
});

test("the README lists each method under its namespace", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const listed = [...readme.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name, methods = ""]) => [
    name,
    [...methods.matchAll(/`(\w+)`/g)].map(([, method]) => method).toSorted(),
  ]);

  const namespaces = Object.entries(jackfield).map(([name, namespace]) => [
    name,
    Object.getOwnPropertyNames(Object.getPrototypeOf(namespace))
      .filter((method) => method !== "constructor")
      .toSorted(),
  ]);

  expect(namespaces.length).toBeGreaterThan(30);
  expect(Object.fromEntries(listed)).toMatchObject(Object.fromEntries(namespaces));
});

test("needs a key, takes it under its older name too, and says where it looks", async () => {
  expect(() => new Jackfield({})).toThrow("Pass the key of an environment as `apiKey`.");
  await new Jackfield({ secretKey: "old", host: platform.url }).integrations.list();
  expect(platform.seen[0]?.headers.authorization).toBe("Bearer old");
});

const failure = { code: "not_found", message: "No.", errors: [{ path: ["a"] }] };

test("failures are typed: code, status, message, details", async () => {
  platform.answer({ status: 404, body: { error: failure } }, { status: 500, body: "oops" });

  const reported = await jackfield.integrations.list().catch((error: unknown) => error);
  const odd = await jackfield.integrations.list().catch((error: unknown) => error);

  expect(reported).toBeInstanceOf(JackfieldError);
  expect(reported).toMatchObject({ ...failure, status: 404 });
  expect(odd).toMatchObject({ code: "unexpected_answer", status: 500 });
});

test("tries reads again when a failure passes, never more than three times", async () => {
  platform.answer({ hangUp: true }, { status: 503, body: {} }, { body: { configs: [1] } });
  const third = await jackfield.integrations.list();
  platform.answer({ status: 502 }, { status: 503 }, { status: 504 });
  const given = await jackfield.integrations.list().catch((error: unknown) => error);

  expect(third).toEqual({ configs: [1] });
  expect(given).toMatchObject({ status: 504 });
  expect(platform.seen).toHaveLength(6);
});

test("tries changes again only with an idempotency key, and sends the same one", async () => {
  const body = { provider: "p", unique_key: "k" };
  platform.answer({ status: 503, body: { error: { code: "overloaded" } } });
  const once = await jackfield.integrations.create(body).catch((error: unknown) => error);
  platform.answer({ hangUp: true }, { body: { data: 1 } });
  const twice = await jackfield.integrations.create(body, { idempotencyKey: "i-1" });

  expect(once).toMatchObject({ code: "overloaded", status: 503 });
  expect(twice).toEqual({ data: 1 });
  expect(platform.seen.map(({ headers }) => headers["idempotency-key"])).toEqual([
    undefined,
    "i-1",
    "i-1",
  ]);
});

test("says when the server cannot be reached, and stops when asked to", async () => {
  // Nothing listens there any more.
  const closed = await startStubPlatform();
  await closed[Symbol.asyncDispose]();
  const nowhere = new Jackfield({ apiKey: "key", host: closed.url });
  const stopped = AbortSignal.abort(new Error("stop"));

  await expect(nowhere.integrations.list()).rejects.toMatchObject({
    code: "network_error",
    message: expect.stringContaining("ECONNREFUSED"),
    cause: { cause: { code: "ECONNREFUSED" } },
  });
  await expect(jackfield.connectSessions.create({}, { signal: stopped })).rejects.toThrow("stop");
});

test("goes through records page by page", async () => {
  platform.answer(
    { body: { records: [{ id: "1" }], next_cursor: "n 1" } },
    { body: { records: [{ id: "2" }], next_cursor: null } },
  );
  const query = { providerConfigKey: "crm", connectionId: "c", model: "Contact" };

  const ids: string[] = [];
  for await (const { records } of jackfield.records.pages<{ name: string }>(query)) {
    ids.push(...records.map(({ id }) => id));
  }

  expect(ids).toEqual(["1", "2"]);
  expect(platform.seen.map(({ url }) => url)).toEqual([
    "/records?model=Contact",
    "/records?model=Contact&cursor=n+1",
  ]);
  expect(platform.seen[0]?.headers).toMatchObject({
    "provider-config-key": "crm",
    "connection-id": "c",
  });
});

test("follows a feed behind its last event where it breaks off", async () => {
  const line = (type: string, cursor: string, rest = {}) =>
    `${JSON.stringify({ type, cursor, ...rest })}\n`;
  const record = { record: { id: "1" } };
  platform.answer(
    { body: `${line("heartbeat", "c0")}${line("record", "c1", record)}{"type":"rec` },
    { body: line("heartbeat", "c2") },
    { status: 503, headers: { "retry-after": "0" } },
    { body: `${line("removed", "c3")}${line("end", "c4")}` },
  );

  const seen: string[] = [];
  for await (const { type, cursor } of jackfield.records.feed({ from: "now", live: false })) {
    seen.push(`${type} ${cursor}`);
  }

  expect(seen).toEqual(["record c1", "removed c3", "end c4"]);
  expect(platform.seen.map(({ url }) => url)).toEqual([
    "/records/feed?from=now&live=false",
    "/records/feed?from=now&cursor=c1&live=false",
    "/records/feed?from=now&cursor=c2&live=false",
    "/records/feed?from=now&cursor=c2&live=false",
  ]);
});

test("a feed that is refused throws", async () => {
  const error = { code: "invalid_cursor", message: "altered" };
  platform.answer({ status: 400, body: { error } });

  await expect(jackfield.records.feed({ cursor: "x" }).next()).rejects.toMatchObject(error);
});

test("gives tokens in the form that the authorization has, under old names too", async () => {
  const crm = { providerConfigKey: "crm", connectionId: "c" };
  platform.answer(
    { body: { credentials: { type: "OAUTH2", access_token: "at", raw: { a: 1 } } } },
    { body: { credentials: { raw: { a: 1 } }, metadata: null } },
    { body: { metadata: { b: 2 } } },
  );
  expect(await jackfield.connections.getToken(crm)).toBe("at");
  expect(await jackfield.connections.getRawTokenResponse(crm)).toEqual({ a: 1 });
  expect(await jackfield.connections.getMetadata(crm)).toEqual({ b: 2 });

  platform.answer(
    { body: { credentials: { type: "OAUTH2", access_token: "at", raw: { a: 1 } } } },
    { body: { credentials: { type: "BASIC", username: "u", password: "p" } } },
    { body: { credentials: { raw: { a: 1 } }, metadata: null } },
    { body: { metadata: null } },
  );

  expect(await jackfield.getToken("crm", "c")).toBe("at");
  expect(await jackfield.getToken("crm", "c")).toMatchObject({ username: "u" });
  expect(await jackfield.getRawTokenResponse("crm", "c")).toEqual({ a: 1 });
  expect(await jackfield.getMetadata("crm", "c")).toEqual({});
});

test("a key that may not read credentials gets no token, and an error that says so", async () => {
  platform.answer({ body: { metadata: null } });

  await expect(jackfield.getToken("crm", "c")).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringContaining("read_credentials"),
  });
});

test("waits for the connection of a session, with the session's own token", async () => {
  const done = { state: "success", connection_id: "c", provider_config_key: "crm" };
  const failed = { state: "error", error: { type: "window_closed", message: "Closed." } };
  platform.answer({ body: { data: { state: "waiting" } } }, { body: { data: done } });
  const result = await jackfield.connectSessions.wait("session");
  platform.answer({ body: { data: failed } });
  const refused = jackfield.waitForConnection("session");
  await expect(refused).rejects.toMatchObject({ code: "window_closed", message: "Closed." });
  platform.answer({ body: { data: { state: "waiting" } } });
  const late = jackfield.waitForConnection("session", { timeout: 0 });
  await expect(late).rejects.toMatchObject({ code: "timeout" });

  expect(result).toEqual({ connectionId: "c", providerConfigKey: "crm", isPending: false });
  expect(platform.seen[0]?.headers.authorization).toBe("Bearer session");
});

test("waits for an async action while it is pending, and not for an unknown one", async () => {
  const pending = { status: 404, headers: { "retry-after": "1" }, body: { error: failure } };
  platform.answer(pending, { body: { done: true } });
  const output = await jackfield.actions.getResult({ statusUrl: "/action/i" }, { waitFor: 5000 });
  platform.answer({ status: 404, body: { error: failure } });
  const unknown = jackfield.actions.getResult({ id: "i" }, { waitFor: 5000 });
  await expect(unknown).rejects.toMatchObject({ code: "not_found" });
  platform.answer(pending);
  await expect(jackfield.actions.getResult({ id: "i" })).rejects.toMatchObject({ status: 404 });

  expect(output).toEqual({ done: true });
  expect(platform.seen).toHaveLength(4);
});
