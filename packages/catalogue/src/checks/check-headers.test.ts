import { expect, test } from "vitest";
import { listProviders } from "../built-in/built-in.ts";
import { findOverrideFaults } from "../override-provider.ts";
import { readProvider } from "../reading/read-provider.ts";
import { checkHeaders, findHeaderFault } from "./check-headers.ts";

const refused = [
  "Host",
  "HOST",
  "Content-Length",
  "Transfer-Encoding",
  "Connection",
  "Keep-Alive",
  "Proxy-Connection",
  "Proxy-Authorization",
  "TE",
  "Trailer",
  "Upgrade",
  "Expect",
  "a b",
  "a:b",
  "a\r\nHost",
  "",
];

const entry = {
  id: "acme",
  display_name: "Acme",
  categories: ["other"],
  auth_mode: "API_KEY",
  base_url: "https://api.acme.example",
  api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
  credentials: { apiKey: { title: "Key", secret: true } },
};

const places: readonly (readonly [string, (name: string) => object])[] = [
  ["headers", (name) => ({ headers: { [name]: "x" } })],
  ["inject", (name) => ({ inject: { headers: { [name]: "{{credentials.apiKey}}" } } })],
  ["verification", (name) => ({ verification: { path: "/me", headers: { [name]: "x" } } })],
  [
    "after_connect",
    (name) => ({
      after_connect: [{ request: { path: "/me", headers: { [name]: "x" } }, save: {} }],
    }),
  ],
  [
    "api_key",
    (name) => ({ api_key: { placement: "header", name, value: "{{credentials.apiKey}}" } }),
  ],
];

test.each(places.flatMap(([place, make]) => refused.map((name) => [place, name, make] as const)))(
  "%s may not set %j",
  (_place, name, make) => {
    const { faults } = readProvider({ ...entry, ...make(name) });

    expect(faults).not.toEqual([]);
  },
);

test.each(places)("%s may set a header of its own", (_place, make) => {
  expect(readProvider({ ...entry, ...make("X-Acme-Version") }).faults).toEqual([]);
});

test.each(refused.filter((name) => name !== ""))("an integration may not override %j", (name) => {
  const { provider } = readProvider(entry);
  const faults =
    provider === undefined ? [] : findOverrideFaults(provider, { headers: { [name]: "x" } });

  expect(faults.map((fault) => fault.name)).toEqual(["headers"]);
});

test("no entry of the catalogue sets such a header", () => {
  expect(listProviders().flatMap(checkHeaders)).toEqual([]);
  expect(findHeaderFault("authorization")).toBeUndefined();
});
