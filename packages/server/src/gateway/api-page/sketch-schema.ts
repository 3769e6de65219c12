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
    const { description } = Object(property);
    const note = typeof description === "string" ? `${inner}// ${description}\n` : "";
    return `${note}${inner}${name}${mark}: ${sketchSchema(property, inner)}`;
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

// What zod writes where the contract sets no bound.
const UNBOUNDED: readonly unknown[] = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];

function boundsOf(schema: unknown): string {
  const { format, minLength, maxLength, minimum, maximum } = Object(schema);
  const length = rangeOf(minLength, maxLength);
  const texts = [
    ...(typeof format === "string" ? [format] : []),
    ...(length === undefined ? [] : [`${length} characters`]),
    ...[rangeOf(minimum, maximum) ?? []].flat(),
  ];
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}

function rangeOf(least: unknown, most: unknown): string | undefined {
  const from = typeof least === "number" && !UNBOUNDED.includes(least) ? least : undefined;
  const to = typeof most === "number" && !UNBOUNDED.includes(most) ? most : undefined;
  if (to === undefined) return from === undefined ? undefined : `at least ${from}`;
  return from === undefined ? `at most ${to}` : `${from} to ${to}`;
}
