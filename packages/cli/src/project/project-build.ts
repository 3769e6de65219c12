import type { CompiledFunction, Diagnostic, ProjectFile } from "@jackfield/functions/compile";
import { type BuiltProject, keepBuilt } from "./build-project.ts";
import { listFunctionFiles } from "./select-function.ts";

/** Files whose change may concern every function. */
const CONCERNS_ALL = /^(package\.json|package-lock\.json|tsconfig[^/]*\.json|.*\.d\.ts)$/;

/** Builds a project again and again, each time only the functions that a change concerns. */
export class ProjectBuild {
  readonly #projectDir: string;
  /** Files that each function is made of, by its own. */
  readonly #sources = new Map<string, readonly string[]>();
  /** Functions that did not compile when they were last looked at. */
  readonly #failed = new Set<string>();
  #isBuilt = false;

  constructor(projectDir: string) {
    this.#projectDir = projectDir;
  }

  /** `changed` are paths relative to the project, with forward slashes; throws a CompileFailure. */
  async build(changed: ReadonlySet<string>): Promise<BuiltProject> {
    const isPart = this.#isBuilt && ![...changed].some((path) => CONCERNS_ALL.test(path));
    const files = await listFunctionFiles(this.#projectDir);
    const concerned = isPart ? files.filter((file) => this.#isConcerned(file, changed)) : files;
    const { compileProject } = await import("@jackfield/functions/compile");
    const wanted = new Set(concerned.map(({ file }) => file));
    const only = ({ file }: ProjectFile): boolean => wanted.has(file);
    const compiled = await compileProject(this.#projectDir, isPart ? { only } : {});
    this.#isBuilt = true;
    this.#remember(concerned, compiled.functions, compiled.errors);
    return await keepBuilt(this.#projectDir, compiled, { isPart });
  }

  #isConcerned({ file }: ProjectFile, changed: ReadonlySet<string>): boolean {
    const sources = this.#sources.get(file);
    if (sources === undefined || this.#failed.has(file)) return true;
    return sources.some((source) => changed.has(source));
  }

  #remember(
    concerned: readonly ProjectFile[],
    functions: readonly CompiledFunction[],
    errors: readonly Diagnostic[],
  ): void {
    const wrong = new Set(errors.map(({ file }) => file));
    const made = new Map(functions.map((fn) => [fn.file, fn.bundle.files]));
    for (const { file } of concerned) {
      const sources = made.get(file);
      if (sources !== undefined) this.#sources.set(file, sources);
      const isSound = sources !== undefined && !sources.some((source) => wrong.has(source));
      if (isSound) this.#failed.delete(file);
      else this.#failed.add(file);
    }
  }
}
