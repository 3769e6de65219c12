import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { styleText } from "node:util";
import type {
  CompiledFunction,
  CompiledProject,
  CompileOptions,
  Diagnostic,
} from "@jackfield/functions/compile";
import { exitCodes, UserError } from "../user-error.ts";
import { codeFrameOf } from "./code-frame.ts";
import { readProjectEgress } from "./project-egress.ts";

export interface BuiltFunction extends CompiledFunction {
  /** The bundle's path, relative to the project. */
  readonly build: string;
}

export interface BuiltProject {
  readonly functions: readonly BuiltFunction[];
  readonly warnings: readonly Diagnostic[];
}

/** The project's problems; paths are relative to the working directory. */
export class CompileFailure extends UserError {
  override name = "CompileFailure";
  readonly errors: readonly Diagnostic[];

  constructor(message: string, errors: readonly Diagnostic[]) {
    super(message, { exitCode: exitCodes.compile });
    this.errors = errors;
  }
}

/** Compiles a project, or some of its functions, into its `build` folder; throws a CompileFailure that shows each problem at its place. */
export async function buildProject(
  projectDir: string,
  { only }: Pick<CompileOptions, "only"> = {},
): Promise<BuiltProject> {
  const { compileProject } = await import("@jackfield/functions/compile");
  const compiled = await compileProject(projectDir, only === undefined ? {} : { only });
  return await keepBuilt(projectDir, compiled, { isPart: only !== undefined });
}

/** Writes what was compiled; with `isPart`, bundles of other functions stay. */
export async function keepBuilt(
  projectDir: string,
  { functions, errors: found, warnings }: CompiledProject,
  { isPart }: { isPart: boolean },
): Promise<BuiltProject> {
  const { formatDiagnostic } = await import("@jackfield/functions/compile");
  const errors = withoutRepeats(found);
  if (errors.length > 0) {
    const lines = errors.map((error) => {
      const frame = drawCodeFrame(projectDir, error);
      const line = formatDiagnostic(fromHere(error, projectDir));
      return frame === undefined ? line : `${line}\n${frame}`;
    });
    const shown = errors.map((error) => fromHere(error, projectDir));
    throw new CompileFailure(`The project does not compile:\n${lines.join("\n")}`, shown);
  }
  if (functions.length === 0 && !isPart) throw noFunctions(projectDir);
  const egress = readProjectEgress(projectDir);
  const built = functions.map((fn) => ({
    ...fn,
    description: egress === undefined ? fn.description : { egress, ...fn.description },
    build: toBuildPath(fn),
  }));
  await writeBuild(projectDir, built, isPart);
  return { functions: built, warnings: warnings.map((warning) => fromHere(warning, projectDir)) };
}

export function noFunctions(projectDir: string): CompileFailure {
  return new CompileFailure(
    `${join(projectDir, "index.ts")} imports no function: write one line for each, such as import "./crm/syncs/contacts.js";`,
    [],
  );
}

/** A module that is missing is noticed by the types and by the bundler; once is enough. */
export function withoutRepeats(errors: readonly Diagnostic[]): Diagnostic[] {
  const placeOf = ({ file, line }: Diagnostic): string => `${file}:${line}`;
  const missing = new Set(
    errors.filter(({ message }) => /^TS(2307|2882)\b/.test(message)).map(placeOf),
  );
  return errors.filter(
    (error) => !(/could not resolve/i.test(error.message) && missing.has(placeOf(error))),
  );
}

/** Terminals and editors follow a path from the working directory. */
function fromHere(diagnostic: Diagnostic, projectDir: string): Diagnostic {
  const { file } = diagnostic;
  if (file === undefined) return diagnostic;
  return { ...diagnostic, file: relative(process.cwd(), join(projectDir, file)) };
}

function toBuildPath({ integrationId, description, functionName }: CompiledFunction): string {
  return `build/${integrationId}_${description.type}_${functionName}.cjs`;
}

async function writeBuild(
  projectDir: string,
  functions: readonly BuiltFunction[],
  isPart: boolean,
): Promise<void> {
  const folder = join(projectDir, "build");
  await mkdir(folder, { recursive: true });
  if (!isPart) await removeStale(folder, functions);
  for (const { build, bundle } of functions) {
    await writeFile(join(projectDir, build), bundle.code);
  }
}

async function removeStale(folder: string, functions: readonly BuiltFunction[]): Promise<void> {
  const current = new Set(functions.map(({ build }) => build));
  for (const name of await readdir(folder)) {
    const isStale =
      name.endsWith(".cjs") &&
      /_(sync|action|on-event)_[^.]/.test(name) &&
      !current.has(`build/${name}`);
    if (isStale) await rm(join(folder, name));
  }
}

/** The author's lines around a problem, with a mark below its column; nothing for a problem without a place. */
function drawCodeFrame(projectDir: string, place: Diagnostic): string | undefined {
  const found = codeFrameOf(projectDir, place);
  if (found === undefined) return undefined;
  const { first, lines } = found;
  const width = String(first + lines.length - 1).length;
  const frame: string[] = [];
  for (const [at, source] of lines.entries()) {
    const isHere = first + at === place.line;
    const row = `${isHere ? ">" : " "} ${String(first + at).padStart(width)} | ${source}`.trimEnd();
    frame.push(isHere ? row : styleText("dim", row, { stream: process.stderr }));
    if (isHere && place.column !== undefined) {
      const mark = styleText("red", "^", { stream: process.stderr });
      frame.push(`  ${" ".repeat(width)} | ${" ".repeat(place.column - 1)}${mark}`);
    }
  }
  return frame.join("\n");
}
