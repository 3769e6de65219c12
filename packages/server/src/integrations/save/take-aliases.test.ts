import assert from "node:assert";
import { getProvider } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { liftCredentials, takeAliases, withAliases } from "./take-aliases.ts";

function entry(id: string) {
  const provider = getProvider(id);
  assert(provider !== undefined);
  return provider;
}

test("a credential in the configuration moves to the credentials", () => {
  const lifted = liftCredentials(entry("datadog"), {
    credentials: { type: "API_KEY", apiKey: "a" },
    config: { siteParameter: "datadoghq.eu", applicationKey: "b" },
  });

  expect(lifted).toEqual({
    credentials: { type: "API_KEY", apiKey: "a", applicationKey: "b" },
    config: { siteParameter: "datadoghq.eu" },
    faults: [],
  });
});

test("a credential under another name moves to the entry's", () => {
  const { credentials, faults } = liftCredentials(entry("google-service-account"), {
    credentials: { type: "TWO_STEP", serviceAccountEmailAddress: "a@b.c", privateKey: "k", x: "y" },
    config: {},
  });

  expect(faults).toEqual([]);
  expect(credentials).toEqual({
    type: "TWO_STEP",
    serviceAccountEmail: "a@b.c",
    privateKey: "k",
    x: "y",
  });
});

test("a credential that is given twice, differently, is a fault", () => {
  const given = { type: "API_KEY", apiKey: "a", applicationKey: "b" };
  const lift = (applicationKey: string) =>
    liftCredentials(entry("datadog"), { credentials: given, config: { applicationKey } });

  expect(lift("b")).toEqual({ credentials: given, config: {}, faults: [] });
  expect(lift("c").faults).toMatchObject([{ path: ["applicationKey"] }]);
});

test("the whole address may stand under the other name too", () => {
  const take = (bundleAlias: string) => takeAliases(entry("freshsales"), { bundleAlias }).config;

  expect(take("acme.myfreshworks.com/crm/sales")).toEqual({ subdomain: "acme" });
  expect(take("https://acme.myfreshworks.com/crm/sales/")).toEqual({ subdomain: "acme" });
  expect(take(" acme ")).toEqual({ subdomain: "acme" });
  expect(take("")).toEqual({});
});

test("another form of the value becomes the field's own", () => {
  const take = (organizationUrl: string) => takeAliases(entry("azure-devops"), { organizationUrl });

  for (const form of ["dev.azure.com/acme", "https://acme.visualstudio.com", "acme"]) {
    expect(take(form).config).toEqual({ organization: "acme" });
  }
});

test("code that knows the other names finds the values under them", () => {
  const config = { siteParameter: "datadoghq.eu" };

  expect(withAliases(entry("datadog"), config, { applicationKey: "b" })).toEqual({
    ...config,
    applicationKey: "b",
  });
  expect(withAliases(entry("datadog"), config)).toEqual(config);
});
