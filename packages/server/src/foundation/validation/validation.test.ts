import { connectRoutes, environmentRoutes, integrationRoutes, routes } from "@jackfield/contract";
import { expect, test } from "vitest";
import * as z from "zod";
import { AppError, nearestName, parseValues } from "#foundation";

const integration = integrationRoutes.createIntegration.body;
const session = connectRoutes.createConnectSession.body;
const settings = environmentRoutes.updateEnvironmentSettings.body;
const listed = routes.listConnections.query;
const imported = routes.createConnection.body;

type Schema = Parameters<typeof parseValues>[0];
type Code = Parameters<typeof parseValues>[2]["code"];

function refusal(schema: Schema, values: unknown, code: Code): AppError {
  try {
    parseValues(schema, values, { code });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("the values were taken");
}

const crm = { provider: "github", unique_key: "crm" };
const connection = { provider_config_key: "crm", credentials: { type: "API_KEY", apiKey: "k" } };
const tooMany = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`k${n}`, "v"]));

test.each<[string, Schema, unknown, string]>([
  ["a missing field", integration, { unique_key: "crm" }, "`provider` is missing."],
  ["several", integration, {}, "`provider` is missing. `unique_key` is missing."],
  [
    "another type",
    integration,
    { ...crm, provider: 5 },
    "`provider` must be a string, not a number.",
  ],
  ["null", integration, { ...crm, provider: null }, "`provider` must be a string, not null."],
  ["a list", integration, { ...crm, provider: [] }, "`provider` must be a string, not a list."],
  ["no object", integration, [], "The body must be an object, not a list."],
  [
    "a misspelt field",
    integration,
    { ...crm, forwardWebhook: true },
    "The body takes no `forwardWebhook`; did you mean `forward_webhooks`?",
  ],
  [
    "an unknown field",
    integration,
    { ...crm, colour: "red" },
    "The body takes no `colour`; it takes `provider`, `unique_key`, `display_name`, `credentials`, `integration_config`, `forward_webhooks`, `settings`.",
  ],
  ["an empty text", integration, { ...crm, display_name: "" }, "`display_name` must not be empty."],
  [
    "a long text",
    integration,
    { ...crm, unique_key: "k".repeat(256) },
    "`unique_key` must have at most 255 characters.",
  ],
  [
    "a character that may not be",
    integration,
    { ...crm, unique_key: "a/b" },
    "`unique_key` may hold letters, digits, spaces and ~ : . @ _ - only.",
  ],
  [
    "true in quotes",
    integration,
    { ...crm, forward_webhooks: "true" },
    "`forward_webhooks` must be true or false, not a string.",
  ],
  [
    "an unknown type of credentials",
    integration,
    { ...crm, credentials: { type: "SAML" } },
    "`credentials.type` must be `OAUTH2`, `OAUTH1`, `TBA`, `APP`, `CUSTOM` or `MCP_OAUTH2`.",
  ],
  [
    "a type in small letters",
    integration,
    { ...crm, credentials: { type: "oauth2" } },
    "`credentials.type` must be written `OAUTH2`, in just these letters.",
  ],
  [
    "a field of an object inside",
    integration,
    { ...crm, credentials: { type: "OAUTH2", client_id: "i", client_secrett: "s" } },
    "`credentials.client_secret` is missing. `credentials` takes no `client_secrett`; did you mean `client_secret`?",
  ],
  [
    "a key that is no private key",
    integration,
    { ...crm, credentials: { type: "APP", app_id: "1", app_link: "x", private_key: "abc" } },
    "`credentials.app_link` must be an http or https URL. `credentials.private_key` must be an unencrypted private key in PEM, from its BEGIN line to its END line.",
  ],
  ["no credentials", imported, { provider_config_key: "crm" }, "`credentials` is missing."],
  [
    "too many tags",
    imported,
    { ...connection, tags: tooMany },
    "`tags` must have at most 10 tags.",
  ],
  [
    "a tag of another type",
    imported,
    { ...connection, tags: { a: { b: "c" } } },
    "`tags.a` must be a string, not an object.",
  ],
  [
    "a key that is no tag",
    imported,
    { ...connection, tags: { "1a": "x" } },
    "`tags.1a` is not a valid name: it must start with a letter; letters, digits and _ - . / follow.",
  ],
  [
    "tags that differ in case only",
    imported,
    { ...connection, tags: { A: "1", a: "2" } },
    "`tags` has two keys that are the same in lower case.",
  ],
  [
    "a webhook address that is none",
    imported,
    { ...connection, webhook_url_override: "ftp://x.example" },
    "`webhook_url_override` must be an http or https URL.",
  ],
  [
    "an item of a list",
    session,
    { allowed_integrations: ["crm", 5] },
    "`allowed_integrations[1]` must be a string, not a number.",
  ],
  [
    "a number past its bounds",
    settings,
    { async_action_limit: 0 },
    "`async_action_limit` must be at least 1.",
  ],
  [
    "a fraction",
    settings,
    { async_action_limit: 1.5 },
    "`async_action_limit` must be a whole number, not a fraction.",
  ],
  [
    "a choice",
    settings,
    { validation: { input: "strict" } },
    "`validation.input` must be `off`, `warn` or `fail`.",
  ],
])("tells of %s in a body", (_name, schema, body, message) => {
  const error = refusal(schema, body, "invalid_body");

  expect(error.message).toBe(message);
  expect(error.details?.length).toBeGreaterThan(0);
});

test.each<[string, Record<string, string | string[]>, string]>([
  ["zero", { limit: "0" }, "The query parameter `limit` must be at least 1."],
  ["a negative number", { limit: "-1" }, "The query parameter `limit` must be a whole number."],
  ["a fraction", { limit: "1.5" }, "The query parameter `limit` must be a whole number."],
  ["a number too large", { limit: "9999" }, "The query parameter `limit` must be at most 2000."],
  [
    "two values",
    { limit: ["10", "20"] },
    "The query parameter `limit` is sent more than once; send it once.",
  ],
  [
    "an unknown one",
    { integration: "crm" },
    "The query takes no `integration`; did you mean `integrationId`?",
  ],
])("tells of %s in a query", (_name, query, message) => {
  expect(refusal(listed, query, "invalid_query_params").message).toBe(message);
});

test("headers stand as people write them", () => {
  const { headers } = routes.proxyRequest;

  const error = refusal(headers, { "provider-config-key": "crm" }, "invalid_headers");

  expect(error.message).toBe("The header `Connection-Id` is missing.");
});

test("three faults are named in the message, all of them in errors", () => {
  const body = {
    ...crm,
    unique_key: 1,
    provider: 2,
    display_name: 3,
    forward_webhooks: 4,
    settings: 5,
  };

  const error = refusal(integration, body, "invalid_body");

  expect(error.message).toBe(
    "`provider` must be a string, not a number. `unique_key` must be a string, not a number. `display_name` must be a string, not a number. There are 2 more in `errors`.",
  );
  expect(error.details?.map(({ path }) => path)).toEqual([
    ["provider"],
    ["unique_key"],
    ["display_name"],
    ["forward_webhooks"],
    ["settings"],
  ]);
});

test("a value is never repeated", () => {
  const secret = "canary-in-the-wrong-place";

  const error = refusal(integration, { ...crm, credentials: { type: secret } }, "invalid_body");

  expect(JSON.stringify([error.message, error.details])).not.toContain(secret);
});

test.each([
  ["providr", ["provider", "unique_key"], "provider"],
  ["uniqueKey", ["provider", "unique_key"], "unique_key"],
  ["colour", ["provider", "unique_key"], undefined],
  ["x", [], undefined],
])("%s is taken for the nearest known name", (given, known, expected) => {
  expect(nearestName(given, known)).toBe(expected);
});

test("the first twenty of many faults are worded, and their number is given", () => {
  const fields = z.strictObject({ ids: z.array(z.string()) });

  const refused = refusal(fields, { ids: Array(300).fill(1) }, "invalid_body");

  expect(refused.details).toHaveLength(20);
  expect(refused.message).toContain("There are 300 faults; `errors` has the first 20.");
});

test.each([
  ["a list", { ids: Array(100_000).fill(1) }],
  ["a map", Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`- ${at}`, {}]))],
  ["long names", { ["x".repeat(1e6)]: { ["y".repeat(1e6)]: 1 } }],
])("%s of hostile values is refused in a few KB", (_what, values) => {
  const fields = z.union([
    z.strictObject({ ids: z.array(z.string()) }),
    z.record(z.string().regex(/^[a-z]+$/), z.record(z.string(), z.string())),
  ]);

  const refused = refusal(fields, values, "invalid_body");

  const answer = JSON.stringify([refused.message, refused.details]);
  expect(answer.length).toBeLessThan(64 * 1024);
});
