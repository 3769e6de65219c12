import * as z from "zod";

/** Entries of a list when the model does not say how many. */
export const USUAL_LIMIT = 20;

/** What pages of lists are asked by, in words for models. */
const paging = {
  limit: { type: "integer", description: `Entries at most; ${USUAL_LIMIT} unless given` },
  cursor: { type: "string", description: "next_cursor of the page before" },
};

export type Effect = "read" | "write" | "destructive";

interface Described {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly callsOut?: boolean;
  readonly input: z.ZodObject;
}

export type ShownTool = ReturnType<typeof describeTool>;

/** A tool as a client sees it: few words, since all tools are in the model's window at once. */
export function describeTool({ name, description, effect, callsOut, input }: Described) {
  const { $defs: definitions, ...schema } = z.toJSONSchema(input, { io: "input" });
  const { properties, required } = slim(schema, { ...definitions });
  const ownPaging = Object.entries(paging).filter(([field]) => field in input.shape);
  return {
    name,
    description,
    inputSchema: toSchema({
      properties: { ...Object(properties), ...Object.fromEntries(ownPaging) },
      ...(required === undefined ? {} : { required }),
    }),
    annotations: {
      readOnlyHint: effect === "read",
      destructiveHint: effect === "destructive",
      openWorldHint: callsOut === true,
    },
  };
}

function toSchema(schema: Schema): { type: "object" } {
  return { type: "object", ...schema };
}

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that a model needs to choose a value. */
const kept: ReadonlySet<string> = new Set([
  ...["type", "enum", "const", "items", "anyOf", "oneOf", "allOf", "properties", "required"],
  ...["additionalProperties", "description", "minimum", "maximum", "maxItems"],
]);

/** References are put in place: what a field says of itself comes before what its type says of all. */
function slim(schema: Schema, definitions: Schema): Schema {
  const target = definitions[String(schema["$ref"]).replace("#/$defs/", "")];
  const entries = Object.entries({ ...Object(target), ...schema }).filter(([keyword]) =>
    kept.has(keyword),
  );
  return Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, slimKeyword(keyword, value, definitions)]),
  );
}

function slimKeyword(keyword: string, value: unknown, definitions: Schema): unknown {
  const inner = (each: unknown) => (isSchema(each) ? slim(each, definitions) : each);
  if (keyword === "description") return firstSentence(String(value));
  if (Array.isArray(value)) return value.map(inner);
  if (keyword !== "properties") return inner(value);
  return Object.fromEntries(
    Object.entries(Object(value)).map(([name, each]) => [name, inner(each)]),
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstSentence(text: string): string {
  const end = text.indexOf(". ");
  return end === -1 ? text : text.slice(0, end);
}
