import type { JsonSchema } from "#functions";

const DEEPEST = 3;
const LONGEST = 240;

/** What a type is made from: a schema multiplies by its references, so each step is bounded. */
interface Within {
  readonly root: JsonSchema;
  readonly mostFields: number;
  readonly mostMembers: number;
  /** Whether what is left out is written so that a compiler takes it; else for readers, as an ellipsis. */
  readonly compiles: boolean;
  /** How many types it may still have: references multiply. */
  readonly room: { left: number };
}

const MOST_TYPES = 5000;

const LINE = { mostFields: 12, mostMembers: 6, compiles: false };
const WHOLE = { mostFields: 100, mostMembers: 25, compiles: false };

/** A tool as one line of TypeScript: `(input: { email: string; tags?: string[] }) => { id: string }`. */
export function signatureOf(input: JsonSchema, output: JsonSchema | undefined): string {
  const shown = cut(typeOf(input, { ...within(input), ...LINE }, 0));
  return output === undefined
    ? `(input: ${shown})`
    : `(input: ${shown}) => ${cut(typeOf(output, { ...within(output), ...LINE }, 0))}`;
}

/** As a script calls it: `(input: { email: string }, { account? }): Promise<{ id: string }>`. */
export function callSignatureOf(input: JsonSchema, output: JsonSchema | undefined): string {
  const answer = output === undefined ? "unknown" : typescriptOf(output);
  return `(input: ${typescriptOf(input)}, options?: { account?: string }): Promise<${answer}>`;
}

/** The same for a compiler: `(input: { email: string }, options?: { account?: string }): Promise<{ id: string }>`. */
export function declarationOf(input: JsonSchema, output: JsonSchema | undefined): string {
  const declare = (root: JsonSchema) =>
    typeOf(root, { ...within(root), ...WHOLE, compiles: true }, 0);
  const answer = output === undefined ? "unknown" : declare(output);
  return `(input: ${declare(input)}, options?: { account?: string }): Promise<${answer}>`;
}

/** A schema as TypeScript, in more detail than a line has. */
export function typescriptOf(schema: JsonSchema): string {
  return typeOf(schema, { ...within(schema), ...WHOLE }, 0);
}

function within(root: JsonSchema) {
  return { root, room: { left: MOST_TYPES } };
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function typeOf(schema: JsonSchema, within: Within, depth: number): string {
  within.room.left -= 1;
  if (within.room.left < 0) return "unknown";
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
  const more =
    names.length > within.mostFields ? [within.compiles ? "[more: string]: unknown" : "…"] : [];
  return `{ ${[...fields, ...more].join("; ")} }`;
}

function union(
  members: readonly unknown[],
  { mostMembers, compiles }: Within,
  present: (member: unknown) => string,
): string {
  const shown = [...new Set(members.slice(0, mostMembers).map(present))].join(" | ");
  return members.length > mostMembers ? `${shown} | ${compiles ? "unknown" : "…"}` : shown;
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
