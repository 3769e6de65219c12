/**
 * Text of an entry with `{{config.x}}`, `{{credentials.x}}` and `{{integration.x}}` in it.
 * Only an entry's own text is compiled; a value is inserted as it is and never looked at again.
 */
export interface Template {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
}

type TemplatePart = string | Reference;

type TemplateScope = "config" | "credentials" | "integration";

export interface Reference {
  readonly scope: TemplateScope;
  readonly name: string;
  readonly position: Position;
}

/** Where a value stands decides how it is written: in free text, or in which part of an address. */
type Position = "text" | "base" | "host" | "path" | "query";

export type TemplateValues = {
  readonly [Scope in TemplateScope]?: Readonly<Record<string, string>>;
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

const referencePattern = /\{\{(config|credentials|integration)\.([A-Za-z_][A-Za-z0-9_]*)\}\}/g;

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
  if (/[#\s]/.test(text)) throw new TemplateError(`"${text}" holds a space or a fragment`);
  const parts = split(text, (before) => findPosition(before, startsWithBase));
  if (startsWithBase && /^[^/?]/.test(afterFirst(parts))) {
    throw new TemplateError(`"${text}": only / or ? may follow the base address`);
  }
  return { text, parts };
}

function afterFirst(parts: readonly TemplatePart[]): string {
  const second = parts[1];
  if (second === undefined) return "";
  return typeof second === "string" ? second : "{{";
}

function split(text: string, positionOf: (before: string) => Position): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let offset = 0;
  for (const match of text.matchAll(referencePattern)) {
    const [whole, scope, name] = match;
    if (match.index > offset) parts.push(text.slice(offset, match.index));
    const position = positionOf(text.slice(0, match.index));
    parts.push({ scope: asScope(scope), name: name ?? "", position });
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

// The pattern admits exactly these three words.
function asScope(text: string | undefined): TemplateScope {
  return text as TemplateScope;
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
    if (typeof part === "string") text += part;
    else text += write(part, lookUp(part, values), template.parts[index + 1]);
  }
  return text;
}

/** Fills a template, or answers undefined when a value it needs was not given. */
export function renderOptional(template: Template, values: TemplateValues): string | undefined {
  const missing = listReferences(template).some((part) => findValue(part, values) === undefined);
  return missing ? undefined : renderTemplate(template, values);
}

export function listReferences(template: Template): Reference[] {
  return template.parts.filter((part) => typeof part !== "string");
}

function lookUp(reference: Reference, values: TemplateValues): string {
  const value = findValue(reference, values);
  if (value !== undefined) return value;
  const name = `${reference.scope}.${reference.name}`;
  throw new TemplateError(`no value is set for ${name}`, { reference: name, missing: true });
}

/** An empty value counts as none. */
function findValue({ scope, name }: Reference, values: TemplateValues): string | undefined {
  const fields = values[scope];
  if (fields === undefined || !Object.hasOwn(fields, name)) return undefined;
  return fields[name] === "" ? undefined : fields[name];
}

function write(reference: Reference, value: string, next: TemplatePart | undefined): string {
  switch (reference.position) {
    case "text":
      return requireShape(reference, value, !hasControl(value), "has control characters");
    case "base":
      return writeBase(reference, value, next);
    case "host":
      return requireShape(reference, value, hostPattern.test(value), "is not a host name");
    case "path":
      return requireShape(
        reference,
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

function writeBase(reference: Reference, value: string, next: TemplatePart | undefined): string {
  requireShape(reference, value, isWebAddress(value), "is not an http or https address");
  const joins = typeof next === "string" && next.startsWith("/");
  requireShape(reference, value, next === undefined || !value.includes("?"), "may have no query");
  return joins ? value.replace(/\/+$/, "") : value;
}

/** An http or https address without user, password, fragment or anything that a parser would drop. */
export function isWebAddress(text: string): boolean {
  if (hasControl(text) || /[\s#\\]/.test(text) || !/^https?:\/\/[^/?]/i.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "" && url.hostname !== "";
}

function requireShape(reference: Reference, value: string, ok: boolean, fault: string): string {
  if (ok) return value;
  const name = `${reference.scope}.${reference.name}`;
  throw new TemplateError(`the value of ${name} ${fault}`, { reference: name });
}
