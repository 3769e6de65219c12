import { readFileSync } from "node:fs";
import * as z from "zod";
import { exitCodes, messageOf, UserError } from "../user-error.ts";

/** The value of an option that takes JSON, or `@path` of a file with JSON. */
export function readJsonOption(option: string, text: string): unknown {
  const isFile = text.startsWith("@");
  const json = isFile ? readText(option, text.slice(1)) : text;
  try {
    return JSON.parse(json);
  } catch (error) {
    const isText = !isFile && !/^\s*[[{"]/.test(text);
    const hint = !isText ? "" : ` A text is written in quotes ('"${text}"'), a file as @file.json.`;
    throw new UserError(`${option} is no JSON: ${messageOf(error)}.${hint}`, {
      exitCode: exitCodes.usage,
    });
  }
}

/** The same for what must be a JSON object. */
export function readJsonObjectOption(option: string, text: string): Record<string, unknown> {
  const value = z.record(z.string(), z.unknown()).safeParse(readJsonOption(option, text));
  if (value.success) return value.data;
  throw new UserError(`${option} must be a JSON object, such as '{"page":1}'.`, {
    exitCode: exitCodes.usage,
  });
}

function readText(option: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError(`${option} names a file that cannot be read: ${messageOf(error)}`, {
      exitCode: exitCodes.usage,
    });
  }
}
