/** A JSON schema as one writes it on a whiteboard: `{ name: string, tags?: { [key]: string } }`. */
export function sketchSchema(schema: unknown, indent = ""): string {
  const { type, properties, items, anyOf, oneOf, allOf, additionalProperties, required, $ref } =
    Object(schema);
  const literals = literalsOf(schema);
  if (literals !== undefined) return literals;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return join(choices, " | ", indent);
  if (Array.isArray(allOf)) return join(allOf, " & ", indent);
  if (type === "array") return `${group(sketchSchema(items, indent))}[]`;
  if (Object.keys(Object(properties)).length > 0) {
    return sketchObject(Object(properties), { required, indent });
  }
  if (type === "object") {
    const values = typeof additionalProperties === "object" ? additionalProperties : {};
    return `{ [key]: ${sketchSchema(values, indent)} }`;
  }
  const types = [type ?? "any"].flat().join(" | ");
  return `${types}${boundsOf(schema)}`;
}

function literalsOf(schema: unknown): string | undefined {
  const { const: literal, enum: literals } = Object(schema);
  if (Array.isArray(literals)) return literals.map((value) => JSON.stringify(value)).join(" | ");
  return literal === undefined ? undefined : JSON.stringify(literal);
}

function sketchObject(
  properties: Readonly<Record<string, unknown>>,
  { required, indent }: { required: unknown; indent: string },
): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = Array.isArray(required) && required.includes(name) ? "" : "?";
    return `${inner}${name}${mark}: ${sketchSchema(property, inner)}`;
  });
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function join(schemas: readonly unknown[], separator: string, indent: string): string {
  const sketches = schemas.map((schema) => sketchSchema(schema, indent));
  return [...new Set(sketches)].join(separator);
}

function group(sketch: string): string {
  return sketch.includes(" | ") && !sketch.startsWith("{") ? `(${sketch})` : sketch;
}

const bounds = [
  ["minLength", "at least", "characters"],
  ["maxLength", "at most", "characters"],
  ["minimum", "from", ""],
  ["maximum", "to", ""],
] as const;

// What zod writes where the contract sets no bound.
const UNBOUNDED = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

function boundsOf(schema: unknown): string {
  const texts = bounds.flatMap(([key, before, after]) => {
    const value: unknown = Object(schema)[key];
    if (typeof value !== "number" || UNBOUNDED.has(value)) return [];
    return [`${before} ${value}${after === "" ? "" : ` ${after}`}`];
  });
  const format: unknown = Object(schema)["format"];
  if (typeof format === "string") texts.unshift(format);
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}
