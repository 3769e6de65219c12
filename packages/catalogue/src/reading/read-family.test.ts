import { expect, test } from "vitest";
import { readFamily } from "./read-family.ts";

const entry = `
family: sample
name: Sample
variants:
  - id: sample
    display_name: Sample
    categories: [other]
    auth_mode: API_KEY
    base_url: https://api.example.com
    api_key: { placement: header, name: x-key, value: "{{credentials.apiKey}}" }
`;

function withPattern(pattern: string): string {
  const field = `{ title: S, pattern: "${pattern}", example: acme }`;
  const text = entry.replace("api.example.com", "{{config.sub}}.example.com");
  return `${text}    connection_config:\n      sub: ${field}\n`;
}

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
  [
    "an alias that is another field's name",
    `${withPattern("^[a-z]+$")}      region: { title: R, aliases: [sub] }\n`,
    "region: the alias sub is taken",
  ],
  [
    "another address that ends in a slash",
    entry.replace(
      "api_key:",
      "other_base_urls: [{ paths: [/v2], base_url: https://a.example.com/ }]\n    api_key:",
    ),
    "ends in /",
  ],
  [
    "a path of another address that is none",
    entry.replace(
      "api_key:",
      "other_base_urls: [{ paths: [v2], base_url: https://a.example.com }]\n    api_key:",
    ),
    "paths",
  ],
  ["plain http", entry.replace("https://api", "http://api"), "base_url is not https"],
  ["a user in an address", entry.replace("api.example", "u:p@api.example"), "holds a user"],
  ["a slash at the end of the base", entry.replace("example.com", "example.com/"), "ends in /"],
  [
    "a placement that is none",
    entry.replace("placement: header", "placement: cookie"),
    "placement is not one of header, query, body, path",
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
  ["two slashes in a path", entry.replace("example.com", "example.com/a//b"), "has // in its path"],
  [
    "an address that none is",
    entry.replace("api.example.com", "api.example.com:port"),
    "is no address",
  ],
  [
    "a secret in an address",
    entry.replace("example.com", "example.com/a?token=x"),
    "holds a secret",
  ],
  [
    "a function that does not exist",
    entry.replace("{{credentials.apiKey}}", "{{rot13(credentials.apiKey)}}"),
    "there is no function rot13",
  ],
  [
    "a host that may be left out",
    `${entry.replace("api.example.com", "{{config.sub}}.example.com")}    connection_config:\n      sub: { title: S, optional: true }\n`,
    "config.sub may be left out, but the host needs it",
  ],
  [
    "a host of any form",
    `${entry.replace("api.example.com", "{{config.host}}")}    connection_config:\n      host: { title: H }\n`,
    "config.host is a host: give it the format hostname",
  ],
  ["a pattern that is none", withPattern("^[$"), "RE2 does not support the pattern"],
  ["a pattern without its end", withPattern("^[a-z]+"), "the pattern is not anchored"],
  ["a pattern that looks back", withPattern("^(?<=a)b$"), "RE2 does not support the pattern"],
  ["a pattern that refers back", withPattern("^(a|b)\\\\1$"), "RE2 does not support the pattern"],
  ["an example off the pattern", withPattern("^[0-9]+$"), "the example does not match the pattern"],
  [
    "a pattern on a secret",
    `${entry}    credentials:\n      apiKey: { title: K, secret: true, pattern: "^sk-.+$" }\n`,
    "a secret has no pattern",
  ],
  [
    "a captured secret that is not declared as one",
    `${entry}    after_connect:\n      - request: { path: /me }\n        save: { refresh_token: token }\n`,
    "refresh_token is captured and sounds secret",
  ],
  [
    "paging that says not how",
    `${entry}    pagination: { type: cursor, cursor_name_in_request: after }\n`,
    "cursor needs cursor_name_in_request",
  ],
  ["a family of another name", entry.replace("family: sample", "family: other"), "family is other"],
  ["text that is no YAML", "a: [", "sample.yaml"],
])("refuses %s", (_, text, fault) => {
  expect(faultsOf(text).join("\n")).toContain(fault);
});

test("refuses parameters that only the engine sets", () => {
  const text = `
family: sample
name: Sample
variants:
  - id: sample
    display_name: Sample
    categories: [other]
    auth_mode: OAUTH2
    authorization_url: https://example.com/authorize
    token_url: https://example.com/token
    authorization_params: { state: x, prompt: consent, nonce: "{{uuid()}}" }
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
name: Sample
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
  expect(faultsOf(text).some((line) => line.includes("chooses the host"))).toBe(fault !== "");
});

test.each([
  [
    "header: x-sig, timestamp_header: x-time, signed: '{timestamp}.{body}', tolerance_seconds: 60",
    true,
  ],
  ["header: x-sig, signed: '{url}{body}'", true],
  ["header: x-sig, timestamp_header: x-time", false],
  ["header: x-sig, timestamp_header: x-time, signed: '{body}'", false],
  ["header: x-sig, signed: '{timestamp}.{body}'", false],
  ["header: x-sig, tolerance_seconds: 60", false],
])("webhooks that are signed by { %s }: %s", (hmac, isRight) => {
  const faults = faultsOf(`${entry}    webhooks: { hmac: { ${hmac} } }\n`);

  expect(faults.length === 0).toBe(isRight);
});
