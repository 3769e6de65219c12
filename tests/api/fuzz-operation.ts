import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { nonconformity } from "../journeys/conformance.ts";
import {
  type Ids,
  type JsonSchema,
  type Operation,
  operations,
  type SampleRequest,
  sampleRequest,
  sampleValue,
} from "./sample-request.ts";

// Promise A5: regardless of the request, openapi.json describes the answer, which is never a 5xx of ours.

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
  // Nothing listens there. Samples of other addresses are names, which would be looked up outside.
  url: "http://127.0.0.1:9/hooks",
  primary_url: "http://127.0.0.1:9/hooks",
  secondary_url: "http://127.0.0.1:9/hooks",
};

// Streams stay open, the proxy answers with what a provider says, and the dashboard is a page at a host of its own.
const skipped = /^\/(proxy|connect\/session\/events|dashboard)/;

type Described = (typeof operations)[number];

/** Every operation that can be tried, by its name. */
export const fuzzed: readonly (readonly [name: string, described: Described])[] = operations
  .filter(({ path }) => !skipped.test(path))
  .map((described) => [`${described.method} ${described.path}`, described] as const);

interface Target {
  readonly url: string;
  readonly key: string;
}

const SEED = 20_261_121;

/** Sends the given numbers of requests that fit the description and that do not; throws at the first bad answer. */
export async function fuzzOperation(
  target: Target,
  described: Described,
  runs: { readonly valid: number; readonly mutated: number },
): Promise<void> {
  const sample = sampleRequest(described, ids);
  const check = async (request: SampleRequest): Promise<void> => {
    const { status, body } = await send(target, request);
    // A body may name an identity provider that cannot be reached, which is no failure of the server.
    const isOthers = status === 502 && body?.error?.code === "identity_provider_failed";
    if (!isOthers) expect(status, JSON.stringify(body)).toBeLessThan(500);
    expect(nonconformity({ ...request, status, body })).toBeUndefined();
  };
  await makeWhatIsNamed(target);
  const valid = validRequest(described, sample);
  await fc.assert(fc.asyncProperty(valid, check), { numRuns: runs.valid, seed: SEED });
  if (described.method !== "GET") await makeWhatIsNamed(target);
  const mutated = mutation.map((change) => mutate(sample, change));
  await fc.assert(fc.asyncProperty(mutated, check), { numRuns: runs.mutated, seed: SEED });
}

/** The integration and the connection that requests name; there may be some already. */
async function makeWhatIsNamed(target: Target): Promise<void> {
  const make = { method: "POST", headers: {} };
  const integration_config = { base_url: "https://api.example.com" };
  const integration = { unique_key: "crm", provider: "private-api-bearer", integration_config };
  await send(target, { ...make, path: "/integrations", body: integration });
  const credentials = { type: "API_KEY", apiKey: "k" };
  const connection = { provider_config_key: "crm", connection_id: "acme", credentials };
  await send(target, { ...make, path: "/connections", body: connection });
}

/** Requests that the description allows, with optional parts there or not. */
function validRequest(
  { operation }: Described,
  sample: SampleRequest,
): fc.Arbitrary<SampleRequest> {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema === undefined ? fc.constant(undefined) : arbitraryOf(schema);
  return fc.record({ body, query: queryOf(operation) }).map(({ body: sent, query }) => {
    const path = sample.path.split("?")[0] ?? "";
    const search = new URLSearchParams(sample.path.split("?")[1]);
    for (const [name, value] of Object.entries(query)) {
      for (const [key, text] of toQuery(name, value)) search.append(key, text);
    }
    return { ...sample, body: sent, path: search.size === 0 ? path : `${path}?${search}` };
  });
}

/** Lists repeat the name, objects put theirs into brackets. */
function toQuery(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.map((each) => [name, String(each)]);
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  return Object.entries(value).map(([key, each]) => [`${name}[${key}]`, JSON.stringify(each)]);
}

function queryOf({ parameters }: Operation): fc.Arbitrary<Record<string, unknown>> {
  const optional = parameters.filter(({ in: place, name }) => place === "query" && !(name in ids));
  const shapes = Object.fromEntries(
    optional.map(({ name, schema }) => [name, arbitraryOf(schema)]),
  );
  const requiredKeys = optional.filter(({ required }) => required).map(({ name }) => name);
  return fc.record<Record<string, unknown>, string>(shapes, { requiredKeys });
}

function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (typeof schema === "boolean") return fc.jsonValue({ maxDepth: 2 });
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"]);
  const options = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(options)) return fc.oneof(...options.map(arbitraryOf));
  if (Array.isArray(schema["allOf"])) return arbitraryOf(schema["allOf"][0]);
  const { type, minimum, maximum, minLength, maxLength } = schema;
  switch (type) {
    case "object":
      return objectOf(schema);
    case "array":
      return fc.array(arbitraryOf(Object(schema["items"] ?? {})), {
        minLength: Number(schema["minItems"] ?? 0),
        maxLength: Math.max(3, Number(schema["minItems"] ?? 0)),
      });
    case "integer":
    case "number": {
      const min = Number(minimum ?? 0);
      return fc.integer({ min, max: Math.max(min, Math.min(Number(maximum ?? 1000), min + 1000)) });
    }
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string": {
      const isFree = schema["format"] === undefined && schema["pattern"] === undefined;
      if (!isFree) return fc.constant(sampleValue(schema, ids));
      const min = Number(minLength ?? 0);
      return fc.string({
        minLength: min,
        maxLength: Math.max(min, Math.min(Number(maxLength ?? 30), 30)),
      });
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(schema: Readonly<Record<string, unknown>>): fc.Arbitrary<object> {
  const properties: Record<string, JsonSchema> = Object(schema["properties"]);
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const shapes = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      name in ids ? fc.constant(ids[name]) : arbitraryOf(property),
    ]),
  );
  return fc.record<Record<string, unknown>, string>(shapes, {
    requiredKeys: required.filter((name) => name in shapes),
  });
}

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

async function send({ url, key }: Target, request: SampleRequest) {
  const response = await fetch(`${url}${request.path}`, {
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
  const type = response.headers.get("content-type") ?? "";
  const whole = await response.text();
  // Each line of a stream is what is described.
  const text = type.includes("ndjson") ? (whole.split("\n", 1)[0] ?? "") : whole;
  const isJson = type.includes("json");
  return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : text };
}
