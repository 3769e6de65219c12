import { existsSync } from "node:fs";
import { exitCodes, UserError } from "../../user-error.ts";
import { isJsonObject, type JsonObject, objectField, textField } from "../json.ts";
import { cleanText } from "../source/clean-text.ts";
import { bundleFiles } from "./bundle-files.ts";
import { copyTree } from "./copy-tree.ts";
import { fetchText } from "./fetch-text.ts";
import { parseText } from "./parse-text.ts";

export interface OpenApiDocument {
  /** Of OpenAPI 3.0 or 3.1. */
  readonly root: JsonObject;
  /** Its own title and version, cleaned. */
  readonly title: string;
  /** What references led to so far. */
  readonly referenced: Map<string, unknown>;
}

/** An OpenAPI document from a file or an http address; one of Swagger 2.0 is converted. */
export async function readDocument(source: string): Promise<OpenApiDocument> {
  const parsed = /^https?:\/\//i.test(source)
    ? copyTree(await parseText(await fetchText(source), source), (reference) => reference)
    : await bundleFiles(requireFile(source));
  const root = await toVersion3(parsed, source);
  if (objectField(root, "paths") === undefined) {
    throw new UserError(`${source} has no paths, so there is nothing to make actions of.`);
  }
  const info = objectField(root, "info");
  const title = `${textField(info, "title") ?? ""} ${textField(info, "version") ?? ""}`;
  return { root, title: cleanText(title, 120) || "an OpenAPI document", referenced: new Map() };
}

function requireFile(source: string): string {
  if (existsSync(source)) return source;
  throw new UserError(`${source} is not there: name a file, or an address with https://.`, {
    exitCode: exitCodes.usage,
  });
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
  throw new UserError(
    `${source} is not an OpenAPI document of version 3.0, 3.1 or 3.2, nor one of Swagger 2.0.`,
  );
}
