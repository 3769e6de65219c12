import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createNameAliases } from "./create-name-aliases.ts";
import { respell, soleSpelling, spellingsOf } from "./spelling.ts";
import { addKey, type GatewayServer, startGateway } from "./testing/gateway-server.ts";

let installation: TestContext;
let gateway: GatewayServer;
beforeAll(async () => {
  installation = await createTestContext();
  gateway = await startGateway(installation.ctx, { word: "acme" });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

test.each([
  ["X-Svc-Signature", "X-Acme-Signature"],
  ["x-svc-hmac-sha256", "x-acme-hmac-sha256"],
  ["_svc_metadata", "_acme_metadata"],
  ["svcYamlBody", "acmeYamlBody"],
  ["svc_connect_session_ab", "acme_connect_session_ab"],
  ["SVC_SECRET_KEY", "ACME_SECRET_KEY"],
  ["svc", "acme"],
])("spells %s as %s", (own, spelled) => {
  expect(respell(own, "acme")).toBe(spelled);
});

test("emits both spellings where both can stand, else the operator's; without a word the name alone", () => {
  const ctx = { settings: { compatPrefix: "acme" } };
  const plain = { settings: { compatPrefix: undefined } };

  expect(spellingsOf(ctx, "_svc_metadata")).toEqual(["_svc_metadata", "_acme_metadata"]);
  expect(soleSpelling(ctx, "svc")).toBe("acme");
  expect(spellingsOf(plain, "_svc_metadata")).toEqual(["_svc_metadata"]);
  expect(soleSpelling(plain, "svc")).toBe("svc");
});

test("accepts headers of the word, also in a proxied request; the contract's own win", async () => {
  const answer = await gateway.call("GET", "/pass/x", {
    headers: {
      "Acme-Proxy-X-Custom": "1",
      "acme-activity-log-id": "2",
      "svc-is-sync": "own",
      "Acme-Is-Sync": "alias",
    },
  });

  const { headers } = answer.json();
  const text = headers.map((item: string) => item.toLowerCase()).join(" ");
  expect(text).toContain("svc-proxy-x-custom 1");
  expect(text).toContain("svc-activity-log-id 2");
  expect(text).toContain("svc-is-sync own");
  expect(text).not.toContain("alias");
  expect(text).not.toContain("acme-");
});

test("accepts keys, values and body fields of the word", async () => {
  const key = (await addKey(installation.ctx)).replace("svc_", "acme_");

  const own = await gateway.call("GET", "/things/a?format=acme", { key });
  const model = await gateway.call("GET", "/things/a?format=openai", { key });
  const other = await gateway.call("GET", "/things/a?format=other", { key });
  const created = await gateway.call("POST", "/things", {
    key,
    body: { answer: "yes", acmeYamlBody: "text" },
  });

  expect(own.json()).toEqual({ id: "a", format: "svc" });
  expect(model.json()).toEqual({ id: "a", format: "llm" });
  expect(other.json()).toEqual({ id: "a", format: "other" });
  expect(created.json().body).toEqual({ answer: "yes", svcYamlBody: "text" });
});

test("without a word such names mean nothing", async () => {
  await using plain = await startGateway(installation.ctx);
  const key = (await addKey(installation.ctx)).replace("svc_", "acme_");

  const refused = await plain.call("GET", "/things/a", { key });
  const passed = await plain.call("GET", "/pass/x", { headers: { "acme-proxy-x": "1" } });

  expect(refused.json().error.code).toBe("invalid_secret_key_format");
  expect(passed.json().headers.join(" ")).toContain("acme-proxy-x");
});

test("errors carry payload and upstream as well, but those of validation", async () => {
  const { widenError } = createNameAliases("acme");
  const upstream = { status: 400, headers: {}, body: { reason: "no" } };

  expect(widenError({ code: "a", errors: [{ upstream }] })).toEqual({
    code: "a",
    errors: [{ upstream }],
    payload: { reason: "no" },
    upstream,
  });
  expect(widenError({ code: "b", errors: [{ thrown: 1 }] })).toMatchObject({
    payload: { thrown: 1 },
  });
  expect(widenError({ code: "c" })).toEqual({ code: "c", payload: {} });
  const invalid = await gateway.call("POST", "/things", { body: { answer: 1 } });
  expect(Object.keys(invalid.json().error)).toEqual(["code", "message", "errors"]);
});
