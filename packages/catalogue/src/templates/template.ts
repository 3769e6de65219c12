import {
  type Expression,
  ExpressionError,
  evaluateExpression,
  listExpressionReferences,
  parseExpression,
  type Reference,
  type TemplateScope,
} from "./expression.ts";
import { ResultTooLong } from "./expression-functions.ts";

/**
 * Text of an entry with placeholders such as `{{config.x}}` or `{{base64(credentials.a ~ ":")}}` in it.
 * Only an entry's own text is compiled; a value is inserted as it is and never looked at again.
 */
export interface Template {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
}

type TemplatePart = string | Placeholder;

interface Placeholder {
  readonly source: string;
  readonly expression: Expression;
  readonly position: Position;
}

/** The position of a value decides how it is written: in free text, or in which part of an address. */
type Position = "text" | "base" | "host" | "path" | "query";

/** Values by scope; below a scope, dotted names lead into objects. */
export type TemplateValues = {
  readonly [Scope in TemplateScope]?: Readonly<Record<string, unknown>> | string | undefined;
} & {
  /** What `now()` and its like answer; the process's clock unless given. */
  readonly now?: Date | undefined;
};

/** A template that is not written in the grammar, or a value that is missing or must not stand there. */
export class TemplateError extends Error {
  override name = "TemplateError";
  /** The field at fault, as `scope.name`; undefined when the text itself is. */
  readonly reference: string | undefined;
  readonly missing: boolean;

  constructor(message: string, options: { reference?: string; missing?: boolean } = {}) {
    super(message);
    this.reference = options.reference;
    this.missing = options.missing ?? false;
  }
}

/** Compiles free text, such as a header's value; throws TemplateError. */
export function compileTemplate(text: string): Template {
  return { text, parts: split(text, () => "text") };
}

/** Compiles an address. A placeholder at its very start stands for a whole base address. */
export function compileUrlTemplate(text: string): Template {
  const startsWithBase = text.startsWith("{{");
  if (!startsWithBase && !/^https?:\/\//.test(text)) {
    throw new TemplateError(`"${text}" starts with neither https:// nor a placeholder`);
  }
  if (/[#\s]/.test(text.replaceAll(placeholderPattern, "")))
    throw new TemplateError(`"${text}" holds a space or a fragment`);
  const parts = split(text, (before) => findPosition(before, startsWithBase));
  if (startsWithBase && /^[^/?]/.test(afterFirst(parts))) {
    throw new TemplateError(`"${text}": only / or ? may follow the base address`);
  }
  return { text, parts };
}

/** Compiles a path with its query below some base address; throws TemplateError. */
export function compilePathTemplate(text: string): Template {
  if (!text.startsWith("/")) throw new TemplateError(`"${text}" does not start with /`);
  if (/[#\s]/.test(text.replaceAll(placeholderPattern, ""))) {
    throw new TemplateError(`"${text}" holds a space or a fragment`);
  }
  return { text, parts: split(text, (before) => (before.includes("?") ? "query" : "path")) };
}

/** A text without placeholders, regardless of its content. */
export function literalTemplate(text: string): Template {
  return { text, parts: [text] };
}

function afterFirst(parts: readonly TemplatePart[]): string {
  const second = parts[1];
  if (second === undefined) return "";
  return typeof second === "string" ? second : "{{";
}

const placeholderPattern = /\{\{((?:"[^"]*"|[^"{}])*)\}\}/g;

function split(text: string, positionOf: (before: string) => Position): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let offset = 0;
  for (const match of text.matchAll(placeholderPattern)) {
    const [whole, source = ""] = match;
    if (match.index > offset) parts.push(text.slice(offset, match.index));
    const position = positionOf(text.slice(0, match.index));
    parts.push({ source, expression: parse(text, source), position });
    offset = match.index + whole.length;
  }
  if (offset < text.length) parts.push(text.slice(offset));
  const stray = parts.find((part) => typeof part === "string" && /\{\{|\}\}/.test(part));
  if (stray !== undefined) {
    throw new TemplateError(
      `"${text}": write placeholders as {{config.x}}, {{credentials.x}} or {{integration.x}}`,
    );
  }
  return parts;
}

function parse(text: string, source: string): Expression {
  try {
    return parseExpression(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new TemplateError(`"${text}": ${error.message}`);
  }
}

function findPosition(before: string, startsWithBase: boolean): Position {
  if (before === "") return "base";
  if (before.includes("?")) return "query";
  if (startsWithBase) return "path";
  return before.indexOf("/", "https://".length) === -1 ? "host" : "path";
}

/** Fills a template; throws TemplateError when a value is missing or must not stand where it would. */
export function renderTemplate(template: Template, values: TemplateValues): string {
  let text = "";
  for (const [index, part] of template.parts.entries()) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const result = evaluate(part, values);
    if ("missing" in result) throw missingValue(result.missing);
    text += write(part, result.value, template.parts[index + 1]);
  }
  return text;
}

/** Fills a template whose text appears in no message, such as a key with line breaks; throws TemplateError. */
export function renderRaw(template: Template, values: TemplateValues): string {
  const texts = template.parts.map((part) => {
    if (typeof part === "string") return part;
    const result = evaluate(part, values);
    if ("missing" in result) throw missingValue(result.missing);
    return result.value;
  });
  return texts.join("");
}

/** Fills a template, or answers undefined when a value it needs was not given. */
export function renderOptional(template: Template, values: TemplateValues): string | undefined {
  return isRenderable(template, values) ? renderTemplate(template, values) : undefined;
}

/** Fills the first of the templates whose values are all known; undefined when there is none. */
export function renderFirst(
  templates: readonly Template[],
  values: TemplateValues,
): string | undefined {
  const known = templates.find((template) => isRenderable(template, values));
  return known === undefined ? undefined : renderTemplate(known, values);
}

function isRenderable({ parts }: Template, values: TemplateValues): boolean {
  return parts.every((part) => typeof part === "string" || "value" in evaluate(part, values));
}

function evaluate({ expression, source }: Placeholder, values: TemplateValues) {
  try {
    return evaluateExpression(expression, (reference) => findValue(reference, values), values.now);
  } catch (error) {
    if (!(error instanceof ResultTooLong)) throw error;
    throw new TemplateError(`the value of ${source} is too long`, { reference: source });
  }
}

export function listReferences(template: Template): Reference[] {
  return template.parts.flatMap((part) =>
    typeof part === "string" ? [] : listExpressionReferences(part.expression),
  );
}

/** Values that choose the host of an address alone; one with a fixed ending of the name does not. */
export function listHostReferences({ parts }: Template): Reference[] {
  return parts.flatMap((part, index) => {
    if (typeof part === "string" || !["base", "host"].includes(part.position)) return [];
    const next = parts[index + 1];
    const isAnchored =
      part.position === "host" && typeof next === "string" && /^\.[^/]+\.?[^/]*/.test(next);
    return isAnchored ? [] : listExpressionReferences(part.expression);
  });
}

function missingValue({ scope, name }: Reference): TemplateError {
  const reference = `${scope}.${name}`;
  return new TemplateError(`no value is set for ${reference}`, { reference, missing: true });
}

/** An empty value counts as none. */
function findValue({ scope, name }: Reference, values: TemplateValues): string | undefined {
  const found = readPath(values[scope], name === "" ? [] : name.split("."));
  if (typeof found === "number" || typeof found === "boolean") return String(found);
  return typeof found === "string" && found !== "" ? found : undefined;
}

function readPath(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step))
      return undefined;
    found = Reflect.get(found, step);
  }
  return found;
}

function write(part: Placeholder, value: string, next: TemplatePart | undefined): string {
  switch (part.position) {
    case "text":
      return requireShape(part, value, !hasControl(value), "has control characters");
    case "base":
      return writeBase(part, value, next);
    case "host":
      return requireShape(part, value, hostPattern.test(value), "is not a host name");
    case "path":
      return requireShape(
        part,
        encodeURIComponent(value.toWellFormed()),
        !/^\.{1,2}$/.test(value),
        "is a dot segment",
      );
    case "query":
      return encodeURIComponent(value.toWellFormed());
  }
}

const hostPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** CR, LF and NUL would end a header; other controls have no place in one either. Tab is legal. */
function hasControl(value: string): boolean {
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}

function writeBase(part: Placeholder, value: string, next: TemplatePart | undefined): string {
  requireShape(part, value, isWebAddress(value), "is not an http or https address");
  const joins = typeof next === "string" && next.startsWith("/");
  requireShape(part, value, next === undefined || !value.includes("?"), "may have no query");
  return joins ? value.replace(/(?<!\/)\/+$/, "") : value;
}

/** An http or https address without user, password, fragment or anything that a parser would drop. */
export function isWebAddress(text: string): boolean {
  if (hasControl(text) || /[\s#\\]/.test(text) || !/^https?:\/\/[^/?]/i.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "" && url.hostname !== "";
}

function requireShape({ source }: Placeholder, value: string, ok: boolean, fault: string): string {
  if (ok) return value;
  throw new TemplateError(`the value of ${source} ${fault}`, { reference: source });
}
