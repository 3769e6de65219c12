import { getProvider } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { toTemplateValues } from "./apply/template-values.ts";
import { liftSecretConfig, secretConfigOf } from "./secret-config.ts";

const provider = getProvider("private-api-bearer");
if (provider === undefined) throw new Error("the catalogue has this entry");
const [field] = Object.values(provider.integration_config);
if (field === undefined) throw new Error("the entry has a field");
const entry = { ...provider, connection_config: { shop: field, pin: { ...field, secret: true } } };
const credentials = { type: "API_KEY", apiKey: "key" };

test("what the entry declares secret moves to the credentials, over what they keep", () => {
  const first = liftSecretConfig(entry, { credentials, config: { shop: "s", pin: "1" } });
  const second = liftSecretConfig(entry, { credentials: first.credentials, config: { pin: "2" } });
  const none = liftSecretConfig(entry, { credentials, config: { shop: "s" } });

  expect(first).toEqual({
    credentials: { ...credentials, connection_config: { pin: "1" } },
    config: { shop: "s" },
  });
  expect(second).toEqual({
    credentials: { ...credentials, connection_config: { pin: "2" } },
    config: {},
  });
  expect(none).toEqual({ credentials, config: { shop: "s" } });
});

test.each([
  ["apiToken", "a", true],
  ["x-api-key", "a", true],
  ["partner", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoaXM", true],
  ["partner", "-----BEGIN PRIVATE KEY-----\nMIIE", true],
  ["address", "https://user:word@api.example.com", true],
  ["address", "https://api.example.com/v1", false],
  ["webhookGuid", "0b8c1f52-3f0e-4b6e-9a39-0d6f0a3f5f10", false],
  ["emailAddressHash", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", false],
  ["streakWebhookToken", "a", false],
  ["page_token", "a", false],
  ["apiToken", "", false],
])("of a name that the entry does not have, name and form decide: %s", (name, value, isSecret) => {
  const lifted = liftSecretConfig(entry, { credentials, config: { [name]: value } });

  expect(lifted.config).toEqual(isSecret ? {} : { [name]: value });
  expect(secretConfigOf(lifted.credentials)).toEqual(isSecret ? { [name]: value } : {});
});

test("what the entry declares open stays so under any name", () => {
  const open = { ...provider, connection_config: { app_token: { ...field, secret: false } } };

  const { config } = liftSecretConfig(open, { credentials, config: { app_token: "t" } });

  expect(config).toEqual({ app_token: "t" });
});

test("templates name secret fields like others, but only where credentials may be used", () => {
  const sealed = { ...credentials, connection_config: { pin: "1", other: 2 } };
  const subject = {
    provider,
    integrationCredentials: undefined,
    integrationConfig: {},
    connectionConfig: { shop: "s" },
  };

  expect(secretConfigOf(sealed)).toEqual({ pin: "1" });
  expect(toTemplateValues(subject, sealed)["config"]).toEqual({ shop: "s", pin: "1" });
  expect(toTemplateValues(subject)["config"]).toEqual({ shop: "s" });
});
