import { expect, test } from "vitest";
import { findOverrideFaults, overrideProvider } from "./override-provider.ts";
import { readProvider } from "./reading/read-provider.ts";

const basics = { display_name: "Sample", categories: ["other"], base_url: "https://api.a.example" };
const clientCredentials = {
  ...basics,
  id: "sample-cc",
  auth_mode: "OAUTH2_CC",
  token_url: "https://a.example/token",
  scopes: "read,write",
};
const codeFlow = {
  ...basics,
  id: "sample",
  auth_mode: "OAUTH2",
  authorization_url: "https://a.example/authorize",
  token_url: "https://a.example/token",
  required_scopes: ["offline"],
  revocation: {
    url: "https://a.example/revoke",
    params: { token: "{{credentials.access_token}}" },
  },
};

function read(entry: object) {
  const { provider, faults } = readProvider(entry);
  if (provider === undefined) throw new Error(faults.join("\n"));
  return provider;
}

test("scopes stand in place of those that the entry always requests", () => {
  const scopes = ["a", "b:c"];

  expect(overrideProvider(read(codeFlow), { scopes })).toMatchObject({ required_scopes: scopes });
  expect(overrideProvider(read(clientCredentials), { scopes })).toMatchObject({
    scopes: { text: "a,b:c" },
  });
  expect(overrideProvider(read(clientCredentials), { scopes: [] })).toMatchObject({
    scopes: undefined,
  });
});

test("a withdrawal goes elsewhere and is otherwise what it was", () => {
  const entry = read(codeFlow);

  const changed = overrideProvider(entry, { revocation_url: "https://b.example/out" });

  expect(changed).toMatchObject({
    revocation: {
      url: { text: "https://b.example/out" },
      params: { token: { text: "{{credentials.access_token}}" } },
    },
  });
});

test("facts that an entry has none of are refused by name", () => {
  const facts = {
    scopes: ["a"],
    revocation_url: "https://b.example",
    token_url: "https://b.example",
  };

  const ofKey = findOverrideFaults(read(getKeyEntry()), facts);
  const ofCode = findOverrideFaults(read(codeFlow), facts);
  const ofClient = findOverrideFaults(read(clientCredentials), facts);

  expect(ofKey.map(({ name }) => name)).toEqual(["token_url", "revocation_url", "scopes"]);
  expect(ofCode).toEqual([]);
  expect(ofClient.map(({ name }) => name)).toEqual(["revocation_url"]);
});

function getKeyEntry() {
  const value = "{{credentials.apiKey}}";
  const api_key = { placement: "header", name: "x-key", value };
  return { ...basics, id: "sample-key", auth_mode: "API_KEY", api_key };
}
