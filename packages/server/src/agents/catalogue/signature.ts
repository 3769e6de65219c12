import type { JsonSchema } from "#functions";

const DEEPEST = 3;
const LONGEST = 240;

/** What a type is made from: a schema multiplies by its references, so each step is bounded. */
interface Within {
  readonly root: JsonSchema;
  readonly mostFields: number;
  readonly mostMembers: number;
}

const LINE = { mostFields: 12, mostMembers: 6 };
const WHOLE = { mostFields: 100, mostMembers: 25 };

/** A tool as one line of TypeScript: `(input: { email: string; tags?: string[] }) => { id: string }`. */
export function signatureOf(input: JsonSchema, output: JsonSchema | undefined): string {
  const shown = cut(typeOf(input, { root: input, ...LINE }, 0));
  return output === undefined
    ? `(input: ${shown})`
    : `(input: ${shown}) => ${cut(typeOf(output, { root: output, ...LINE }, 0))}`;
}

/** As a script calls it: `(input: { email: string }, { account? }): Promise<{ id: string }>`. */
export function callSignatureOf(input: JsonSchema, output: JsonSchema | undefined): string {
  const answer = output === undefined ? "unknown" : typescriptOf(output);
  return `(input: ${typescriptOf(input)}, options?: { account?: string }): Promise<${answer}>`;
}

/** A schema as TypeScript, in more detail than a line has. */
export function typescriptOf(schema: JsonSchema): string {
  return typeOf(schema, { root: schema, ...WHOLE }, 0);
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function typeOf(schema: JsonSchema, within: Within, depth: number): string {
  const { type, $ref: reference, const: constant, enum: values } = schema;
  if (typeof reference === "string") {
    const target = depth < DEEPEST ? findTarget(within.root, reference) : undefined;
    return target === undefined ? "object" : typeOf(target, within, depth + 1);
  }
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values))
    return union(values, within, (value) => JSON.stringify(value) ?? "unknown");
  const parts = [schema["anyOf"], schema["oneOf"]].find(Array.isArray);
  if (parts !== undefined) {
    return union(parts, within, (part) => typeOf(asSchema(part), within, depth + 1));
  }
  if (Array.isArray(type))
    return union(type, within, (each) => typeOf({ ...schema, type: each }, within, depth));
  switch (type) {
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    case "array": {
      const inner = typeOf(asSchema(schema["items"]), within, depth + 1);
      return /[ |]/.test(inner) && !inner.startsWith("{") ? `(${inner})[]` : `${inner}[]`;
    }
    default:
      return objectOf(schema, within, depth);
  }
}

function objectOf(schema: JsonSchema, within: Within, depth: number): string {
  const properties = asSchema(schema["properties"]);
  const names = Object.keys(properties);
  if (names.length === 0) return schema["type"] === "object" ? "{}" : "unknown";
  if (depth >= DEEPEST) return "object";
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = names.slice(0, within.mostFields).map((name) => {
    const shown = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const inner = typeOf(asSchema(properties[name]), within, depth + 1);
    return `${shown}${required.includes(name) ? "" : "?"}: ${inner}`;
  });
  const more = names.length > within.mostFields ? ["…"] : [];
  return `{ ${[...fields, ...more].join("; ")} }`;
}

function union(
  members: readonly unknown[],
  { mostMembers }: Within,
  present: (member: unknown) => string,
): string {
  const shown = [...new Set(members.slice(0, mostMembers).map(present))].join(" | ");
  return members.length > mostMembers ? `${shown} | …` : shown;
}

function findTarget(root: JsonSchema, reference: string): JsonSchema | undefined {
  const name = /^#\/(?:definitions|\$defs)\/([^/]+)$/.exec(reference)?.[1];
  if (name === undefined) return undefined;
  const all = asSchema(root["definitions"] ?? root["$defs"]);
  return Object.hasOwn(all, name) ? asSchema(all[name]) : undefined;
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
