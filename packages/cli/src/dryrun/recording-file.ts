import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  formatRecording,
  type RecordedCase,
  type Recording,
  readRecording,
} from "@jackfield/functions/test-kit";
import type { BuiltFunction } from "../project/build-project.ts";
import { messageOf, UserError } from "../user-error.ts";

type Named = Pick<BuiltFunction, "integrationId" | "functionName">;

/** Relative to the project: `crm/tests/contacts.test.json`. */
export function recordingPath({ integrationId, functionName }: Named): string {
  return `${integrationId}/tests/${functionName}.test.json`;
}

export async function readRecordingOf(
  projectDir: string,
  fn: Named,
): Promise<Recording | undefined> {
  const path = join(projectDir, recordingPath(fn));
  if (!existsSync(path)) return undefined;
  try {
    return await readRecording(path);
  } catch (error) {
    throw new UserError(`${messageOf(error)}. Record it again with \`jackfield dryrun --save\`.`);
  }
}

/** Puts a case into the function's file, in place of the one of the same name; returns the path. */
export async function saveCase(
  projectDir: string,
  fn: Named,
  saved: RecordedCase,
): Promise<string> {
  const known = await readRecordingOf(projectDir, fn);
  if (known?.cases.some(({ other }) => other !== undefined) === true) {
    throw new UserError(
      `${recordingPath(fn)} is a recording of another platform's format, which stays as it is: move it away to record here.`,
    );
  }
  const others = known?.cases.filter(({ name }) => name !== saved.name) ?? [];
  const cases = [...others, saved].toSorted((first, second) => (first.name < second.name ? -1 : 1));
  const path = recordingPath(fn);
  await mkdir(dirname(join(projectDir, path)), { recursive: true });
  const recording = {
    format: 1 as const,
    integration: fn.integrationId,
    function: fn.functionName,
    cases,
  };
  await writeFile(join(projectDir, path), formatRecording(recording));
  return path;
}
