import {
  type JsonTemplate,
  renderOptional,
  type Template,
  type TemplateValues,
} from "@jackfield/catalogue";
import { Refusal, type Stage } from "../exchange/received.ts";

/** A value that cannot be predicted, such as a time. */
export const ANYTHING = Symbol("anything");
export type Wanted = string | typeof ANYTHING;

const changing = /\b(now|epoch|epoch_ms|uuid)\(/;

/** What a template asks for; undefined where a value is not known and it is left out. */
export function wantedOf(template: Template, values: TemplateValues): Wanted | undefined {
  const text = renderOptional(template, values);
  return text !== undefined && changing.test(template.text) ? ANYTHING : text;
}

export function wantedOfAll(
  templates: Readonly<Record<string, Template>>,
  values: TemplateValues,
): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const [name, template] of Object.entries(templates)) {
    const value = wantedOf(template, values);
    if (value !== undefined) wanted.set(name, value);
  }
  return wanted;
}

/** JSON templates, flattened: the leaf of `{a: {b: x}}` stands at `a.b`. */
export function wantedOfJson(
  templates: Readonly<Record<string, JsonTemplate>>,
  values: TemplateValues,
): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const [name, template] of Object.entries(templates)) collect(template, name, values, wanted);
  return wanted;
}

function collect(
  template: JsonTemplate,
  path: string,
  values: TemplateValues,
  into: Map<string, Wanted>,
): void {
  if (typeof template !== "object" || template === null) {
    into.set(path, String(template));
    return;
  }
  if (isTemplate(template)) {
    const value = wantedOf(template, values);
    if (value !== undefined) into.set(path, value);
    return;
  }
  if (Object.keys(template).length === 0) into.set(path, "");
  for (const [name, inner] of Object.entries(template)) {
    collect(inner, `${path}.${name}`, values, into);
  }
}

function isTemplate(value: object): value is Template {
  return "text" in value && typeof value.text === "string" && "parts" in value;
}

/** Nested fields as one level of dotted names; empty objects are empty texts. */
export function flatten(
  value: Readonly<Record<string, unknown>>,
  prefix = "",
): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === "object" && inner !== null) {
      if (Object.keys(inner).length === 0) found.set(prefix + name, "");
      for (const [path, text] of flatten({ ...inner }, `${prefix}${name}.`)) found.set(path, text);
    } else found.set(prefix + name, String(inner));
  }
  return found;
}

export interface Comparison {
  readonly stage: Stage;
  /** What the fields are, for the message. */
  readonly what: string;
  readonly got: ReadonlyMap<string, string>;
  readonly wanted: ReadonlyMap<string, Wanted>;
  /** Whether fields that nobody asked for are refused. */
  readonly exact?: boolean;
}

/** Throws a Refusal unless each field has its value. The values are samples of a simulator, so they may be shown. */
export function expectFields({ stage, what, got, wanted, exact = true }: Comparison): void {
  for (const [name, value] of wanted) {
    const found = got.get(name);
    if (found === undefined) throw new Refusal(stage, `${what} ${name} is missing`);
    if (value === ANYTHING ? found !== "" : found === value) continue;
    const shown = value === ANYTHING ? "something" : `"${value}"`;
    throw new Refusal(stage, `${what} ${name} is "${found}" instead of ${shown}`);
  }
  if (!exact) return;
  const extra = [...got.keys()].find((name) => !wanted.has(name));
  if (extra !== undefined) {
    throw new Refusal(stage, `${what} ${extra} is sent, which this vendor does not know`);
  }
}

export function expectHeaders(
  stage: Stage,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  wanted: ReadonlyMap<string, Wanted>,
): void {
  const got = new Map(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")] as const),
  );
  const lower = new Map([...wanted].map(([name, value]) => [name.toLowerCase(), value] as const));
  expectFields({ stage, what: "the header", got, wanted: lower, exact: false });
}
