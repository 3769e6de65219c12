import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { webhookSignatureHeader } from "../post-webhook.ts";
import { readBody } from "../read-body.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../start-simulated-provider.ts";
import { redirectUri } from "../testing/code-flow.ts";

function startProvider(contacts = 10): Promise<SimulatedProvider> {
  return startSimulatedProvider({ redirectUris: [redirectUri], contacts });
}

function call(
  provider: SimulatedProvider,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${provider.apiKey}`);
  return fetch(provider.apiUrl + path, { ...init, headers });
}

interface ContactPage {
  readonly contacts: readonly { id: string; updated_at: string; title: string }[];
  readonly next_cursor: string | null;
}

// The answer is JSON of the API under test; the tests assert on each field they use.
async function readPage(response: Response): Promise<ContactPage> {
  return (await response.json()) as ContactPage;
}

async function listAll(provider: SimulatedProvider, query = ""): Promise<ContactPage["contacts"]> {
  const all: ContactPage["contacts"][number][] = [];
  let cursor: string | null = null;
  do {
    const at: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await readPage(await call(provider, `/contacts?limit=200${query}${at}`));
    all.push(...page.contacts);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

function sendJson(method: string, value: unknown): RequestInit {
  return { method, body: JSON.stringify(value), headers: { "content-type": "application/json" } };
}

test("refuses calls without a valid token or key with a JSON 401", async () => {
  await using provider = await startProvider();

  const missing = await fetch(`${provider.apiUrl}/contacts`);
  const wrong = await fetch(`${provider.apiUrl}/me`, { headers: { authorization: "Bearer nope" } });
  const wrongKey = await fetch(`${provider.apiUrl}/me`, { headers: { "x-api-key": "nope" } });

  expect([missing.status, wrong.status, wrongKey.status]).toEqual([401, 401, 401]);
  expect(await missing.json()).toMatchObject({ error: "invalid_token" });
  expect(wrong.headers.get("www-authenticate")).toContain("invalid_token");
  expect(provider.journal).toMatchObject({ apiCalls: 3, apiRefusals: 3 });
});

test("accepts the API key as a bearer token and in X-Api-Key", async () => {
  await using provider = await startProvider();

  const bearer = await call(provider, "/me");
  const header = await fetch(`${provider.apiUrl}/me`, {
    headers: { "x-api-key": provider.apiKey },
  });

  expect([bearer.status, header.status]).toEqual([200, 200]);
  expect(provider.journal).toMatchObject({ apiCalls: 2, apiRefusals: 0 });
});

test("pages through all contacts once each", async () => {
  await using provider = await startProvider(450);

  const contacts = await listAll(provider);

  expect(contacts).toHaveLength(450);
  expect(new Set(contacts.map((contact) => contact.id)).size).toBe(450);
  expect(JSON.stringify(contacts).length / 450).toBeGreaterThan(250);
  expect(JSON.stringify(contacts).length / 450).toBeLessThan(400);
});

test("is the same for the same seed and different for another", async () => {
  await using one = await startProvider(50);
  await using same = await startProvider(50);
  await using other = await startSimulatedProvider({
    redirectUris: [redirectUri],
    contacts: 50,
    seed: 2,
  });

  expect(await listAll(same)).toEqual(await listAll(one));
  expect(await listAll(other)).not.toEqual(await listAll(one));
  expect(same.oauth.clientSecret).toBe(one.oauth.clientSecret);
  expect(other.oauth.clientSecret).not.toBe(one.oauth.clientSecret);
});

test("shows changed, added and removed contacts, and only those since a time", async () => {
  await using provider = await startProvider(300);
  const before = await listAll(provider);
  const lastUpdate =
    before
      .map((contact) => contact.updated_at)
      .sort()
      .at(-1) ?? "";

  const changes = provider.changeContacts({ changed: 7, added: 5, removed: 3 });

  const after = await listAll(provider);
  const since = await listAll(provider, `&updated_since=${lastUpdate}`);
  const titles = new Map(before.map((contact) => [contact.id, contact.title]));
  const changed = after.filter(
    (contact) => (titles.get(contact.id) ?? contact.title) !== contact.title,
  );
  const ids = new Set(after.map((contact) => contact.id));
  expect(after).toHaveLength(302);
  expect(provider.contactCount).toBe(302);
  expect(changed.map((contact) => contact.id).sort()).toEqual([...changes.changed].sort());
  expect(changes.added.every((id) => ids.has(id) && !titles.has(id))).toBe(true);
  expect(changes.removed.some((id) => ids.has(id))).toBe(false);
  // `updated_since` is inclusive: the last contact of before comes along if it was not touched.
  const touched = new Set([...changes.changed, ...changes.added]);
  expect(since.filter((contact) => touched.has(contact.id))).toHaveLength(12);
  expect(since.filter((contact) => !touched.has(contact.id)).length).toBeLessThanOrEqual(1);
});

test("creates, reads, merges, replaces and deletes a contact", async () => {
  await using provider = await startProvider(2);

  const created = await call(
    provider,
    "/contacts",
    sendJson("POST", { name: "Ida", email: "i@x.example", city: "Riga" }),
  );
  const path = "/contacts/con_0000003";
  const merged = await call(provider, path, sendJson("PATCH", { company: "Anchor" }));
  const replaced = await call(
    provider,
    path,
    sendJson("PUT", { name: "Ida B", email: "b@x.example" }),
  );
  const deleted = await call(provider, path, { method: "DELETE" });
  const gone = await call(provider, path);

  expect(created.status).toBe(201);
  expect(await created.json()).toMatchObject({ id: "con_0000003", name: "Ida", notes: "" });
  expect(await merged.json()).toMatchObject({ name: "Ida", city: "Riga", company: "Anchor" });
  expect(await replaced.json()).toMatchObject({
    id: "con_0000003",
    name: "Ida B",
    city: "",
    company: "",
  });
  expect([deleted.status, gone.status]).toEqual([204, 404]);
});

test.each([
  ["GET", "/contacts?limit=201", undefined, 400],
  ["GET", "/contacts?limit=x", undefined, 400],
  ["GET", "/contacts?cursor=bm8", undefined, 400],
  ["GET", "/contacts?updated_since=yesterday", undefined, 400],
  ["POST", "/contacts", "{", 400],
  ["POST", "/contacts", '{"name":"no email"}', 400],
  ["POST", "/contacts", '{"name":1,"email":"x"}', 400],
  ["DELETE", "/contacts", undefined, 405],
  ["GET", "/nothing", undefined, 404],
  ["GET", "/contacts/con_0000001/notes", undefined, 404],
  ["GET", "/status/99", undefined, 400],
  ["GET", "/status/418", undefined, 418],
  ["GET", "/status/204", undefined, 204],
])("answers %s %s (body %s) with %i", async (method, path, body, status) => {
  await using provider = await startProvider(1);

  const response = await call(provider, path, { method, ...(body === undefined ? {} : { body }) });

  expect(response.status).toBe(status);
});

test("echoes method, path, query, headers and every byte of the body", async () => {
  await using provider = await startProvider(1);
  const body = randomBytes(3 * 1024 * 1024);

  const response = await call(provider, "/echo/a%2Fb?x=1&x=2&y=%C3%A4", {
    method: "PUT",
    body,
    headers: { "x-extra": "yes" },
  });

  const answer = await response.json();
  expect(answer).toMatchObject({
    method: "PUT",
    path: "/api/echo/a%2Fb?x=1&x=2&y=%C3%A4",
    query: [
      ["x", "1"],
      ["x", "2"],
      ["y", "ä"],
    ],
    headers: { "x-extra": "yes" },
    body: {
      length: body.length,
      sha256: createHash("sha256").update(body).digest("hex"),
      base64: body.subarray(0, 1024 * 1024).toString("base64"),
    },
  });
});

test("streams the asked number of chunks", async () => {
  await using provider = await startProvider(1);

  const response = await call(provider, "/stream?chunks=3&delay_ms=5");

  expect(response.headers.get("content-length")).toBeNull();
  expect(await response.text()).toBe("chunk 1 of 3\nchunk 2 of 3\nchunk 3 of 3\n");
});

test("fails the first calls of each key with Retry-After, then answers", async () => {
  await using provider = await startProvider(1);

  const first = await call(provider, "/flaky?fail=2&key=a");
  const second = await call(provider, "/flaky?fail=2&key=a&status=429&retry_after=7");
  const third = await call(provider, "/flaky?fail=2&key=a");
  const otherKey = await call(provider, "/flaky?fail=2&key=b");

  expect([first, second, third, otherKey].map((answer) => answer.status)).toEqual([
    503, 429, 200, 503,
  ]);
  expect(first.headers.get("retry-after")).toBe("1");
  expect(second.headers.get("retry-after")).toBe("7");
  expect(await third.json()).toEqual({ attempt: 3 });
});

test("sends a webhook whose signature covers the exact body", async () => {
  await using provider = await startProvider(1);
  const receiver = createServer();
  const received = once(receiver, "request").then(async ([request, response]) => {
    const body = await readBody(request, 1024);
    response.writeHead(202).end();
    return { body, signature: request.headers[webhookSignatureHeader] };
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  const sent = await provider.sendWebhook(`http://127.0.0.1:${port}/hook`, {
    type: "contact.updated",
    data: { id: "con_0000001" },
  });
  const { body, signature } = await received;
  receiver.close();

  const expected = createHmac("sha256", provider.webhookSecret)
    .update(body ?? "")
    .digest("hex");
  expect(sent).toEqual({ id: "evt_0000001", status: 202 });
  expect(signature).toBe(`sha256=${expected}`);
  expect(JSON.parse(String(body))).toMatchObject({ id: "evt_0000001", type: "contact.updated" });
  expect(provider.journal.webhooksSent).toBe(1);
});

test("gives the journal by value", async () => {
  await using provider = await startProvider(1);
  const before = provider.journal;

  await call(provider, "/me");

  expect(before.apiCalls).toBe(0);
  expect(provider.journal.apiCalls).toBe(1);
});

test("closes while a slow stream is open, and a second close does no harm", async () => {
  const provider = await startProvider(1);
  const response = await call(provider, "/stream?chunks=3&delay_ms=60000");

  await provider.close();
  await provider.close();

  await expect(response.text()).rejects.toThrow();
  await expect(fetch(provider.origin)).rejects.toThrow();
});
