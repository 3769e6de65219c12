import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type TapeFile, tapeFile } from "@jackfield/contract/tape-file";
import * as z from "zod";
import { callPlatform, type Platform } from "../deploy/call-platform.ts";
import { exitCodes, messageOf, UserError } from "../user-error.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The tape of an operation, or that in a file. */
export async function readTape(named: string, findPlatform: () => Platform): Promise<TapeFile> {
  if (existsSync(named)) return parseTape(await readFile(named, "utf8"), named);
  if (UUID.test(named)) return await downloadTape(findPlatform(), named);
  throw new UserError(`There is no file ${named}, and it is no id of an operation.`, {
    exitCode: exitCodes.usage,
  });
}

export async function downloadTape(platform: Platform, operationId: string): Promise<TapeFile> {
  const { data } = await callPlatform(platform, {
    method: "GET",
    path: `/operations/${encodeURIComponent(operationId)}/tape`,
    answer: z.object({ data: tapeFile }),
  });
  return data;
}

/** Also the answer of the API as it is. */
export function parseTape(text: string, name: string): TapeFile {
  try {
    const value: unknown = JSON.parse(text);
    const { data = value }: { data?: unknown } = Object(value);
    return tapeFile.parse(data);
  } catch (error) {
    throw new UserError(`${name} is no tape of this version: ${messageOf(error)}`, {
      cause: error,
      exitCode: exitCodes.usage,
    });
  }
}
