import type { FormField } from "@jackfield/ui/form-fields.ts";
import { validateForm } from "@jackfield/ui/validate-field.ts";
import { expect, test } from "vitest";
import { listFormFields } from "./list-form-fields.ts";
import type { Integration, Provider, Session } from "./platform.ts";
import { english as texts } from "./texts/english.ts";
import { toAuthOptions } from "./to-auth-options.ts";

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
    labels: { "API key": "API-Schlüssel" },
    helps: undefined,
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

test("titles of the catalogue are in the language of the page, and the operator's own words stay", () => {
  const provider = {
    credentials: { apiKey: { title: "API key" }, other: { title: "constructor" } },
  };

  const plain = fieldsOf(provider).map(({ label }) => label);
  const own = fieldsOf(provider, {}, { credentials_label: { apiKey: "API key" } });

  expect(plain).toEqual(["API-Schlüssel", "constructor"]);
  expect(own.map(({ label }) => label)).toEqual(["API key", "constructor"]);
});
