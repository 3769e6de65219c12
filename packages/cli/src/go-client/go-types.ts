import {
  isJsonObject,
  type JsonObject,
  listField,
  objectField,
  textField,
  textsField,
} from "@jackfield/functions/openapi";
import { comment, exportedName, UniqueNames } from "./go-names.ts";

/** A type of Go, and whether null is one of its values on the wire. */
interface GoType {
  readonly go: string;
  readonly isNullable: boolean;
}

const scalars: Readonly<Record<string, string>> = {
  boolean: "bool",
  integer: "int64",
  number: "float64",
  string: "string",
};

/** The schemas of a document as types of Go; those that stand within others get a name of their own. */
export class GoTypes {
  readonly #names = new UniqueNames();
  readonly #byReference = new Map<string, string>();
  readonly #schemas: JsonObject;
  readonly #written: string[] = [];

  constructor(document: JsonObject, reserved: readonly string[]) {
    for (const name of reserved) this.#names.take(name);
    this.#schemas = objectField(objectField(document, "components"), "schemas") ?? {};
    for (const name of Object.keys(this.#schemas)) {
      this.#byReference.set(`#/components/schemas/${name}`, this.#names.take(exportedName(name)));
    }
    for (const [name, schema] of Object.entries(this.#schemas)) {
      this.#writeNamed(this.#byReference.get(`#/components/schemas/${name}`) ?? name, schema);
    }
  }

  get texts(): readonly string[] {
    return this.#written;
  }

  /** A name that no other type has. */
  takeName(wanted: string): string {
    return this.#names.take(wanted);
  }

  /** The type of a schema; `name` is for what has to be declared for it. */
  typeOf(schema: unknown, name: string): string {
    const { go, isNullable } = this.#read(schema, name);
    return isNullable && !isNil(go) ? `*${go}` : go;
  }

  /** A struct's field with its comment. */
  field(
    owner: string,
    schema: unknown,
    { name, isRequired }: { name: string; isRequired: boolean },
  ) {
    const { go, isNullable } = this.#read(schema, `${owner}${exportedName(name)}`);
    const tag = `\`json:"${name}${isRequired ? "" : ",omitempty"}"\``;
    const about = comment(textField(schema, "description") ?? "", "\t");
    return `${about}\t${exportedName(name)} ${fieldType(go, { isNullable, isRequired })} ${tag}\n`;
  }

  #writeNamed(name: string, schema: unknown): void {
    const about = comment(`${name}: ${textField(schema, "description") ?? "see its fields."}`);
    const values = textsField(schema, "enum");
    if (textField(schema, "type") === "string" && values.length > 0) {
      this.#written.push(`${about}type ${name} = string\n\n${this.#constants(name, values)}`);
      return;
    }
    if (isStruct(schema)) this.#writeStruct(name, schema, about);
    else this.#written.push(`${about}type ${name} = ${this.typeOf(schema, `${name}Value`)}\n`);
  }

  #constants(name: string, values: readonly string[]): string {
    const lines = values.map(
      (value) =>
        `\t${this.#names.take(`${name}${exportedName(value)}`)} ${name} = ${JSON.stringify(value)}\n`,
    );
    return `// Values of ${name}.\nconst (\n${lines.join("")})\n`;
  }

  #writeStruct(name: string, schema: JsonObject, about: string): void {
    const required = new Set(textsField(schema, "required"));
    const used = new UniqueNames();
    const fields = Object.entries(objectField(schema, "properties") ?? {}).flatMap(
      ([key, value]) =>
        // Two spellings of a field that Go would write alike: the first one serves.
        used.take(exportedName(key)) === exportedName(key)
          ? [this.field(name, value, { name: key, isRequired: required.has(key) })]
          : [],
    );
    this.#written.push(`${about}type ${name} struct {\n${fields.join("")}}\n`);
  }

  #read(schema: unknown, name: string): GoType {
    const reference = textField(schema, "$ref");
    if (reference !== undefined) return this.#follow(reference);
    const choices = [...listField(schema, "anyOf"), ...listField(schema, "oneOf")];
    if (choices.length > 0) return this.#readChoices(choices, name);
    const types = textsField(schema, "type");
    const isNullable = types.includes("null");
    const [only, second] = types.filter((type) => type !== "null");
    if (second !== undefined) return { go: "any", isNullable };
    return { go: this.#readType(schema, only ?? textField(schema, "type"), name), isNullable };
  }

  #follow(reference: string): GoType {
    const name = this.#byReference.get(reference);
    if (name === undefined) return { go: "any", isNullable: false };
    const schema = this.#schemas[reference.replace("#/components/schemas/", "")];
    // An alias of a list or of anything takes null by itself.
    return {
      go: isStruct(schema) || isText(schema) ? name : this.#aliased(schema, name),
      isNullable: false,
    };
  }

  /** An alias is as nil as what it stands for, which its name does not show. */
  #aliased(schema: unknown, name: string): string {
    return isNil(this.#read(schema, `${name}Value`).go)
      ? this.#read(schema, `${name}Value`).go
      : name;
  }

  #readChoices(choices: readonly unknown[], name: string): GoType {
    const [only, second] = choices.filter((choice) => textField(choice, "type") !== "null");
    const hasNull = choices.some((choice) => textField(choice, "type") === "null");
    if (only === undefined) return { go: "any", isNullable: false };
    if (second === undefined) {
      const { go, isNullable } = this.#read(only, name);
      return { go, isNullable: isNullable || hasNull };
    }
    const isTexts = choices.every((choice) => textField(choice, "type") === "string");
    return { go: isTexts ? "string" : "any", isNullable: hasNull };
  }

  #readType(schema: unknown, type: string | undefined, name: string): string {
    if (textField(schema, "format") === "date-time") return "time.Time";
    if (textField(schema, "contentEncoding") === "base64") return "[]byte";
    if (type === "array")
      return `[]${this.typeOf(objectField(schema, "items") ?? {}, `${name}Item`)}`;
    if (isJsonObject(schema) && isStruct(schema)) {
      const own = this.#names.take(name);
      const text = textField(schema, "description") ?? "part of what its name begins with.";
      this.#writeStruct(own, schema, comment(`${own}: ${text}`));
      return own;
    }
    if (type === "object") {
      const values = objectField(schema, "additionalProperties");
      return `map[string]${values === undefined ? "any" : this.typeOf(values, `${name}Value`)}`;
    }
    const constant = isJsonObject(schema) ? typeof schema["const"] : "undefined";
    if (type === undefined) return constant === "boolean" ? "bool" : "any";
    return scalars[type] ?? "any";
  }
}

function isStruct(schema: unknown): schema is JsonObject {
  return textField(schema, "type") === "object" && objectField(schema, "properties") !== undefined;
}

function isText(schema: unknown): boolean {
  return textField(schema, "type") === "string";
}

/** Types that have a value for what is not there. */
function isNil(go: string): boolean {
  return go === "any" || go.startsWith("[]") || go.startsWith("map[") || go.startsWith("*");
}

function fieldType(
  go: string,
  { isNullable, isRequired }: { isNullable: boolean; isRequired: boolean },
): string {
  if (isNullable && !isRequired) return `*Nullable[${go}]`;
  if (isNil(go)) return go;
  return isNullable || !isRequired ? `*${go}` : go;
}
