import { expect, test } from "vitest";
import { getProvider, listProviders, loadCatalogue, readFamily } from "./load-catalogue.ts";

test("loads every built-in entry without a fault", () => {
  const ids = loadCatalogue()
    .listProviders()
    .map(({ id }) => id);

  expect(ids).toEqual([
    "aws-sigv4",
    "bill",
    "emarsys",
    "github",
    "github-app",
    "github-app-oauth",
    "google",
    "google-service-account",
    "hubspot",
    "jira",
    "mcp-generic",
    "netsuite-tba",
    "notion-mcp",
    "oauth2-cc-generic",
    "oauth2-generic",
    "openai",
    "private-api-basic",
    "private-api-bearer",
    "private-api-generic",
    "salesforce",
    "shopify",
    "slack",
    "snowflake-jwt",
    "trello",
    "unauthenticated",
    "wordpress-application-password",
  ]);
  expect(listProviders().map(({ id }) => id)).toEqual(ids);
  expect(getProvider("github")?.display_name).toBe("GitHub");
  expect(getProvider("constructor")).toBeUndefined();
});

const entry = `
family: sample
variants:
  - id: sample
    display_name: Sample
    categories: [other]
    auth_mode: API_KEY
    base_url: https://api.example.com
    api_key: { placement: header, name: x-key, value: "{{credentials.apiKey}}" }
`;

function faultsOf(text: string): readonly string[] {
  return readFamily("sample.yaml", text).faults;
}

test("accepts a minimal entry", () => {
  expect(faultsOf(entry)).toEqual([]);
});

test("takes what variants share from the family", () => {
  const text = entry
    .replace("    categories: [other]\n", "")
    .replace("variants:", "shared:\n  categories: [crm]\nvariants:");

  const { providers, faults } = readFamily("sample.yaml", text);

  expect(faults).toEqual([]);
  expect(providers[0]?.categories).toEqual(["crm"]);
});

test.each([
  ["an unknown key", entry.replace("base_url:", "basse_url: x\n    base_url:"), "basse_url"],
  [
    "a key of another mode",
    entry.replace("base_url:", "token_url: https://a.b/c\n    base_url:"),
    "token_url",
  ],
  ["an unknown mode", entry.replace("API_KEY", "MAGIC"), "auth_mode"],
  ["a bad id", entry.replace("id: sample", "id: a/b"), "id"],
  [
    "an undeclared reference",
    entry.replace("api.example.com", "{{config.sub}}.example.com"),
    "{{config.sub}}, which is not declared",
  ],
  [
    "a field that nothing uses",
    `${entry}    integration_config:\n      region: { title: Region }\n`,
    "integration.region is never used",
  ],
  ["plain http", entry.replace("https://api", "http://api"), "base_url is not https"],
  ["a user in an address", entry.replace("api.example", "u:p@api.example"), "holds a user"],
  ["a slash at the end of the base", entry.replace("example.com", "example.com/"), "ends in /"],
  [
    "a placement that is none",
    entry.replace("placement: header", "placement: cookie"),
    "placement is not one of header, query, body",
  ],
  [
    "an option left to a free field",
    `${entry.replace("placement: header", 'placement: "{{integration.where}}"')}    integration_config:\n      where: { title: Where }\n`,
    "placement needs one field",
  ],
  [
    "a default outside its enum",
    `${entry.replace("x-key", '"{{integration.n}}"')}    integration_config:\n      n: { title: N, enum: [a], default: b }\n`,
    "the default is not one of the values",
  ],
  [
    "a secret among connection config",
    `${entry.replace("name: x-key", 'name: "{{config.api_secret}}"')}    connection_config:\n      api_secret: { title: S }\n`,
    "sounds secret",
  ],
  [
    "a verification without a base",
    entry.replace(/ {4}base_url.*\n/, "    verification: { path: /me }\n"),
    "verification needs a base_url",
  ],
  [
    "a broken template",
    entry.replace("{{credentials.apiKey}}", "{{apiKey}}"),
    "write placeholders",
  ],
  ["a family of another name", entry.replace("family: sample", "family: other"), "family is other"],
  ["text that is no YAML", "a: [", "sample.yaml"],
])("refuses %s", (_, text, fault) => {
  expect(faultsOf(text).join("\n")).toContain(fault);
});

test("refuses parameters that only the engine sets", () => {
  const text = `
family: sample
variants:
  - id: sample
    display_name: Sample
    categories: [other]
    auth_mode: OAUTH2
    authorization_url: https://example.com/authorize
    token_url: https://example.com/token
    authorization_params: { state: x, prompt: consent }
`;

  expect(faultsOf(text)).toEqual(["sample.yaml: sample: authorization_params may not set state"]);
});

test.each([
  ["https://{{config.host}}/token", "chooses the host"],
  ["{{config.host}}/token", "chooses the host"],
  ["https://{{config.host}}.example.com/token", ""],
])("with the token URL %s a field without a pattern is a fault: %s", (url, fault) => {
  const text = `
family: sample
variants:
  - id: sample
    display_name: Sample
    categories: [other]
    auth_mode: OAUTH2
    authorization_url: https://example.com/authorize
    token_url: "${url}"
    connection_config: { host: { title: Host } }
`;

  expect(faultsOf(text).join()).toContain(fault);
  expect(faultsOf(text)).toHaveLength(fault === "" ? 0 : 1);
});
