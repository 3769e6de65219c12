import * as z from "zod";
import type { RouteDefinition } from "../route.ts";
import type { Components } from "./components.ts";

type Json = Readonly<Record<string, unknown>>;

interface Parameter extends Json {
  readonly name: string;
  readonly in: string;
}

export interface Operation extends Json {
  readonly parameters: readonly Json[];
}

const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key within 24 hours gets the same answer, without a second effect.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** What a route takes in its path, query and headers. */
export function describeParameters(route: RouteDefinition, components: Components): Parameter[] {
  return [
    ...inPlace("path", route.params ?? pathParameters(route.path), components),
    ...inPlace("query", route.query, components),
    ...describeSynonyms(route),
    ...inPlace("header", route.headers, components),
    ...(route.idempotent === false ? [] : [idempotencyKey]),
  ];
}

function pathParameters(path: string): z.ZodObject {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map((match) => match[1] ?? "");
  const rest = z.string().meta({
    description: "The rest of the path; slashes in it stay as they are.",
    examples: ["user/repos"],
  });
  return z.object(Object.fromEntries(names.map((name) => [name, rest])));
}

function describeSynonyms(route: RouteDefinition): Parameter[] {
  return Object.entries(route.synonyms?.query ?? {}).map(([synonym, name]) => ({
    name: synonym,
    in: "query",
    required: false,
    deprecated: true,
    description: `Another spelling of \`${name}\`.`,
    schema: { type: "string" },
  }));
}

function inPlace(
  place: string,
  schema: z.ZodObject | undefined,
  components: Components,
): Parameter[] {
  if (schema === undefined) return [];
  const { properties, required } = components.resolve(components.add(schema, "input"));
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(Object(properties)).map(([name, property]) => {
    const { description, examples, deprecated, ...own } = Object(property);
    const whole = components.resolve(Object(property));
    const [example] = Array.isArray(whole["examples"]) ? whole["examples"] : [];
    return {
      name,
      in: place,
      required: place === "path" || needed.has(name),
      ...(deprecated === true ? { deprecated } : {}),
      description: whole["description"],
      ...(example === undefined ? {} : { example }),
      schema: own,
      ...(place === "query" && whole["type"] === "object"
        ? { style: "deepObject", explode: true }
        : {}),
    };
  });
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Parameters that several operations take alike stand in the document once; of several of one name the commonest. */
export function shareParameters(paths: Paths): {
  paths: Record<string, Record<string, Operation>>;
  parameters: Record<string, Json>;
} {
  const counts = new Map<string, number>();
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const given of operation.parameters) {
      const text = JSON.stringify(given);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const shared = new Map<string, string>();
  for (const [text, count] of [...counts].toSorted((a, b) => b[1] - a[1])) {
    const name = keyOf(JSON.parse(text));
    if (count > 1 && !shared.has(name)) shared.set(name, text);
  }
  const refer = (given: Json): Json => {
    const name = keyOf(given);
    const isShared = shared.get(name) === JSON.stringify(given);
    return isShared ? { $ref: `#/components/parameters/${name}` } : given;
  };
  return {
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (operation) => ({
        ...operation,
        parameters: operation.parameters.map(refer),
      })),
    ),
    parameters: Object.fromEntries(
      [...shared]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, text]): [string, Json] => [name, JSON.parse(text)]),
    ),
  };
}

function keyOf({ in: place, name }: Json): string {
  return `${place}.${name}`;
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
