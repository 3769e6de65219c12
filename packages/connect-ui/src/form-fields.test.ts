import { expect, test } from "vitest";
import { type FormField, listFormFields, listVisibleFields } from "./form-fields.ts";
import type { Integration, Provider, Session } from "./platform.ts";
import { chooseTexts } from "./texts.ts";
import { toAuthOptions } from "./to-auth-options.ts";
import { tidyValue, validateField, validateForm } from "./validate-field.ts";

const { texts } = chooseTexts("en");
const integration: Integration = { unique_key: "crm", provider: "crm", display_name: "CRM" };

function fieldsOf(
  provider: Partial<Provider>,
  session: Session = {},
  more: Partial<Integration> = {},
): readonly FormField[] {
  return listFormFields({
    session,
    integration: { ...integration, ...more },
    provider: { name: "crm", auth_mode: "API_KEY", connect_method: "form", ...provider },
    ownClientLabels: ["Client ID", "Client secret"],
  });
}

function fieldOf(field: Partial<FormField>): FormField {
  const [plain] = fieldsOf({ credentials: { value: { title: "Value" } } });
  if (plain === undefined) throw new Error("there is no field");
  return { ...plain, ...field };
}

test("asks for what neither platform, session nor integration has settled, in order", () => {
  const fields = fieldsOf(
    {
      connection_config: {
        region: { order: 2, enum: ["eu", "us"] },
        subdomain: { order: 1 },
        accountId: { automated: true },
        tenant: { order: 3 },
      },
      credentials: { apiKey: { title: "{{integration.label}}" }, second: {} },
    },
    { integrations_config_defaults: { crm: { connection_config: { tenant: "t" } } } },
    { credentials_label: { apiKey: "Secret word" }, preconfigured_credentials: ["second"] },
  );

  expect(fields.map(({ target, name, label }) => [target, name, label])).toEqual([
    ["params", "subdomain", "Subdomain"],
    ["params", "region", "Region"],
    ["credentials", "apiKey", "Secret word"],
  ]);
});

test("asks for no credentials where the provider's own pages do", () => {
  const credentials = { app_id: {}, installation_id: {} };

  expect(fieldsOf({ credentials, connect_method: "browser" })).toEqual([]);
});

test("empty overrides in the session ask for an OAuth client, both fields or none", () => {
  const overrides = { oauth_client_id_override: "", oauth_client_secret_override: "" };
  const session = { integrations_config_defaults: { crm: { connection_config: overrides } } };
  const provider: Provider = { name: "crm", auth_mode: "OAUTH2", connect_method: "browser" };

  const fields = fieldsOf(provider, session);
  const [id = "", secret = ""] = fields.map((field) => field.id);

  expect(fields.map(({ required, secret }) => [required, secret])).toEqual([
    [false, false],
    [false, true],
  ]);
  expect(validateForm(fields, {}, texts).size).toBe(0);
  expect([...validateForm(fields, { [id]: "x" }, texts).keys()]).toEqual([secret]);
  expect(toAuthOptions(provider, fields, {})).toEqual({});
  expect(toAuthOptions(provider, fields, { [id]: "x", [secret]: "y" })).toEqual({
    credentials: { oauth_client_id_override: "x", oauth_client_secret_override: "y" },
  });
});

test.each([
  [{ required: true }, "", "Value is missing."],
  [{ required: false }, "", undefined],
  [{ required: true }, "   ", "Value is missing."],
  [{ pattern: "^[a-z]+$" }, "ABC", "Value does not have the right form."],
  [{ pattern: "^[a-z]+$" }, "abc", undefined],
  [{ pattern: "(" }, "anything", undefined],
  [{ format: "uri" }, "example.com", texts.invalid.uri],
  [{ format: "uri" }, "javascript:alert(1)", texts.invalid.uri],
  [{ format: "uri" }, "https://example.com/x", undefined],
  [{ format: "hostname" }, "a b", texts.invalid.hostname],
  [{ format: "hostname" }, "https://crm.example.com/path", undefined],
  [{ format: "email" }, "me", texts.invalid.email],
  [{ format: "uuid" }, "123e4567-e89b-12d3-a456-426614174000", undefined],
  [{ choices: ["eu"] }, "us", texts.invalid.choose],
])("%j with %j says %j", (field, value, fault) => {
  expect(validateField(fieldOf(field), value, texts)).toBe(fault);
});

test.each([
  [{ format: "hostname" }, " https://crm.example.com/path?x ", "crm.example.com"],
  [{ prefix: "https://", suffix: ".example.com" }, "https://acme.example.com/home", "acme"],
  [{ prefix: "https://", suffix: ".example.com" }, "acme", "acme"],
  [{ secret: true }, " https://secret ", "https://secret"],
  [{}, " a/b ", "a/b"],
])("%j tidies %j to %j", (field, value, tidy) => {
  expect(tidyValue(fieldOf(field), value)).toBe(tidy);
});

test("a field shows when the field that it hangs on is shown and has the value", () => {
  const fields = fieldsOf({
    credentials: {
      kind: { order: 1 },
      first: { order: 2, visible_when: { field: "kind", equals: "a" } },
      second: { order: 3, visible_when: { field: "first", equals: ["x", "y"] } },
    },
  });
  const namesFor = (values: Record<string, string>) =>
    listVisibleFields(fields, values).map(({ name }) => name);

  expect(namesFor({})).toEqual(["kind"]);
  expect(namesFor({ "credentials-kind": "a", "credentials-first": "y" })).toEqual([
    "kind",
    "first",
    "second",
  ]);
  expect(namesFor({ "credentials-kind": "b", "credentials-first": "y" })).toEqual(["kind"]);
});

test.each([
  ["BASIC", { username: "u" }, { type: "BASIC", username: "u" }],
  ["NONE", {}, { type: "NONE" }],
  ["TWO_STEP", { apiKey: "k" }, { type: "TWO_STEP", apiKey: "k" }],
  ["JWT", { privateKey: "p" }, { type: "JWT", privateKey: "p" }],
])("%s sends the credentials in its shape", (mode, given, credentials) => {
  const provider: Provider = { name: "crm", auth_mode: mode, connect_method: "form" };
  const names = Object.keys(given);
  const fields = names.map((name) => fieldOf({ id: name, name, secret: true }));

  expect(toAuthOptions(provider, fields, Object(given))).toEqual({ credentials });
});
