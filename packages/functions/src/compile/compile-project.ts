import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Bundle, bundleFunction } from "./bundle-function.ts";
import { checkTypes } from "./check-types.ts";
import { checkAuthoring } from "./checks/check-authoring.ts";
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
    const isChecked = options.skipTypeCheck !== true;
    const compiling = Promise.all(files.map((file) => compileFile(root, file)));
    const [typeErrors, authoring, compiled] = await Promise.all([
      isChecked ? checkTypes(root) : [],
      isChecked ? compiling.then((all) => checkAuthoringOf(root, all)) : NOTHING_FOUND,
      compiling,
    ]);
    const functions = compiled.filter((result) => "bundle" in result);
    const failures = compiled.flatMap((result) => ("errors" in result ? result.errors : []));
    const duplicates = findDuplicates(functions);
    // Tests are not deployed, so that a mistake in them keeps nothing back.
    const [testErrors, ownErrors] = partition(typeErrors, ({ file }) => isTest(file));
    return {
      functions,
      errors: [...problems, ...ownErrors, ...authoring.errors, ...failures, ...duplicates],
      warnings: [
        ...warnings,
        ...testErrors,
        ...authoring.warnings,
        ...functions.flatMap((compiledOne) => compiledOne.bundle.warnings),
      ],
    };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { functions: [], errors: error.diagnostics, warnings: [] };
  }
}

function isTest(file: string | undefined): boolean {
  return file !== undefined && /\.test\.ts$/.test(file);
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

const NOTHING_FOUND = { errors: [], warnings: [] } as const;

type CompiledFile = CompiledFunction | { readonly errors: readonly Diagnostic[] };

/** Without tsconfig.json nothing can be bound; checkTypes tells that it is missing. */
async function checkAuthoringOf(root: string, compiled: readonly CompiledFile[]) {
  const files = compiled.flatMap((result) => ("bundle" in result ? result.bundle.files : []));
  const isBound = files.length > 0 && existsSync(join(root, "tsconfig.json"));
  return isBound ? await checkAuthoring(root, [...new Set(files)].toSorted()) : NOTHING_FOUND;
}

async function compileFile(root: string, file: ProjectFile): Promise<CompiledFile> {
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
