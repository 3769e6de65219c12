import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nonconformity } from "../journeys/conformance.ts";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";
import { type Ids, operations, type SampleRequest, sampleRequest } from "./sample-request.ts";

// Promise A5: whatever is sent, the answer is one that openapi.json describes, and never a 5xx of ours.

const RUNS_PER_OPERATION = 25;

let api: ApiUnderTest;
let key = "";
beforeAll(async () => {
  api = await startApi();
  key = await api.keyOf("dev", ["environment:*"]);
});
afterAll(async () => await api[Symbol.asyncDispose]());

const ids: Ids = {
  provider: "private-api-bearer",
  unique_key: "crm",
  uniqueKey: "crm",
  provider_config_key: "crm",
  providerConfigKey: "crm",
  "provider-config-key": "crm",
  connectionId: "acme",
  connection_id: "acme",
  "connection-id": "acme",
};

const oddities = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  " ",
  "\u0000",
  "\ud800",
  "x".repeat(5000),
  "../../etc/passwd",
  "{{credentials.apiKey}}",
  "constructor",
  "'; drop table connections; --",
  [],
  {},
  [[[[]]]],
  { constructor: { prototype: 1 } },
];
const odd = fc.oneof(fc.constantFrom(...oddities), fc.jsonValue({ maxDepth: 3 }));

interface Mutation {
  readonly at: number;
  readonly with: unknown;
  readonly how: "replace" | "remove" | "add" | "whole";
  readonly query: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(20),
  with: odd,
  how: fc.constantFrom("replace", "remove", "add", "whole"),
  query: fc.constantFrom(
    "",
    "&x=1",
    "&limit=-1",
    "&limit=99999999",
    "&page=a",
    "&tags[a]=b",
    "&%zz",
  ),
});

function mutate(request: SampleRequest, change: Mutation): SampleRequest {
  const path =
    change.query === ""
      ? request.path
      : `${request.path}${request.path.includes("?") ? "" : "?z=1"}${change.query}`;
  if (request.body === undefined) return { ...request, path };
  if (change.how === "whole") return { ...request, path, body: change.with };
  const entries = Object.entries(Object(request.body));
  const index = entries.length === 0 ? 0 : change.at % entries.length;
  if (change.how === "add") entries.push([`extra${change.at}`, change.with]);
  else if (change.how === "remove") entries.splice(index, 1);
  else if (entries[index] !== undefined) entries[index] = [entries[index][0], change.with];
  return { ...request, path, body: Object.fromEntries(entries) };
}

async function send(request: SampleRequest) {
  const response = await fetch(`${api.url}${request.path}`, {
    method: request.method,
    redirect: "manual",
    headers: {
      authorization: `Bearer ${key}`,
      "idempotency-key": randomUUID(),
      ...request.headers,
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : text };
}

// Streams stay open, and the proxy answers with what a provider says.
const skipped = /^\/(proxy|connect\/session\/events)/;

test.each(
  operations
    .filter(({ path }) => !skipped.test(path))
    .map((described) => [`${described.method} ${described.path}`, described] as const),
)("%s answers anything with what is described", async (_name, described) => {
  const sample = sampleRequest(described, ids);

  await fc.assert(
    fc.asyncProperty(mutation, async (change) => {
      const request = mutate(sample, change);
      const { status, body } = await send(request);
      expect(status, JSON.stringify(body)).toBeLessThan(500);
      expect(nonconformity({ ...request, status, body })).toBeUndefined();
    }),
    { numRuns: RUNS_PER_OPERATION, seed: 20_261_121 },
  );
});
