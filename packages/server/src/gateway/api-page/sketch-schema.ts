/** How references are read, and the types that they name written. */
export interface Sketching {
  readonly resolve: (schema: unknown) => Readonly<Record<string, unknown>>;
  readonly writeType: (name: string) => string;
}

const plain: Sketching = { resolve: (schema) => Object(schema), writeType: (name) => name };

/** A JSON schema as one writes it on a whiteboard: `{ name: string, tags?: { [key]: string } }`. */
export function sketchSchema(schema: unknown, sketching = plain, indent = ""): string {
  const { type, properties, items, anyOf, oneOf, allOf, additionalProperties, required, $ref } =
    Object(schema);
  const sketch = (inner: unknown, deeper = indent) => sketchSchema(inner, sketching, deeper);
  if (typeof $ref === "string") {
    const target = sketching.resolve(schema);
    if (!isType(target)) return sketch(target);
    return sketching.writeType($ref.slice($ref.lastIndexOf("/") + 1));
  }
  const literals = literalsOf(schema);
  if (literals !== undefined) return literals;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices))
    return join(
      choices.map((each) => sketch(each)),
      " | ",
    );
  if (Array.isArray(allOf))
    return join(
      allOf.map((each) => sketch(each)),
      " & ",
    );
  if (type === "array") return `${group(sketch(items))}[]`;
  if (Object.keys(Object(properties)).length > 0) {
    return sketchObject(Object(properties), { required, indent, sketch });
  }
  if (type === "object") {
    const values = typeof additionalProperties === "object" ? additionalProperties : {};
    return `{ [key]: ${sketch(values)} }`;
  }
  const types = [type ?? "any"].flat().join(" | ");
  return `${types}${boundsOf(schema)}`;
}

/** Whether a schema of the document is named where it is used: objects and choices of objects are, texts are not. */
export function isType(schema: unknown): boolean {
  const { properties, anyOf, oneOf, $ref } = Object(schema);
  if (typeof $ref === "string" || Object.keys(Object(properties)).length > 0) return true;
  const choices: unknown = anyOf ?? oneOf;
  return Array.isArray(choices) && choices.some(isType);
}

function literalsOf(schema: unknown): string | undefined {
  const { const: literal, enum: literals } = Object(schema);
  if (Array.isArray(literals)) return literals.map((value) => JSON.stringify(value)).join(" | ");
  return literal === undefined ? undefined : JSON.stringify(literal);
}

function sketchObject(
  properties: Readonly<Record<string, unknown>>,
  {
    required,
    indent,
    sketch,
  }: {
    required: unknown;
    indent: string;
    sketch: (schema: unknown, indent: string) => string;
  },
): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = Array.isArray(required) && required.includes(name) ? "" : "?";
    const { description } = Object(property);
    const note = typeof description === "string" ? `${inner}// ${description}\n` : "";
    return `${note}${inner}${name}${mark}: ${sketch(property, inner)}`;
  });
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function join(sketches: readonly string[], separator: string): string {
  return [...new Set(sketches)].join(separator);
}

function group(sketch: string): string {
  return sketch.includes(" | ") && !sketch.startsWith("{") ? `(${sketch})` : sketch;
}

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
  const from = typeof least === "number" ? least : undefined;
  const to = typeof most === "number" ? most : undefined;
  if (to === undefined) return from === undefined ? undefined : `at least ${from}`;
  return from === undefined ? `at most ${to}` : `${from} to ${to}`;
}
