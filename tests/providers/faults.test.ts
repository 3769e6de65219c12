import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describeIntegration, startVendor, type Vendor } from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";
import { type Api, apiOf } from "../journeys/api.ts";

let api: ApiUnderTest;
let call: Api;

beforeAll(async () => {
  api = await startApi();
  call = apiOf(api.url, await api.keyOf("dev", ["environment:*"]));
});
afterAll(async () => await api[Symbol.asyncDispose]());

let count = 0;

/** An integration at the simulator, and a connection of it; both have the same name. */
async function connect(vendor: Vendor): Promise<string> {
  count += 1;
  const name = `${vendor.provider.id}-${count}`;
  await call("POST", "/integrations", {
    body: { ...describeIntegration(vendor), unique_key: name },
  });
  const made = await call("POST", "/connections", {
    body: { provider_config_key: name, connection_id: name, ...vendor.newConnection() },
  });
  expect(made.status).toBe(201);
  return name;
}

async function proxied(name: string, headers: Record<string, string> = {}) {
  return await call("GET", "/proxy/sample/thing", {
    // The one that fetch adds would continue to the vendor as the caller's own.
    headers: {
      "provider-config-key": name,
      "connection-id": name,
      "user-agent": "Jackfield",
      ...headers,
    },
  });
}

async function getConnection(name: string, query = "") {
  return await call("GET", `/connections/${name}?provider_config_key=${name}${query}`);
}

async function setFaults(vendor: Vendor, faults: object): Promise<void> {
  const answer = await fetch(`${vendor.origin}/.simulator/faults`, {
    method: "PUT",
    body: JSON.stringify(faults),
  });
  expect(answer.status).toBe(200);
}

/** A call under the vendor's own name, past the server. */
async function ask(vendor: Vendor, host: string, path: string, form?: Record<string, string>) {
  const body = form && new URLSearchParams(form).toString();
  const sent = request(`${vendor.origin}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      host,
      ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
    },
  });
  sent.end(body);
  const [answer]: IncomingMessage[] = await once(sent, "response");
  if (answer === undefined) throw new Error("there is no answer");
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

test("tokens that live for a second are renewed before they are used", async () => {
  await using vendor = await startVendor("hubspot");
  await setFaults(vendor, { token_life_s: 1 });
  const name = await connect(vendor);

  const answers = [await proxied(name), await proxied(name)];

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(vendor.countPassed("refresh")).toBeGreaterThanOrEqual(1);
  expect(vendor.refusals).toEqual([]);
});

test("after a token that ended before its time the connection continues with a new one", async () => {
  await using vendor = await startVendor("hubspot");
  const name = await connect(vendor);

  await setFaults(vendor, { expire_tokens: true });
  const refused = await proxied(name);

  expect(refused.status).toBe(401);
  await expect.poll(async () => (await proxied(name)).status, { timeout: 10_000 }).toBe(200);
  expect(vendor.countPassed("refresh")).toBe(1);
  expect(vendor.refusals).toContainEqual(
    expect.objectContaining({ stage: "call", message: "the token has ended" }),
  );
});

test.each(["keep", "omit", "rotate", "reuse_detection"] as const)(
  "a connection outlives refreshes that %s the refresh token",
  async (rotation) => {
    await using vendor = await startVendor("hubspot");
    await setFaults(vendor, { rotation });
    const name = await connect(vendor);
    const before = await getConnection(name, "&refresh_token=true");

    const refreshed = [
      await getConnection(name, "&force_refresh=true"),
      await getConnection(name, "&force_refresh=true&refresh_token=true"),
    ];

    expect(refreshed.map(({ status }) => status)).toEqual([200, 200]);
    expect(vendor.countPassed("refresh")).toBe(2);
    const isSame =
      refreshed[1]?.body.credentials.refresh_token === before.body.credentials.refresh_token;
    expect(isSame).toBe(rotation === "keep" || rotation === "omit");
    expect((await proxied(name)).status).toBe(200);
  },
);

test("a caller with a spent refresh token ends the connection", async () => {
  await using vendor = await startVendor("hubspot");
  await setFaults(vendor, { rotation: "reuse_detection" });
  const name = await connect(vendor);
  const stolen = (await getConnection(name, "&refresh_token=true")).body.credentials.refresh_token;
  await getConnection(name, "&force_refresh=true");

  const theft = await ask(vendor, "api.hubapi.com", "/oauth/2026-03/token", {
    grant_type: "refresh_token",
    refresh_token: stolen,
  });
  const after = await getConnection(name, "&force_refresh=true");

  expect([theft.status, (await proxied(name)).status >= 400]).toEqual([400, true]);
  expect(after.status).toBeGreaterThanOrEqual(400);
});

test.each([
  ["entry", "hubspot", "retry-after", /^[12]$/],
  ["entry", "github", "x-ratelimit-reset", /^\d{10}$/],
  ["retry-after-seconds", "hubspot", "retry-after", /^[12]$/],
  ["retry-after-date", "hubspot", "retry-after", / GMT$/],
  ["epoch-seconds", "github", "x-ratelimit-reset", /^\d{10}$/],
  ["epoch-ms", "github", "x-ratelimit-reset", /^\d{13}$/],
] as const)("the server waits for a limit given as %s (%s)", async (style, id, header, form) => {
  await using vendor = await startVendor(id);
  const name = await connect(vendor);
  const host = new URL(vendor.provider.base_url?.[0]?.text ?? "").host;

  await setFaults(vendor, { rate_limit: style, rate_limit_s: 1 });
  const limited = await ask(vendor, host, "/sample/thing");
  const answer = await proxied(name, { retries: "3" });

  expect(limited).toMatchObject({ status: 429 });
  expect(limited.headers[header]).toMatch(form);
  expect(answer.status).toBe(200);
  expect(vendor.countPassed("call")).toBe(1);
});

test("an error in a 200 is the caller's to see, and no token where a token was asked for", async () => {
  await using vendor = await startVendor("hubspot");
  const name = await connect(vendor);

  await setFaults(vendor, { error_in_200: true, token_error_in_200: true });
  const answer = await proxied(name);
  const refreshed = await getConnection(name, "&force_refresh=true");
  await setFaults(vendor, {});
  const later = await proxied(name);

  expect(answer).toMatchObject({ status: 200, body: { ok: false, code: 4001 } });
  expect(refreshed.status).toBeGreaterThanOrEqual(400);
  expect(later.status).toBe(200);
});

test("late, broken and failed answers reach the caller as what they are", async () => {
  await using vendor = await startVendor("hubspot");
  const name = await connect(vendor);

  await setFaults(vendor, { slow_s: 0.05 });
  const late = await proxied(name);
  await setFaults(vendor, { status: 503 });
  const failed = await proxied(name);
  await setFaults(vendor, { cut: true });
  const broken = await proxied(name).then(({ status }) => status, String);

  expect([late.status, failed.status]).toEqual([200, 503]);
  expect(String(broken)).toMatch(/terminated|fetch failed|502/);
});

test("the consent page can be cut off from its opener", async () => {
  await using vendor = await startVendor("hubspot");
  const name = await connect(vendor);
  const { body } = await call("POST", "/connect/sessions", { body: {} });
  const start = `/oauth/connect/${name}?connect_session_token=${body.data.token}`;
  const { headers } = await call("GET", start);
  const page = async () => await fetch(headers.get("location") ?? "");

  const before = await page();
  await setFaults(vendor, { coop: true });
  const after = await page();

  expect([before.status, after.status]).toEqual([200, 200]);
  expect(before.headers.get("cross-origin-opener-policy")).toBeNull();
  expect(after.headers.get("cross-origin-opener-policy")).toBe("same-origin");
});

test("another site's page cannot switch faults", async () => {
  await using vendor = await startVendor("hubspot");

  const refused = await fetch(`${vendor.origin}/.simulator/faults`, {
    method: "POST",
    headers: { "sec-fetch-site": "cross-site" },
    body: new URLSearchParams({ status: "503" }),
  });
  const faults = await (await fetch(`${vendor.origin}/.simulator/faults`)).json();

  expect(refused.status).toBe(403);
  expect(faults).not.toHaveProperty("status");
});
