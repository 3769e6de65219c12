/** A JSON Schema as far as a form is made of it. */
export interface SchemaField {
  readonly name: string;
  /** In short, as people read it. */
  readonly type: string;
  readonly isNeeded: boolean;
  readonly description: string;
  /** How it is entered; `json` where the form has no control. */
  readonly control: "text" | "number" | "switch" | "choice" | "json";
  readonly choices: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema with a name, as functions keep them: below `definitions`. */
export function schemaOf(whole: unknown, name: string | undefined): Schema | undefined {
  if (name === undefined || !isObject(whole) || !isObject(whole["definitions"])) return undefined;
  const found = whole["definitions"][name];
  return isObject(found) ? resolve(whole, found) : undefined;
}

const MOST_HOPS = 10;

function resolve(whole: unknown, schema: Schema): Schema {
  let current = schema;
  for (let hop = 0; hop < MOST_HOPS && typeof current["$ref"] === "string"; hop += 1) {
    const name = current["$ref"].split("/").at(-1) ?? "";
    const definitions = isObject(whole) ? whole["definitions"] : undefined;
    const found = isObject(definitions) ? definitions[decodeURIComponent(name)] : undefined;
    if (!isObject(found)) return current;
    current = found;
  }
  return current;
}

/** Its fields on the first level; none for a schema that is not of an object with known fields. */
export function fieldsOf(whole: unknown, schema: Schema | undefined): SchemaField[] {
  if (schema === undefined || !isObject(schema["properties"])) return [];
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(schema["properties"]).flatMap(([name, given]) => {
    if (!isObject(given)) return [];
    const field = resolve(whole, given);
    const choices = Array.isArray(field["enum"]) ? field["enum"] : [];
    const areTexts = choices.length > 0 && choices.every((choice) => typeof choice === "string");
    return [
      {
        name,
        type: shortTypeOf(whole, field),
        isNeeded: needed.includes(name),
        description: String(given["description"] ?? field["description"] ?? ""),
        control: areTexts ? "choice" : controlOf(field),
        choices: areTexts ? choices.map(String) : [],
      } satisfies SchemaField,
    ];
  });
}

function controlOf(field: Schema): SchemaField["control"] {
  if (field["enum"] !== undefined || field["const"] !== undefined) return "json";
  if (field["type"] === "string") return "text";
  if (field["type"] === "number" || field["type"] === "integer") return "number";
  return field["type"] === "boolean" ? "switch" : "json";
}

function shortTypeOf(whole: unknown, field: Schema): string {
  const { type, items } = field;
  if (Array.isArray(field["enum"]))
    return field["enum"].map((one) => JSON.stringify(one)).join(" | ");
  if (type === "array") {
    return isObject(items) ? `${shortTypeOf(whole, resolve(whole, items))}[]` : "array";
  }
  const several = field["anyOf"] ?? field["oneOf"];
  if (Array.isArray(several)) {
    return several
      .filter(isObject)
      .map((one) => shortTypeOf(whole, resolve(whole, one)))
      .join(" | ");
  }
  if (Array.isArray(type)) return type.join(" | ");
  return typeof type === "string" ? type : "any";
}
