import { isDeepStrictEqual } from "node:util";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema and the document that its references point into. */
export interface SchemaIn {
  readonly schema: unknown;
  /** Schemas by name, to which `#/definitions/<name>` refers. */
  readonly definitions: Readonly<Record<string, unknown>>;
}

/** Some values of the one schema that the other refuses. */
export interface Misfit {
  /** Of the value, such as `address.lines[]`; empty for the whole. */
  readonly path: string;
  readonly kind: "required" | "unknown" | "type" | "values" | "bounds" | "format";
  /** What the one has and the other does not, in words. */
  readonly what: string;
}

/** Beyond it the two count as different. */
const MOST_STEPS = 20_000;
const MOST_MISFITS = 50;

export class TooLargeToCompare extends Error {}

/**
 * What `from` allows and `to` refuses, for schemas as zod writes them (JSON Schema draft 7). Errs towards a misfit: of
 * two patterns or formats that differ none is taken to include the other. Properties that `from` does not name are not
 * looked at. Throws TooLargeToCompare.
 */
export function findMisfits(from: SchemaIn, to: SchemaIn): Misfit[] {
  return new Comparison(from.definitions, to.definitions).run(from.schema, to.schema);
}

class Comparison {
  readonly #from: SchemaIn["definitions"];
  readonly #to: SchemaIn["definitions"];
  readonly #meeting = new Map<unknown, Set<unknown>>();
  #steps = 0;

  constructor(from: SchemaIn["definitions"], to: SchemaIn["definitions"]) {
    this.#from = from;
    this.#to = to;
  }

  run(from: unknown, to: unknown): Misfit[] {
    return this.#compare(from, to, "").slice(0, MOST_MISFITS);
  }

  #compare(fromGiven: unknown, toGiven: unknown, path: string): Misfit[] {
    this.#steps += 1;
    if (this.#steps > MOST_STEPS) throw new TooLargeToCompare();
    const from = resolve(fromGiven, this.#from);
    const to = resolve(toGiven, this.#to);
    if (!isSchema(to) || !isSchema(from)) return to === false ? [misfit(path, "type", "any")] : [];
    const met = this.#meeting.get(from) ?? new Set();
    // Recursive schemas meet themselves again, where the answer is the one that is being found.
    if (met.has(to)) return [];
    this.#meeting.set(from, met.add(to));
    const misfits = this.#compareResolved(from, to, path);
    met.delete(to);
    return misfits;
  }

  #compareResolved(from: JsonSchema, to: JsonSchema, path: string): Misfit[] {
    const branches = branchesOf(from);
    if (branches !== undefined) return branches.flatMap((each) => this.#compare(each, to, path));
    const choices = branchesOf(to);
    if (choices !== undefined) return this.#compareWithChoices(from, choices, path);
    const values = valuesOf(from);
    if (values !== undefined) return this.#compareValues(values, to, path);
    return this.#compareOne(from, to, path);
  }

  #compareWithChoices(from: JsonSchema, choices: readonly unknown[], path: string): Misfit[] {
    const tried = choices.map((choice) => this.#compare(from, choice, path));
    if (tried.some((misfits) => misfits.length === 0)) return [];
    // The choice that is closest says more than that none fits.
    const closest = tried.toSorted((a, b) => a.length - b.length)[0] ?? [];
    const isOfOneType = closest.every(({ path: of, kind }) => of !== path || kind !== "type");
    return isOfOneType ? closest : [misfit(path, "type", nameOf(from))];
  }

  #compareValues(values: readonly unknown[], to: JsonSchema, path: string): Misfit[] {
    const allowed = valuesOf(to);
    const refused = values.filter((value) =>
      allowed === undefined
        ? !takes(to, value)
        : !allowed.some((each) => isDeepStrictEqual(each, value)),
    );
    if (refused.length === 0) return [];
    const shown = refused.slice(0, 3).map((value) => JSON.stringify(value).slice(0, 60));
    const more = refused.length > shown.length ? ` and ${refused.length - shown.length} more` : "";
    return [misfit(path, "values", shown.join(", ") + more)];
  }

  #compareOne(from: JsonSchema, to: JsonSchema, path: string): Misfit[] {
    if (valuesOf(to) !== undefined) return [misfit(path, "values", `any ${nameOf(from)}`)];
    const toType = to["type"];
    if (toType !== undefined && !includesType(toType, from["type"])) {
      return [misfit(path, "type", nameOf(from))];
    }
    return [
      ...findTighterBounds(from, to, path),
      ...this.#compareProperties(from, to, path),
      ...this.#compareItems(from, to, path),
    ];
  }

  #compareProperties(from: JsonSchema, to: JsonSchema, path: string): Misfit[] {
    const given = propertiesOf(from);
    const known = propertiesOf(to);
    const sure = new Set(namesOf(from["required"]));
    const required = namesOf(to["required"]).filter((name) => !sure.has(name));
    const rest = to["additionalProperties"];
    const found = required.map((name) =>
      misfit(under(path, name), "required", name in given ? "optional" : "absent"),
    );
    for (const [name, schema] of Object.entries(given)) {
      const at = under(path, name);
      const other = known[name];
      if (other !== undefined) found.push(...this.#compare(schema, other, at));
      else if (rest === false) found.push(misfit(at, "unknown", nameOf(schema)));
      else if (isSchema(rest)) found.push(...this.#compare(schema, rest, at));
    }
    return [...found, ...this.#compareRest(from, to, path)];
  }

  /** Names that the one schema does not mention, and has a schema for. */
  #compareRest(from: JsonSchema, to: JsonSchema, path: string): Misfit[] {
    const [own, rest] = [from["additionalProperties"], to["additionalProperties"]];
    if (!isSchema(own)) return [];
    const given = propertiesOf(from);
    const named = Object.entries(propertiesOf(to)).filter(([name]) => !(name in given));
    const found = named.flatMap(([name, schema]) => this.#compare(own, schema, under(path, name)));
    if (rest === false) found.push(misfit(under(path, "*"), "unknown", nameOf(own)));
    else if (isSchema(rest)) found.push(...this.#compare(own, rest, under(path, "*")));
    return found;
  }

  #compareItems(from: JsonSchema, to: JsonSchema, path: string): Misfit[] {
    const [given, known] = [from["items"], to["items"]];
    if (known === undefined || given === undefined) return [];
    if (!Array.isArray(given) && !Array.isArray(known)) {
      return this.#compare(given, known, `${path}[]`);
    }
    return isDeepStrictEqual(given, known) ? [] : [misfit(`${path}[]`, "type", "list")];
  }
}

const upperBounds = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];
const lowerBounds = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
const exact = ["multipleOf", "pattern", "format"];

function findTighterBounds(from: JsonSchema, to: JsonSchema, path: string): Misfit[] {
  const isTighter = (name: string, sign: 1 | -1) => {
    const limit = to[name];
    if (typeof limit !== "number") return false;
    const own = from[name];
    return typeof own !== "number" || sign * own > sign * limit;
  };
  const bounds = [
    ...upperBounds.filter((name) => isTighter(name, 1)),
    ...lowerBounds.filter((name) => isTighter(name, -1)),
  ];
  const formats = exact.filter((name) => to[name] !== undefined && to[name] !== from[name]);
  return [
    ...bounds.map((name) => misfit(path, "bounds", `${name} ${String(from[name] ?? "none")}`)),
    ...formats.map((name) =>
      misfit(path, "format", `${name} ${String(from[name] ?? "none").slice(0, 60)}`),
    ),
  ];
}

function misfit(path: string, kind: Misfit["kind"], what: string): Misfit {
  return { path, kind, what };
}

function under(path: string, name: string): string {
  return path === "" ? name.slice(0, 100) : `${path}.${name.slice(0, 100)}`;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MOST_REFERENCES = 20;

/** Follows references within the document; what points elsewhere stays as it is. */
function resolve(given: unknown, definitions: SchemaIn["definitions"]): unknown {
  let schema = given;
  for (let n = 0; n < MOST_REFERENCES; n += 1) {
    const pointer = isSchema(schema) ? schema["$ref"] : undefined;
    if (typeof pointer !== "string" || !pointer.startsWith("#/definitions/")) return schema;
    const steps = pointer.slice("#/definitions/".length).split("/");
    schema = steps.reduce<unknown>((at, step) => {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof at === "object" && at !== null && Object.hasOwn(at, name)
        ? Object(at)[name]
        : undefined;
    }, definitions);
  }
  return schema;
}

/** The schemas of a union; undefined for one that is none. */
function branchesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) return branches;
  const types = schema["type"];
  return Array.isArray(types) ? types.map((type: unknown) => ({ ...schema, type })) : undefined;
}

function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  return "const" in schema ? [schema["const"]] : undefined;
}

function includesType(to: unknown, from: unknown): boolean {
  return to === from || (to === "number" && from === "integer");
}

/** Whether a schema without a list of values takes one; a pattern or format is taken to refuse it. */
function takes(to: JsonSchema, value: unknown): boolean {
  if (!isOfType(value, to["type"]) || exact.some((name) => to[name] !== undefined)) return false;
  if (typeof value === "string") return isWithin(to, value.length, "Length");
  return typeof value !== "number" || isWithin(to, value, "imum");
}

function isWithin(to: JsonSchema, value: number, bound: "Length" | "imum"): boolean {
  const [least, most] = [to[`min${bound}`], to[`max${bound}`]];
  const [above, below] = [to["exclusiveMinimum"], to["exclusiveMaximum"]];
  if (typeof least === "number" && value < least) return false;
  if (typeof most === "number" && value > most) return false;
  if (bound === "Length") return true;
  if (typeof above === "number" && value <= above) return false;
  return typeof below !== "number" || value < below;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function propertiesOf(schema: JsonSchema): JsonSchema {
  const properties = schema["properties"];
  return isSchema(properties) ? properties : {};
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** What kind of value a schema is for, in a word. */
function nameOf(schema: unknown): string {
  const type = isSchema(schema) ? schema["type"] : undefined;
  return typeof type === "string" ? type : "any";
}
