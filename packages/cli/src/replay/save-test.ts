import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runFacts } from "@jackfield/contract/runtime";
import { type TapeFile, tapeFile } from "@jackfield/contract/tape-file";
import { recordingPath, saveCase } from "../dryrun/recording-file.ts";
import type { BuiltFunction } from "../project/build-project.ts";
import { UserError } from "../user-error.ts";

const NAME = /^[\w.-]{1,100}$/;

/** Writes a run next to the function's recordings, as a case that `jackfield test` replays; returns the paths. */
export async function saveTapeTest(
  projectDir: string,
  fn: Pick<BuiltFunction, "integrationId" | "functionName">,
  { tape, name }: { readonly tape: TapeFile; readonly name: string | undefined },
): Promise<string[]> {
  const chosen = name ?? tape.operation_id;
  if (!NAME.test(chosen)) {
    throw new UserError(`--case ${chosen}: a name has letters, digits, and . _ - only.`);
  }
  const facts = runFacts.parse(tape.facts);
  const file = `${fn.functionName}.${chosen}.tape.json`;
  const path = join(dirname(recordingPath(fn)), file);
  await mkdir(dirname(join(projectDir, path)), { recursive: true });
  await writeFile(
    join(projectDir, path),
    `${JSON.stringify(tapeFile.parse(tape), undefined, 1)}\n`,
  );
  const test = await saveCase(projectDir, fn, {
    name: chosen,
    kind: facts.kind,
    connection: { id: facts.connectionId, provider: facts.provider },
    tape: file,
    calls: [],
    result: {},
  });
  return [test, path];
}
