import { existsSync } from "node:fs";
import {
  copyTree,
  DocumentError,
  type OpenApiDocument,
  parseText,
  toDocument,
} from "@jackfield/functions/openapi";
import { exitCodes, UserError } from "../../user-error.ts";
import { bundleFiles } from "./bundle-files.ts";
import { fetchText } from "./fetch-text.ts";

/** An OpenAPI document from a file or an http address; one of Swagger 2.0 is converted. */
export async function readDocument(source: string): Promise<OpenApiDocument> {
  try {
    return await toDocument(await readTree(source), source);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new UserError(error.message, { cause: error });
  }
}

async function readTree(source: string): Promise<unknown> {
  if (!/^https?:\/\//i.test(source)) return await bundleFiles(requireFile(source));
  return copyTree(await parseText(await fetchText(source), source), (reference) => reference);
}

function requireFile(source: string): string {
  if (existsSync(source)) return source;
  throw new UserError(`${source} is not there: name a file, or an address with https://.`, {
    exitCode: exitCodes.usage,
  });
}
