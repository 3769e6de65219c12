import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Bundle, bundleFunction } from "./bundle-function.ts";
import { checkTypes } from "./check-types.ts";
import { describeFunction, type FunctionDescription } from "./describe-function.ts";
import { CompileError, type Diagnostic } from "./diagnostic.ts";
import { listProjectFiles, type ProjectFile } from "./project-files.ts";

export interface CompiledFunction extends ProjectFile {
  /** The author's file. */
  readonly source: string;
  readonly bundle: Bundle;
  readonly description: FunctionDescription;
}

export interface CompiledProject {
  /** Those without an error of their own. */
  readonly functions: readonly CompiledFunction[];
  readonly errors: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

/** Checks, bundles and describes every function of a project; what is wrong is in `errors`. */
export async function compileProject(
  dir: string,
  options: { readonly skipTypeCheck?: boolean } = {},
): Promise<CompiledProject> {
  const root = resolve(dir);
  try {
    const { files, problems, warnings } = listProjectFiles(root);
    const [typeErrors, compiled] = await Promise.all([
      options.skipTypeCheck === true ? [] : checkTypes(root),
      Promise.all(files.map((file) => compileFile(root, file))),
    ]);
    const functions = compiled.filter((result) => "bundle" in result);
    const failures = compiled.flatMap((result) => ("errors" in result ? result.errors : []));
    return {
      functions,
      errors: [...problems, ...typeErrors, ...failures, ...findDuplicates(functions)],
      warnings: [...warnings, ...functions.flatMap((compiledOne) => compiledOne.bundle.warnings)],
    };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { functions: [], errors: error.diagnostics, warnings: [] };
  }
}

async function compileFile(
  root: string,
  file: ProjectFile,
): Promise<CompiledFunction | { errors: readonly Diagnostic[] }> {
  try {
    const source = await readFile(join(root, file.file), "utf8");
    const bundle = await bundleFunction({ ...file, root, source: { entryFile: file.file } });
    const description = describeFunction({ ...file, code: bundle.code });
    return { ...file, source, bundle, description };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { errors: error.diagnostics };
  }
}

/** Function names and record models are unique within an integration. */
function findDuplicates(functions: readonly CompiledFunction[]): Diagnostic[] {
  const owners = new Map<string, string>();
  const problems: Diagnostic[] = [];
  for (const { integrationId, functionName, file, description } of functions) {
    const models = description.type === "sync" ? description.models : [];
    const names = [
      [`function ${functionName}`, "rename one of them"],
      ...models.map((model) => [`model ${model}`, "a model belongs to one sync"] as const),
    ] as const;
    for (const [name, advice] of names) {
      const owner = owners.get(`${integrationId} ${name}`);
      if (owner === undefined) owners.set(`${integrationId} ${name}`, file);
      else problems.push({ file, message: `${name} is already defined in ${owner}; ${advice}` });
    }
  }
  return problems;
}
