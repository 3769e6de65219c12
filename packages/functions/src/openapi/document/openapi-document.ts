import { cleanText } from "../clean-text.ts";
import { isJsonObject, type JsonObject, objectField, textField } from "../json.ts";
import { DocumentError } from "./document-error.ts";

export interface OpenApiDocument {
  /** Of OpenAPI 3.0 or 3.1. */
  readonly root: JsonObject;
  /** Its own title and version, cleaned. */
  readonly title: string;
  /** What references led to so far. */
  readonly referenced: Map<string, unknown>;
}

/** A parsed document; one of Swagger 2.0 is converted. `source` is what errors call it; throws DocumentError. */
export async function toDocument(parsed: unknown, source: string): Promise<OpenApiDocument> {
  const root = await toVersion3(parsed, source);
  if (objectField(root, "paths") === undefined) {
    throw new DocumentError(`${source} has no paths, so there is nothing to make actions of.`);
  }
  const info = objectField(root, "info");
  const title = `${textField(info, "title") ?? ""} ${textField(info, "version") ?? ""}`;
  return { root, title: cleanText(title, 120) || "an OpenAPI document", referenced: new Map() };
}

async function toVersion3(parsed: unknown, source: string): Promise<JsonObject> {
  if (isJsonObject(parsed) && /^3\.[0-2](\.|$)/.test(textField(parsed, "openapi") ?? "")) {
    return parsed;
  }
  if (isJsonObject(parsed) && String(parsed["swagger"]) === "2.0") {
    const { upgrade } = await import("@scalar/openapi-upgrader");
    const upgraded: unknown = upgrade({ ...parsed }, "3.1");
    if (isJsonObject(upgraded)) return upgraded;
  }
  throw new DocumentError(
    `${source} is not an OpenAPI document of version 3.0, 3.1 or 3.2, nor one of Swagger 2.0.`,
  );
}
