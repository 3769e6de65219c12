import { gunzipSync } from "node:zlib";
import { listProviders } from "@jackfield/catalogue";
import { providerRoutes } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestApp, testApp } from "#testing";
import { providers } from "./slice.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({ slices: [providers] });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

async function get(url: string) {
  const answer = await app.server.inject({ url });
  return { status: answer.statusCode, body: answer.json() };
}

test("every entry of the catalogue is listed in the shape of the contract", async () => {
  const { status, body } = await get("/providers");

  expect(status).toBe(200);
  expect(providerRoutes.listProviders.success.schema.safeParse(body).error).toBeUndefined();
  for (const { docs } of body.data) expect(docs).toMatch(/^https?:\/\//);
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(
    listProviders().map(({ id }) => id),
  );
});

test("every provider has a page of documentation, for developers and for end users", async () => {
  const { body } = await get("/providers");

  const without = body.data.filter(
    ({ docs, docs_connect }: Record<string, string>) =>
      docs?.startsWith("https://") !== true || docs_connect?.startsWith("https://") !== true,
  );
  expect(without).toEqual([]);
});

test("the fields of a form are numbered from 1", async () => {
  const { body } = await get("/providers");

  for (const { credentials, connection_config, integration_config } of body.data) {
    for (const fields of [credentials, connection_config, integration_config]) {
      const orders = Object.values<{ order: number }>(fields).map(({ order }) => order);
      expect(orders).toEqual(orders.map((_order, index) => index + 1));
    }
  }
});

test("the catalogue is open to read, by id", async () => {
  const { status, body } = await get("/providers.json");

  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(listProviders().map(({ id }) => id));
  // What depends on the server is left to the answer for one provider.
  const { callback_url, integration_credentials, ...entry } = (await get("/providers/github")).body
    .data;
  expect(body["github"]).toEqual(entry);
  expect(callback_url).toMatch(/\/oauth\/callback$/);
  expect(integration_credentials).toBeDefined();
});

test.each([
  ["github", ["client_id", "client_secret", "scopes", "webhook_secret"]],
  // Its client may have to sign, by a setting.
  [
    "oauth2-generic",
    [
      ...["client_id", "client_secret", "scopes", "webhook_secret"],
      ...["client_private_key", "client_certificate"],
    ],
  ],
  ["github-app", ["app_id", "app_link", "private_key"]],
  ["stripe-api-key", undefined],
])("%s says which credentials an integration has of its own", async (id, names) => {
  const { integration_credentials: fields } = (await get(`/providers/${id}`)).body.data;

  expect(fields && Object.keys(fields)).toEqual(names);
  for (const { title, description } of Object.values<Record<string, string>>(fields ?? {})) {
    expect([title, description]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  }
});

test("the list is compressed for who takes gzip, and not sent again to who has it", async () => {
  const plain = await app.server.inject({ url: "/providers" });
  const tag = String(plain.headers["etag"]);
  const ask = async (headers: Record<string, string>) =>
    await app.server.inject({ url: "/providers", headers });

  const small = await ask({ "accept-encoding": "br, gzip;q=0.8" });
  const refused = await ask({ "accept-encoding": "gzip;q=0, identity" });
  const known = await ask({ "if-none-match": `"other", ${tag}`, "accept-encoding": "gzip" });
  const changed = await ask({ "if-none-match": '"other"' });

  expect(small.headers).toMatchObject({ "content-encoding": "gzip", etag: tag });
  expect(gunzipSync(small.rawPayload).toString()).toBe(plain.payload);
  expect(small.rawPayload.length).toBeLessThan(plain.payload.length / 5);
  expect(refused.headers["content-encoding"]).toBeUndefined();
  expect([known.statusCode, known.payload]).toEqual([304, ""]);
  expect([changed.statusCode, changed.payload.length]).toEqual([200, plain.payload.length]);
  expect(plain.headers["cache-control"]).toBe("private, no-cache");
});

test("a summary names each provider with what a list shows", async () => {
  const full = await get("/providers");
  const { status, body } = await get("/providers?fields=summary");

  expect(status).toBe(200);
  expect(providerRoutes.listProviders.success.schema.safeParse(body).error).toBeUndefined();
  expect(body.data).toHaveLength(full.body.data.length);
  const { name, auth_mode, categories, connect_method } = full.body.data[0];
  expect(body.data[0]).toMatchObject({ name, auth_mode, categories, connect_method });
  expect(body.data[0]).not.toHaveProperty("credentials");
});

test("a search finds names regardless of their case", async () => {
  const { body } = await get("/providers?search=HUBspot");

  expect(body.data[0]).toMatchObject({
    name: "hubspot",
    display_name: "HubSpot",
    auth_mode: "OAUTH2",
    authorization_url: "https://app.hubspot.com/oauth/authorize",
    token_url: "https://api.hubapi.com/oauth/2026-03/token",
    logo_url: "http://127.0.0.1:3003/images/template-logos/hubspot.svg",
    proxy: { base_url: "https://api.hubapi.com" },
  });
});

test("a provider tells which fields it asks for, with placeholders as the API spells them", async () => {
  const { body } = await get("/providers/oauth2-cc-generic");

  expect(body.data.credentials).toMatchObject({
    client_id: { type: "string", title: "Client ID" },
    client_secret: { type: "string", title: "Client secret", secret: true },
  });
  expect(body.data.integration_config.token_auth_method).toMatchObject({
    default_value: "client_secret_post",
    enum: expect.arrayContaining(["client_secret_basic"]),
  });
  expect(body.data.token_url).toMatch(/^\$\{integrationConfig\.token_url\}$/);
});

test("fields of the mode stand in where the entry declares none", async () => {
  const { body } = await get("/providers/private-api-basic");

  expect(body.data.credentials).toMatchObject({
    username: { type: "string" },
    password: { type: "string", secret: true },
  });
});

test("an unknown provider and a bad search are reported", async () => {
  const unknown = await get("/providers/nope");
  const bad = await get("/providers?search=%3Cb%3E");
  const parameter = await get("/providers?limit=1");

  expect([unknown.status, unknown.body.error.code]).toEqual([404, "not_found"]);
  expect([bad.status, bad.body.error.errors[0].path]).toEqual([400, ["search"]]);
  expect(parameter.status).toBe(400);
});

test("a logo is an image of the provider's own that can be kept, and can do nothing else", async () => {
  const url = "/images/template-logos/private-api-bearer.svg";
  const github = "/images/template-logos/github.svg";

  const [answer, again, other] = await Promise.all(
    [url, url, "/images/template-logos/no-such_provider.svg"].map((path) =>
      app.server.inject({ url: path }),
    ),
  );
  const [named, icon, namedIcon] = await Promise.all(
    [`${url}?name=Harbor%20%3CCRM`, github, `${github}?name=Harbor`].map((path) =>
      app.server.inject({ url: path }),
    ),
  );
  const kept = await app.server.inject({
    url,
    headers: { "if-none-match": String(answer?.headers["etag"]) },
  });

  expect(answer?.statusCode).toBe(200);
  expect(answer?.headers).toMatchObject({
    "content-type": "image/svg+xml; charset=utf-8",
    "cache-control": "public, max-age=86400",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(/^default-src 'none';.*sandbox$/),
  });
  expect(answer?.body).toMatch(/^<svg .*<\/svg>$/s);
  expect(again?.body).toBe(answer?.body);
  expect(named?.body).toContain(">HC</text>");
  expect(named?.body).not.toContain("<CRM");
  expect(icon?.body).toContain("<path");
  expect(namedIcon?.body).toBe(icon?.body);
  expect([other?.statusCode, other?.body === answer?.body]).toEqual([200, false]);
  expect([kept.statusCode, kept.body]).toEqual([304, ""]);
});

test.each(["../secret.svg", "a%2Fb.svg", "a.png", "<script>.svg"])(
  "no logo is at %s",
  async (file) => {
    const answer = await app.server.inject({ url: `/images/template-logos/${file}` });

    expect([400, 404]).toContain(answer.statusCode);
    expect(answer.body).not.toContain("<script>");
  },
);
