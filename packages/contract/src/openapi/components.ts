import * as z from "zod";

type Direction = "input" | "output";
type Json = Readonly<Record<string, unknown>>;

const LOCAL = "#/$defs/";
const SHARED = "#/components/schemas/";

/** Schemas of the document. Those with an `id` in their metadata stand in it once, and elsewhere by reference. */
export class Components {
  /** By direction and id. What a caller sends may differ from what is answered: it has no defaults, for example. */
  readonly #found = { input: new Map<string, Json>(), output: new Map<string, Json>() };

  /** The schema as JSON Schema, with references of its direction; `finish` gives them their names. */
  add(schema: z.ZodType, direction: Direction): Json {
    // Inside of another schema, for a schema by itself is written out even if it has an id.
    const holder = z.strictObject({ schema });
    const json = z.toJSONSchema(holder, {
      io: direction,
      unrepresentable: "any",
      target: "draft-2020-12",
      reused: "inline",
      override: ({ zodSchema, jsonSchema }) => {
        dropSafeBounds(jsonSchema);
        const examples = ownExamples(zodSchema);
        if (examples !== undefined) jsonSchema.examples = examples;
      },
    });
    const { $defs = {}, properties } = json;
    for (const [id, definition] of Object.entries($defs)) {
      this.#found[direction].set(id, marked(definition, direction));
    }
    return marked(Object(properties?.["schema"]), direction);
  }

  /** What a reference made by `add` stands for, with its own siblings in front. */
  resolve(schema: Json): Json {
    const { $ref: reference, ...siblings } = schema;
    if (typeof reference !== "string") return schema;
    const [id = "", direction] = reference.slice(SHARED.length).split("~");
    const found = this.#found[direction === "input" ? "input" : "output"].get(id) ?? {};
    return { ...this.resolve(found), ...siblings };
  }

  /** The part of the document that was made with `add`, and the schemas that it refers to, by name. */
  finish<Part>(part: Part): { part: Part; schemas: Record<string, Json> } {
    const differing = this.#findDiffering();
    const rename = (json: unknown) =>
      JSON.parse(JSON.stringify(json), (key, value) =>
        key === "$ref" && typeof value === "string" ? nameOf(value, differing) : value,
      );
    const schemas = (["output", "input"] as const).flatMap((direction) =>
      [...this.#found[direction]].map(([id, json]): [string, Json] => [
        nameOf(`${SHARED}${id}~${direction}`, differing).slice(SHARED.length),
        rename(json),
      ]),
    );
    const sorted = schemas.toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { part: rename(part), schemas: Object.fromEntries(sorted) };
  }

  /** Ids whose two directions are not the same, by themselves or by what they refer to. */
  #findDiffering(): ReadonlySet<string> {
    const { input, output } = this.#found;
    const both = [...input.keys()].filter((id) => output.has(id));
    const plain = (json: Json | undefined) =>
      JSON.stringify(json).replaceAll(/~(in|out)put"/g, '"');
    const differing = new Set(both.filter((id) => plain(input.get(id)) !== plain(output.get(id))));
    const refersToOne = (id: string) =>
      [...differing].some((other) => plain(input.get(id)).includes(`"${SHARED}${other}"`));
    for (let size = -1; size !== differing.size; ) {
      size = differing.size;
      for (const id of both) if (refersToOne(id)) differing.add(id);
    }
    return differing;
  }
}

/** Of schemas that transform what is sent, too, of which zod leaves them out; not those of the schema with a name. */
function ownExamples(schema: z.core.$ZodType): unknown[] | undefined {
  const { parent } = schema._zod;
  const examples = z.globalRegistry.get(schema)?.["examples"];
  const inherited = parent === undefined ? undefined : z.globalRegistry.get(parent)?.["examples"];
  return Array.isArray(examples) && examples !== inherited ? examples : undefined;
}

/** Of whole numbers without bounds of their own: those of JavaScript say nothing about the value. */
function dropSafeBounds(json: { minimum?: number; maximum?: number }): void {
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
}

function nameOf(reference: string, differing: ReadonlySet<string>): string {
  const [name = "", direction] = reference.split("~");
  const isApart = direction === "input" && differing.has(name.slice(SHARED.length));
  return isApart ? `${name}Input` : name;
}

function marked(json: unknown, direction: Direction): Json {
  return JSON.parse(JSON.stringify(json), (key, value) =>
    key === "$ref" && typeof value === "string"
      ? `${value.replace(LOCAL, SHARED)}~${direction}`
      : value,
  );
}
