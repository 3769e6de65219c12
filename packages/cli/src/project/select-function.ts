import type { ProjectFile } from "@jackfield/functions/compile";
import { exitCodes, UserError } from "../user-error.ts";
import { type BuiltProject, buildProject, noFunctions } from "./build-project.ts";

/** The files of the functions that index.ts names; what is wrong with others is not looked at. */
export async function listFunctionFiles(projectDir: string): Promise<ProjectFile[]> {
  const { listProjectFiles } = await import("@jackfield/functions/compile");
  const { files } = listProjectFiles(projectDir);
  if (files.length === 0) throw noFunctions(projectDir);
  return files;
}

/** One function by `name`, `integration/name`, `integration/syncs/name`, or name and integration. */
export function selectFunction(
  files: readonly ProjectFile[],
  wanted: { readonly name: string; readonly integration: string | undefined },
): ProjectFile {
  const found = files.filter((file) => isNamed(file, wanted));
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const list = (second === undefined ? files : found).map((file) => `  ${presentFile(file)}`);
  const what = second === undefined ? "index.ts has no function" : "there are several functions";
  throw new UserError(`${what} named ${wanted.name}; name one of these:\n${shorten(list)}`, {
    exitCode: exitCodes.usage,
  });
}

/** Those of one integration, or all. */
export function selectIntegration(
  files: readonly ProjectFile[],
  integration: string | undefined,
): readonly ProjectFile[] {
  const chosen = files.filter(
    (file) => integration === undefined || file.integrationId === integration,
  );
  if (chosen.length > 0) return chosen;
  throw new UserError(`index.ts has no function of the integration ${integration}.`, {
    exitCode: exitCodes.usage,
  });
}

/** Builds these and nothing else, in the order in which they are given. */
export async function buildFiles(
  projectDir: string,
  files: readonly ProjectFile[],
): Promise<BuiltProject> {
  const wanted = new Set(files.map(({ file }) => file));
  const { functions, warnings } = await buildProject(projectDir, {
    only: ({ file }) => wanted.has(file),
  });
  const byFile = new Map(functions.map((fn) => [fn.file, fn]));
  return { functions: files.flatMap(({ file }) => byFile.get(file) ?? []), warnings };
}

/** `crm/syncs/contacts`, as it may be given. */
export function presentFile({ file }: ProjectFile): string {
  return file.replace(/\.ts$/, "");
}

const LISTED = 50;

export function shorten(lines: readonly string[]): string {
  const shown = lines.slice(0, LISTED);
  const others = lines.length - shown.length;
  return [...shown, ...(others > 0 ? [`  and ${others} more`] : [])].join("\n");
}

function isNamed(
  file: ProjectFile,
  { name, integration }: { readonly name: string; readonly integration: string | undefined },
): boolean {
  if (integration !== undefined && file.integrationId !== integration) return false;
  const { integrationId, functionName } = file;
  return [functionName, `${integrationId}/${functionName}`, presentFile(file)].includes(name);
}
