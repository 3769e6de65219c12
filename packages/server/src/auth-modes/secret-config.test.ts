import { getProvider } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { liftSecretConfig, secretConfigOf } from "./secret-config.ts";
import { toTemplateValues } from "./template-values.ts";

const provider = getProvider("private-api-bearer");
if (provider === undefined) throw new Error("the catalogue has this entry");
const [field] = Object.values(provider.integration_config);
if (field === undefined) throw new Error("the entry has a field");
const entry = { connection_config: { shop: field, pin: { ...field, secret: true } } };
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
