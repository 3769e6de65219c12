import { cleanText, isCleanName } from "../clean-text.ts";
import type { OpenApiDocument } from "../document/openapi-document.ts";
import { follow, Unsupported } from "../document/references.ts";
import { fieldOf, type JsonObject, listField, objectField, textField } from "../json.ts";
import type { Operation } from "./operation.ts";

/** How a value becomes text: `form` repeats lists, `deep` is `a[b]=c`. */
export type Style = "form" | "comma" | "space" | "pipe" | "deep" | "json";

export interface Parameter {
  readonly name: string;
  readonly place: "path" | "query" | "header";
  readonly isRequired: boolean;
  readonly style: Style;
  /** Fields of an object are written as `name=value`, which OpenAPI calls `explode`. */
  readonly isExploded: boolean;
  readonly schema: JsonObject;
  readonly description: string | undefined;
}

/** Headers that belong to the platform or to the body (OpenAPI 3.1, Parameter Object). */
const ownHeaders = /^(accept|content-type|content-length|authorization|host|cookie|connection)$/i;

/** An operation's parameters with those of its path; throws Unsupported for what cannot be sent. */
export function readParameters(document: OpenApiDocument, operation: Operation): Parameter[] {
  const found = new Map<string, Parameter>();
  const given = [operation.pathItem, operation.definition].flatMap((from) =>
    listField(from, "parameters"),
  );
  for (const value of given) {
    const definition = follow(document, value);
    const parameter = toParameter(document, definition);
    if (parameter !== undefined) found.set(`${parameter.place} ${parameter.name}`, parameter);
  }
  return [...found.values()];
}

function toParameter(document: OpenApiDocument, definition: JsonObject): Parameter | undefined {
  const name = textField(definition, "name") ?? "";
  const place = textField(definition, "in");
  const isRequired = fieldOf(definition, "required") === true || place === "path";
  if (place === "header" && ownHeaders.test(name)) return undefined;
  const isSendable = place === "path" || place === "query" || place === "header";
  if (!isSendable || !isSound(name, place)) {
    if (!isRequired) return undefined;
    const shown = JSON.stringify(cleanText(name, 80));
    throw new Unsupported(
      isSendable
        ? `needs the parameter ${shown}, whose name cannot be sent as it is`
        : `needs the parameter ${shown} in ${cleanText(place ?? "nothing", 20)}`,
    );
  }
  const content = Object.values(objectField(definition, "content") ?? {})[0];
  const given = objectField(definition, "schema") ?? objectField(content, "schema") ?? {};
  return {
    ...{ name, place, isRequired, schema: given },
    style: content === undefined ? styleOf(document, definition, place, given) : "json",
    isExploded: fieldOf(definition, "explode") === true,
    description: textField(definition, "description"),
  };
}

function isSound(name: string, place: string): boolean {
  return place === "header" ? /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name) : isCleanName(name);
}

function styleOf(
  document: OpenApiDocument,
  definition: JsonObject,
  place: Parameter["place"],
  schema: JsonObject,
): Style {
  const style = textField(definition, "style");
  if (place !== "query") {
    if (style === undefined || style === "simple") return "comma";
    throw new Unsupported(`has a parameter in the ${place} of the style ${cleanText(style, 40)}`);
  }
  if (style === "deepObject") return "deep";
  if (style === "spaceDelimited") return "space";
  if (style === "pipeDelimited") return "pipe";
  // Objects in objects have no form; what servers read is the one with brackets.
  const isNested = hasObjects(document, schema);
  if (fieldOf(definition, "explode") === false) return "comma";
  return isNested ? "deep" : "form";
}

function hasObjects(document: OpenApiDocument, schema: JsonObject): boolean {
  const items = objectField(follow(document, schema), "items");
  return items !== undefined && textField(follow(document, items), "type") === "object";
}
