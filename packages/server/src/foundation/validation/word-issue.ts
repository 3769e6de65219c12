import * as z from "zod";
import { shortenName } from "./field-faults.ts";
import { nearestName } from "./nearest-name.ts";

/**
 * What an issue says to a caller, as a predicate of the value at fault: `is missing`, `must be a string,
 * not a number`. Schemas' own messages come before these.
 */
export function wordIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && isOfType(issue)) return `is missing${choicesOf(issue)}`;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${nameOfType(issue.expected)}, not ${nameOfValue(issue.input)}`;
    case "invalid_value":
      return wordChoice(issue.values, issue.input);
    case "unrecognized_keys":
      return wordUnknownKeys(issue.keys, issue.inst);
    case "too_small":
      return wordBound(issue.origin, "at least", issue.minimum);
    case "too_big":
      return wordBound(issue.origin, "at most", issue.maximum);
    case "invalid_format":
      return formats[issue.format] ?? "does not have the expected form";
    case "invalid_union":
      return wordUnion(issue);
    case "invalid_key":
      return `is not a valid name: it ${issue.issues[0]?.message ?? "may not be used"}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    default:
      return "is not valid";
  }
}

/** The same for queries, paths and headers, where every value is a text. */
export function wordTextIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== "invalid_type" || issue.expected !== "string") return wordIssue(issue);
  if (Array.isArray(issue.input)) return "is sent more than once; send it once";
  return issue.input === undefined ? wordIssue(issue) : "takes one value, without [brackets]";
}

function isOfType({ code }: z.core.$ZodRawIssue): boolean {
  return code === "invalid_type" || code === "invalid_value" || code === "invalid_union";
}

function choicesOf(issue: z.core.$ZodRawIssue): string {
  return issue.code === "invalid_value" ? `: it must be ${listChoices(issue.values)}` : "";
}

const types: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  null: "null",
};

function nameOfType(expected: string): string {
  return types[expected] ?? expected;
}

function nameOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" && !Number.isInteger(value)) return "a fraction";
  return typeof value === "boolean" ? String(value) : nameOfType(typeof value);
}

type Choice = z.core.util.Primitive;

function wordChoice(choices: readonly Choice[], input: unknown): string {
  const must = `must be ${listChoices(choices)}`;
  if (typeof input !== "string") return `${must}, not ${nameOfValue(input)}`;
  const meant = choices.find((choice) => String(choice).toLowerCase() === input.toLowerCase());
  return meant === undefined ? must : `must be written \`${String(meant)}\`, in just these letters`;
}

function listChoices(choices: readonly Choice[]): string {
  const names = choices.map((choice) => (choice === "" ? "empty" : `\`${String(choice)}\``));
  const last = names.pop() ?? "";
  return names.length === 0 ? last : `${names.join(", ")} or ${last}`;
}

/** The accepted values are listed only while they can be read at a glance. */
const LISTED = 15;

function wordUnknownKeys(keys: readonly string[], schema: unknown): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const shown = keys.slice(0, 3).map((key) => `\`${shortenName(key)}\``);
  const unknown = `takes no ${shown.join(", ")}${keys.length > 3 ? " and others" : ""}`;
  const [first = ""] = keys;
  const nearest = nearestName(first, known);
  if (nearest !== undefined) return `${unknown}; did you mean \`${nearest}\`?`;
  if (known.length === 0) return `${unknown}: leave it out`;
  if (known.length > LISTED) return unknown;
  return `${unknown}; it takes ${known.map((name) => `\`${name}\``).join(", ")}`;
}

function wordBound(origin: string, side: "at least" | "at most", bound: number | bigint): string {
  const one = Number(bound) === 1;
  if (one && side === "at least" && origin === "string") return "must not be empty";
  switch (origin) {
    case "string":
      return `must have ${side} ${bound} character${one ? "" : "s"}`;
    case "array":
    case "set":
      return `must have ${side} ${bound} item${one ? "" : "s"}`;
    default:
      return `must be ${side} ${bound}`;
  }
}

const formats: Readonly<Record<string, string>> = {
  uuid: "must be a UUID, such as 0b8c1e5a-7f0d-4c8e-9a51-3f6d2b7c9e10",
  guid: "must be a UUID, such as 0b8c1e5a-7f0d-4c8e-9a51-3f6d2b7c9e10",
  url: "must be an http or https URL",
  email: "must be an e-mail address",
  datetime: "must be a date and time with its zone, such as 2026-01-02T03:04:05Z",
  date: "must be a date, such as 2026-01-02",
};

function wordUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const discriminators = discriminatorsOf(issue.inst);
  if (discriminators.length > 0) {
    // The path ends in the discriminator, the input is the object around it.
    const given: unknown = Object(issue.input)[discriminatorOf(issue.inst)];
    return given === undefined
      ? `is missing: it must be ${listChoices(discriminators)}`
      : wordChoice(discriminators, given);
  }
  const wanted = issue.errors.map(([first]) => first).filter((first) => first !== undefined);
  const names = wanted.flatMap((each) => {
    if (each.code === "invalid_type") return [nameOfType(each.expected)];
    return each.code === "invalid_value" ? [listChoices(each.values)] : [];
  });
  const other = wanted.find(({ code }) => code !== "invalid_type" && code !== "invalid_value");
  if (other !== undefined || names.length === 0) return other?.message ?? "is not valid";
  return `must be ${names.join(" or ")}, not ${nameOfValue(issue.input)}`;
}

function discriminatorOf(schema: unknown): string {
  return schema instanceof z.ZodDiscriminatedUnion ? schema.def.discriminator : "";
}

function discriminatorsOf(schema: unknown): Choice[] {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return [];
  const name = schema.def.discriminator;
  // A choice without the discriminator is for callers who leave it out; these have written one.
  return schema.options
    .flatMap((option) => [...(option._zod.propValues?.[name] ?? [])])
    .filter((choice) => choice !== undefined);
}
