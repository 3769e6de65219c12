import { expect, test } from "vitest";
import type { Call } from "#foundation/sandbox";
import { changesSomething } from "./classify-call.ts";

const hubspot = {
  integrationKey: "crm",
  effects: { reads: ["/crm/v3/objects/*/search"], graphql: ["/graphql"], writes: [] },
};
const slack = {
  integrationKey: "crm",
  effects: { reads: ["/*.list"], graphql: [], writes: ["/*"] },
};

function proxy(method: string, endpoint: string, more: object = {}, body = ""): Call {
  const params = { method, endpoint, query: [], headers: {}, providerConfigKey: "crm", ...more };
  return { method: "proxy", params, body: Buffer.from(body) };
}

const query = (text: string, more: object = {}) => JSON.stringify({ query: text, ...more });

test.each([
  ["a GET", proxy("GET", "/contacts")],
  ["a HEAD", proxy("head", "/contacts")],
  ["a search by POST that the entry names", proxy("POST", "/crm/v3/objects/contacts/search")],
  ["the same without a slash and with a query", proxy("POST", "crm/v3/objects/deals/search?a=1")],
  ["a query of GraphQL", proxy("POST", "/graphql", {}, query("query A { viewer { id } }"))],
  [
    "one that has the word in a text",
    proxy("POST", "/graphql", {}, query('{ find(text: "mutation") { id } }')),
  ],
  [
    "one that has the word in a comment",
    proxy("POST", "/graphql", {}, query("{ viewer { id } } # mutation")),
  ],
])("%s only reads", (_, call) => {
  expect(changesSomething(call, hubspot)).toBe(false);
});

test.each([
  ["a POST", proxy("POST", "/contacts")],
  ["a DELETE", proxy("DELETE", "/contacts/1")],
  ["a PATCH", proxy("PATCH", "/contacts/1")],
  ["a PROPFIND", proxy("PROPFIND", "/contacts")],
  [
    "a GET that asks for another method by a header",
    proxy("GET", "/contacts/1", { headers: { "X-HTTP-Method-Override": "DELETE" } }),
  ],
  [
    "a GET that asks for it by its query",
    proxy("GET", "/contacts/1", { query: [["_method", "delete"]] }),
  ],
  ["a GET that asks for it in its address", proxy("GET", "/contacts/1?_method=delete")],
  [
    "a search above the path of the entry",
    proxy("POST", "/crm/v3/objects/contacts/search/../../../x"),
  ],
  [
    "a search of another server",
    proxy("POST", "/crm/v3/objects/contacts/search", { baseUrlOverride: "https://x.example" }),
  ],
  [
    "a search by an address of its own",
    proxy("POST", "https://x.example/crm/v3/objects/contacts/search"),
  ],
  ["a search behind two slashes", proxy("POST", "//x.example/crm/v3/objects/contacts/search")],
  ["a search with an encoded slash", proxy("POST", "/crm/v3/objects/contacts%2F1/search")],
  [
    "a search of another integration",
    proxy("POST", "/crm/v3/objects/contacts/search", { providerConfigKey: "other" }),
  ],
  ["a mutation", proxy("POST", "/graphql", {}, query("mutation { remove(id: 1) { id } }"))],
  [
    "a mutation behind a query",
    proxy("POST", "/graphql", {}, query("query A { a } mutation B { b }")),
  ],
  [
    "a mutation behind a text with quotes",
    proxy("POST", "/graphql", {}, query('query A { a(b: "\\"") } mutation B { b }')),
  ],
  [
    "a mutation behind a block of text",
    proxy("POST", "/graphql", {}, query('query A { a(b: """x\\""" y""") } mutation B { b }')),
  ],
  [
    "a stored document",
    proxy("POST", "/graphql", {}, JSON.stringify({ extensions: { persistedQuery: {} } })),
  ],
  ["a document by its id", proxy("POST", "/graphql", {}, query("{ a }", { doc_id: 1 }))],
  [
    "a mutation in a batch",
    proxy("POST", "/graphql", {}, `[${query("{ a }")},${query("mutation { b }")}]`),
  ],
  [
    "a mutation in the address of a query",
    proxy("POST", "/graphql?query=mutation{b}", {}, query("{ a }")),
  ],
  ["a mutation by GET", proxy("GET", "/graphql?query=mutation{b}")],
  ["a document that is no JSON", proxy("POST", "/graphql", {}, "mutation { b }")],
  [
    "a call without credentials",
    {
      method: "fetch",
      params: { method: "POST", url: "https://x.example", headers: [], hasBody: false },
      body: Buffer.from(""),
    },
  ],
  ["metadata", { method: "setMetadata", params: {}, body: Buffer.from("") }],
  ["a sync", { method: "triggerSync", params: {}, body: Buffer.from("") }],
  ["records", { method: "batchSave", params: {}, body: Buffer.from("") }],
  [
    "a method that nobody has classified",
    { method: "somethingNew", params: {}, body: Buffer.from("") },
  ],
] as const)("%s changes something", (_, call) => {
  expect(changesSomething(call, hubspot)).toBe(true);
});

test("where also a GET changes something, only what the entry names reads", () => {
  const list = proxy("GET", "/conversations.list");
  const post = proxy("GET", "/chat.postMessage?channel=C1&text=hi");
  const elsewhere = proxy("GET", "https://slack.com/api/chat.postMessage?channel=C1");

  expect([list, post, elsewhere].map((call) => changesSomething(call, slack))).toEqual([
    ...[false, true, true],
  ]);
});
