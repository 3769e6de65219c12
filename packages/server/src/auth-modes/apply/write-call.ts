import {
  isOwnHeader,
  type JsonTemplate,
  renderOptional,
  type Template,
  type TemplateValues,
} from "@jackfield/catalogue";
import { XMLBuilder } from "fast-xml-parser";

/** A call of the engine to a provider, in data. */
export interface CallPlan {
  readonly method: string;
  readonly url: string;
  readonly format: "form" | "json" | "query" | "xml" | "none";
  readonly xmlRoot?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface WrittenCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The call as it is sent; without a body the fields stand in the query. */
export function writeCall({
  method,
  url,
  format,
  xmlRoot,
  headers,
  fields,
}: CallPlan): WrittenCall {
  const base = { accept: "application/json", "user-agent": "Jackfield" };
  const isBodiless = method === "GET" || format === "query";
  if (isBodiless || format === "none") {
    return {
      method,
      url: withQuery(url, isBodiless ? fields : {}),
      headers: { ...base, ...headers },
    };
  }
  const [contentType, body] = writeBody(format, fields, xmlRoot);
  return { method, url, headers: { ...base, "content-type": contentType, ...headers }, body };
}

function writeBody(
  format: "form" | "json" | "xml",
  fields: Readonly<Record<string, unknown>>,
  root = "request",
): [contentType: string, body: string] {
  switch (format) {
    case "form":
      return ["application/x-www-form-urlencoded", toForm(fields)];
    case "json":
      return ["application/json", JSON.stringify(fields)];
    case "xml":
      return ["application/xml", `<?xml version="1.0" encoding="UTF-8"?>${toXml(root, fields)}`];
  }
}

function toXml(root: string, fields: Readonly<Record<string, unknown>>): string {
  return new XMLBuilder({ processEntities: true }).build({ [root]: fields });
}

function toForm(fields: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) form.append(name, toText(value));
  return form.toString();
}

function withQuery(url: string, fields: Readonly<Record<string, unknown>>): string {
  const query = toForm(fields);
  if (query === "") return url;
  return `${url}${url.includes("?") ? "&" : "?"}${query}`;
}

function toText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Headers or parameters with their values; those whose value is not known are left out. */
export function renderAll(
  templates: Readonly<Record<string, Template>>,
  values: TemplateValues,
): Record<string, string> {
  const rendered: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    const value = renderOptional(template, values);
    if (value !== undefined) rendered[name] = value;
  }
  return rendered;
}

/** Headers with their values, names in lower case, without those that only the server sets. */
export function renderHeaders(
  templates: Readonly<Record<string, Template>>,
  values: TemplateValues,
): Record<string, string> {
  const named = Object.entries(renderAll(templates, values));
  const lower = named.map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lower.filter(([name]) => !isOwnHeader(name)));
}

/** JSON with its values; fields whose value is not known are left out. */
export function renderFields(
  templates: Readonly<Record<string, JsonTemplate>>,
  values: TemplateValues,
): Record<string, unknown> {
  const rendered: Record<string, unknown> = {};
  for (const [name, template] of Object.entries(templates)) {
    const value = renderJson(template, values);
    if (value !== undefined) rendered[name] = value;
  }
  return rendered;
}

function renderJson(template: JsonTemplate, values: TemplateValues): unknown {
  if (typeof template !== "object" || template === null) return template;
  if (Array.isArray(template)) {
    return template.map((item) => renderJson(item, values)).filter((item) => item !== undefined);
  }
  return isTemplate(template) ? renderOptional(template, values) : renderFields(template, values);
}

function isTemplate(value: object): value is Template {
  return "text" in value && typeof value.text === "string" && "parts" in value;
}
