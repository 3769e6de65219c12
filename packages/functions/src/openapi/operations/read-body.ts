import { cleanText } from "../clean-text.ts";
import type { OpenApiDocument } from "../document/openapi-document.ts";
import { follow, Unsupported } from "../document/references.ts";
import { fieldOf, type JsonObject, objectField } from "../json.ts";
import type { Operation } from "./operation.ts";

/** What is sent: JSON, a form, parts of a form, text, or bytes that the input has as base64. */
export type BodyKind = "json" | "form" | "multipart" | "text" | "bytes";

export interface RequestBody {
  readonly kind: BodyKind;
  readonly contentType: string;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  /** Of forms, how each field is written. */
  readonly encoding: JsonObject;
}

const order: readonly BodyKind[] = ["json", "form", "multipart", "text", "bytes"];

/** The body in the form that is easiest to give; undefined where there is none. Throws Unsupported. */
export function readBody(document: OpenApiDocument, operation: Operation): RequestBody | undefined {
  const definition = follow(document, fieldOf(operation.definition, "requestBody"));
  const content = objectField(definition, "content") ?? {};
  const kinds = Object.entries(content).flatMap(([type, media]) => {
    const kind = isMediaType(type) ? kindOf(type) : undefined;
    return kind === undefined ? [] : [{ kind, type, media: follow(document, media) }];
  });
  const isRequired = fieldOf(definition, "required") === true;
  const best = kinds.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0];
  if (best === undefined) {
    const types = Object.keys(content);
    if (!isRequired || types.length === 0) return undefined;
    throw new Unsupported(`takes a body of the type ${cleanText(types.join(", "), 100)} only`);
  }
  if (operation.method === "get" || operation.method === "head") {
    if (!isRequired) return undefined;
    throw new Unsupported("needs a body, which a call that reads does not have");
  }
  return {
    ...{ kind: best.kind, isRequired },
    contentType: best.type.includes("*") ? "application/octet-stream" : best.type,
    schema: objectField(best.media, "schema") ?? {},
    encoding: objectField(best.media, "encoding") ?? {},
  };
}

/** Whether it can be sent as a header, with parameters. */
export function isMediaType(type: string): boolean {
  return /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(\s*;\s*[\w-]+=("[\w .+/-]*"|[\w.+/-]*))*$/.test(type);
}

/** By the media type (RFC 6838). */
export function kindOf(type: string): BodyKind | undefined {
  const [plain = ""] = type.toLowerCase().split(";");
  const name = plain.trim();
  if (name === "*/*" || name === "application/*") return "json";
  if (/^[^/]+\/(.*\+)?json$|^text\/json$/.test(name)) return "json";
  if (name === "application/x-www-form-urlencoded") return "form";
  if (name.startsWith("multipart/"))
    return name === "multipart/form-data" ? "multipart" : undefined;
  if (/^text\/|[/+](xml|yaml|x-yaml|csv|x-ndjson|jsonl|javascript|graphql)$/.test(name))
    return "text";
  return "bytes";
}
