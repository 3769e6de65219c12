// biome-ignore lint/suspicious/noExplicitAny: tests look into documents and compare what they find
export type Schema = Record<string, any>;

/** A value as the schema describes it, with what is required and a little more. */
export function sampleOf(document: Schema, schema: Schema, depth = 0): unknown {
  if (typeof schema["$ref"] === "string") {
    const parts = schema["$ref"].split("/").slice(1);
    const target = parts.reduce((found, part) => found[part.replaceAll("~1", "/")], document);
    return sampleOf(document, target, depth);
  }
  if (schema["enum"] !== undefined) return schema["enum"][0];
  if (schema["allOf"] !== undefined) {
    const parts = schema["allOf"].map((part: Schema) => sampleOf(document, part, depth));
    return typeof parts[0] === "object" ? Object.assign({}, ...parts) : parts[0];
  }
  const option = schema["oneOf"]?.[0] ?? schema["anyOf"]?.[0];
  if (option !== undefined) return sampleOf(document, option, depth);
  if (schema["type"] === "object" || schema["properties"] !== undefined) {
    return objectOf(document, schema, depth);
  }
  if (schema["type"] === "array") {
    return depth > 5 ? [] : [sampleOf(document, schema["items"] ?? {}, depth + 1)];
  }
  if (schema["type"] === "integer" || schema["type"] === "number") return 1;
  if (schema["type"] === "boolean") return true;
  return schema["nullable"] === true && depth > 3 ? null : "text";
}

function objectOf(document: Schema, schema: Schema, depth: number): Schema {
  const required: string[] = schema["required"] ?? [];
  const properties: [string, Schema][] = Object.entries(schema["properties"] ?? {});
  const wanted = properties.filter(([name]) => required.includes(name) || depth === 0);
  return Object.fromEntries(
    wanted
      .filter(([name]) => depth < 8 || required.includes(name))
      .map(([name, property]) => [name, sampleOf(document, property, depth + 1)]),
  );
}
