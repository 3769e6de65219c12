type Schema = Readonly<Record<string, unknown>>;

export interface SchemaModel {
  name: string;
  fields: { name: string; type: string; optional: boolean }[];
}

/** A schema as a flat list of fields; one that is no object has none. */
export function toSchemaModel(name: string, schema: Schema | undefined): SchemaModel {
  return {
    name,
    fields: listFields(schema).map(({ name: field, schema: own, isRequired }) => ({
      name: field,
      type: describeType(own),
      optional: !isRequired,
    })),
  };
}

export interface SchemaField {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export function listFields(schema: Schema | undefined): SchemaField[] {
  const required = new Set(toList(schema?.["required"]));
  return Object.entries(toSchema(schema?.["properties"])).map(([name, own]) => ({
    name,
    schema: toSchema(own),
    isRequired: required.has(name),
  }));
}

/** `string`, `string[]`, `string | null`, the name of a model, or `any` where a schema says nothing. */
function describeType(schema: Schema): string {
  const choices = [...toList(schema["anyOf"]), ...toList(schema["oneOf"])];
  if (choices.length > 0) {
    return [...new Set(choices.map((each) => describeType(toSchema(each))))].join(" | ");
  }
  const { type, $ref: reference, enum: values } = schema;
  if (Array.isArray(values)) return values.map((each) => JSON.stringify(each)).join(" | ");
  if (typeof reference === "string") return reference.split("/").at(-1) ?? "any";
  if (Array.isArray(type)) return type.join(" | ");
  if (type === "array") return `${describeType(toSchema(schema["items"]))}[]`;
  return typeof type === "string" ? type : "any";
}

/** One word of JSON Schema for a value; what may be several things is named after the first that is not null. */
export function simpleType(schema: Schema): string {
  const { type, enum: values } = schema;
  if (typeof type === "string") return type;
  if (Array.isArray(type)) return String(type.find((each) => each !== "null") ?? "null");
  const choices = [...toList(schema["anyOf"]), ...toList(schema["oneOf"])].map((each) =>
    simpleType(toSchema(each)),
  );
  const first = choices.find((each) => each !== "null");
  if (first !== undefined) return first;
  if (Array.isArray(values))
    return values.every((each) => typeof each === "number") ? "number" : "string";
  return "properties" in schema || "$ref" in schema ? "object" : "string";
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}
