import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Bundle } from "./bundle/bundle-function.ts";
import { bundleFunctions } from "./bundle/bundle-functions.ts";
import { checkProject } from "./checks/check-project.ts";
import { describeFunction, type FunctionDescription } from "./describe/describe-function.ts";
import { CompileError, type Diagnostic, formatDiagnostic } from "./diagnostic.ts";
import { listProjectFiles, type ProjectFile } from "./project-files.ts";
import { explainZod } from "./zod-version.ts";

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

export interface CompileOptions {
  readonly skipTypeCheck?: boolean;
  /** Which functions; what is wrong with others then keeps nothing back. Default: all. */
  readonly only?: (file: ProjectFile) => boolean;
}

/** Checks, bundles and describes the functions of a project; what is wrong is in `errors`. */
export async function compileProject(
  dir: string,
  { skipTypeCheck = false, only }: CompileOptions = {},
): Promise<CompiledProject> {
  const root = resolve(dir);
  try {
    const listed = listProjectFiles(root);
    const files = only === undefined ? listed.files : listed.files.filter(only);
    const { functions, failures, bundled } = await compileFiles(root, files);
    const isPart = only !== undefined;
    const checked = skipTypeCheck
      ? NOTHING_FOUND
      : await checkProject({ root, bundled: [...bundled], isPart });
    // Tests are not deployed, so that a mistake in them keeps nothing back.
    const [testErrors, ownErrors] = partition(checked.errors, ({ file }) => isTest(file));
    const ofBundles = functions.flatMap(({ bundle }) => bundle.warnings);
    const unlike = explainZod(root);
    return {
      functions,
      errors: [
        ...(isPart ? [] : listed.problems),
        ...ownErrors,
        ...failures,
        ...findDuplicates(functions),
      ],
      warnings: [
        ...(unlike === undefined ? [] : [unlike]),
        ...(isPart ? [] : listed.warnings),
        ...testErrors,
        ...checked.warnings,
        ...withoutRepeats(ofBundles),
        ...functions.flatMap(findUnsubscribed),
      ],
    };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { functions: [], errors: error.diagnostics, warnings: [] };
  }
}

/** A handler of webhooks runs for what its sync subscribes to alone. */
function findUnsubscribed({ description, file }: CompiledFunction): Diagnostic[] {
  if (description.type !== "sync") return [];
  const { hasWebhookHandler, webhookSubscriptions } = description;
  if (hasWebhookHandler === webhookSubscriptions.length > 0) return [];
  const message = hasWebhookHandler
    ? 'onWebhook never runs without webhookSubscriptions: name the types of webhooks that it takes, or ["*"] for all'
    : "webhookSubscriptions have no effect without onWebhook";
  return [{ file, message }];
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

async function compileFiles(
  root: string,
  files: readonly ProjectFile[],
): Promise<{ functions: CompiledFunction[]; failures: Diagnostic[]; bundled: Set<string> }> {
  const functions: CompiledFunction[] = [];
  const failures: Diagnostic[] = [];
  const bundled = new Set<string>();
  for await (const [file, made] of bundleFunctions(root, files)) {
    if ("errors" in made) {
      failures.push(...made.errors);
      continue;
    }
    const { bundle } = made;
    for (const path of bundle.files) bundled.add(path);
    try {
      const description = describeFunction({ ...file, code: bundle.code });
      const source = await readFile(join(root, file.file), "utf8");
      functions.push({ ...file, source, bundle, description });
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      failures.push(...error.diagnostics);
    }
  }
  return { functions, failures: withoutRepeats(failures), bundled };
}

/** A file that several functions import is named once. */
function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((found) => [formatDiagnostic(found), found])).values()];
}

/** Record models, and names of functions of a type, are unique within an integration. */
function findDuplicates(functions: readonly CompiledFunction[]): Diagnostic[] {
  const owners = new Map<string, string>();
  const problems: Diagnostic[] = [];
  for (const { integrationId, functionName, file, description } of functions) {
    const models = description.type === "sync" ? description.models : [];
    const names = [
      [`${description.type} ${functionName}`, "rename one of them"],
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
