import { relative, resolve } from "node:path";
import type { DevChoice, DevFault, DevRun, DevState } from "@jackfield/contract";
import type { CompiledFunction, Diagnostic, ProjectFile } from "@jackfield/functions/compile";
import type { RecordedCase } from "@jackfield/functions/test-kit";
import type { Sandbox } from "@jackfield/server/sandbox";
import type { Platform } from "../deploy/call-platform.ts";
import { type DryRunReport, dryRun } from "../dryrun/dry-run.ts";
import { readRecordingOf, saveCase } from "../dryrun/recording-file.ts";
import { CompileFailure, withoutRepeats } from "../project/build-project.ts";
import { codeFrameOf } from "../project/code-frame.ts";
import type { ProjectBuild } from "../project/project-build.ts";
import { listFunctionFiles } from "../project/select-function.ts";
import { messageOf, UserError } from "../user-error.ts";
import { presentDevRun } from "./present-dev-run.ts";
import { presentFunction, toDryRunRequest } from "./run-choice.ts";

const KEPT_RUNS = 20;

export interface DevSessionOptions {
  readonly projectDir: string;
  readonly environment: string;
  readonly platform: Platform;
  /** Kept open, so that a run starts in a process that is there already. */
  readonly sandbox: Sandbox;
  readonly build: ProjectBuild;
  readonly choice: DevChoice | undefined;
  /** Of each run that ended, for the terminal. */
  readonly onRun: (run: DevRun) => void;
}

interface KeptRun {
  readonly run: DevRun;
  readonly report: DryRunReport;
  readonly fn: CompiledFunction;
}

/**
 * A function that is run again each time its files change, with the same input. It is bundled and run at once; types
 * are checked at the same time, so that a run does not wait for them.
 */
export class DevSession {
  readonly #options: DevSessionOptions;
  readonly #listeners = new Set<() => void>();
  readonly #compiled = new Map<string, CompiledFunction>();
  #files: readonly ProjectFile[] = [];
  #faults: readonly DevFault[] = [];
  #runs: readonly KeptRun[] = [];
  #choice: DevChoice | undefined;
  #refusal: string | undefined;
  #isCompiling = false;
  #running: AbortController | undefined;
  #nextId = 1;

  constructor(options: DevSessionOptions) {
    this.#options = options;
    this.#choice = options.choice;
  }

  get state(): DevState {
    const { projectDir, environment } = this.#options;
    return {
      folder: projectDir,
      environment,
      activity:
        this.#running !== undefined ? "running" : this.#isCompiling ? "compiling" : "waiting",
      faults: this.#faults,
      functions: this.#files.map((file) => presentFunction(file, this.#compiled.get(file.file))),
      choice: this.#choice,
      refusal: this.#refusal,
      runs: this.#runs.map(({ run }) => {
        const { id, file, kind, connection, at, isGood, tookMs, sinceSaveMs } = run;
        return { id, file, kind, connection, at, isGood, tookMs, sinceSaveMs };
      }),
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Files that have changed, relative to the project; the first call is about all. Throws what is wrong with the project. */
  async look(changed: ReadonlySet<string>, changedAt: number | undefined): Promise<number> {
    this.#isCompiling = true;
    this.#announce();
    try {
      this.#files = await listFunctionFiles(this.#options.projectDir);
      const concerned = this.#files.filter((file) => this.#isConcerned(file, changed));
      const chosen = concerned.find(({ file }) => file === this.#choice?.file);
      if (chosen !== undefined && (await this.#bundle([chosen]))) void this.#start(changedAt);
      await this.#bundle(concerned.filter((file) => file !== chosen));
      await this.#options.build.build(changed);
      this.#faults = [];
      return concerned.length;
    } catch (error) {
      this.#faults = this.#toFaults(error);
      throw error;
    } finally {
      this.#isCompiling = false;
      this.#announce();
    }
  }

  /** Runs this from now on, and once at once. */
  async choose(choice: DevChoice): Promise<void> {
    if (!this.#files.some(({ file }) => file === choice.file)) {
      throw new UserError(`index.ts has no function in ${choice.file}.`);
    }
    this.#choice = choice;
    await this.#start(undefined);
  }

  stop(): void {
    this.#running?.abort();
  }

  findRun(id: string): DevRun | undefined {
    return this.#runs.find(({ run }) => run.id === id)?.run;
  }

  /** Keeps a run as a recording for `jackfield test`; returns the file's path. */
  async saveRun(id: string): Promise<string> {
    const kept = this.#runs.find(({ run }) => run.id === id);
    if (kept === undefined) throw new UserError("This run is no longer here. Run it again.");
    const { report, fn } = kept;
    const name = report.kind;
    return await saveCase(this.#options.projectDir, fn, { name, ...report.recorded });
  }

  #isConcerned({ file }: ProjectFile, changed: ReadonlySet<string>): boolean {
    const known = this.#compiled.get(file);
    return known === undefined || known.bundle.files.some((source) => changed.has(source));
  }

  /** False when one of them cannot be bundled; what was wrong is then shown. */
  async #bundle(files: readonly ProjectFile[]): Promise<boolean> {
    if (files.length === 0) return true;
    const { compileProject } = await import("@jackfield/functions/compile");
    const wanted = new Set(files.map(({ file }) => file));
    const { functions, errors } = await compileProject(this.#options.projectDir, {
      only: ({ file }) => wanted.has(file),
      skipTypeCheck: true,
    });
    for (const fn of functions) this.#compiled.set(fn.file, fn);
    if (errors.length === 0) return true;
    this.#faults = withoutRepeats(errors).map((error) => this.#toFault(error));
    this.#announce();
    return false;
  }

  /** A run that is under way is ended: what it shows is of an earlier source or input. */
  async #start(changedAt: number | undefined): Promise<void> {
    const choice = this.#choice;
    const fn = choice === undefined ? undefined : this.#compiled.get(choice.file);
    if (choice === undefined || fn === undefined) return;
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#refusal = undefined;
    this.#announce();
    const beganAt = performance.now();
    try {
      const report = await this.#dryRun(fn, choice, running.signal);
      const endedAt = performance.now();
      const kept = await this.#findKept(fn, report);
      if (this.#running !== running) return;
      this.#keep({ report, kept, fn, choice, beganAt, endedAt, changedAt });
    } catch (error) {
      if (this.#running === running) this.#refusal = messageOf(error);
    } finally {
      if (this.#running === running) this.#running = undefined;
      this.#announce();
    }
  }

  async #dryRun(
    fn: CompiledFunction,
    choice: DevChoice,
    signal: AbortSignal,
  ): Promise<DryRunReport> {
    const { environment, platform, sandbox } = this.#options;
    const request = toDryRunRequest(fn.description, choice, environment);
    const events = { onLog: () => {}, onProgress: () => {} };
    return await dryRun({ platform, sandbox, fn, request, signal }, events);
  }

  /** What the recording of such a run says; a recording that cannot be read is for `jackfield test` to report. */
  async #findKept(fn: CompiledFunction, { kind }: DryRunReport) {
    const recording = await readRecordingOf(this.#options.projectDir, fn).catch(() => undefined);
    const isSuch = ({ name, other }: RecordedCase) => name === kind && other === undefined;
    return recording?.cases.find(isSuch)?.result;
  }

  #keep(given: {
    readonly report: DryRunReport;
    readonly kept: RecordedCase["result"] | undefined;
    readonly fn: CompiledFunction;
    readonly choice: DevChoice;
    readonly beganAt: number;
    readonly endedAt: number;
    readonly changedAt: number | undefined;
  }): void {
    const { report, kept, fn, choice, beganAt, endedAt, changedAt } = given;
    const summary = {
      id: String(this.#nextId),
      file: choice.file,
      kind: choice.kind,
      connection: report.connectionId,
      at: new Date().toISOString(),
      isGood: !("error" in report.end),
      tookMs: Math.round(endedAt - beganAt),
      sinceSaveMs: changedAt === undefined ? undefined : Math.round(endedAt - changedAt),
    };
    this.#nextId += 1;
    const { input } = choice;
    const run = presentDevRun(this.#options.projectDir, summary, { report, input, kept });
    this.#runs = [{ run, report, fn }, ...this.#runs].slice(0, KEPT_RUNS);
    this.#options.onRun(run);
  }

  #toFaults(error: unknown): DevFault[] {
    if (!(error instanceof CompileFailure) || error.errors.length === 0) {
      return [{ message: messageOf(error) }];
    }
    return error.errors.map((found) => {
      // A failure names files as the terminal follows them: from the working directory.
      const { file } = found;
      const own =
        file === undefined ? undefined : relative(this.#options.projectDir, resolve(file));
      return this.#toFault(own === undefined ? found : { ...found, file: own });
    });
  }

  #toFault(found: Diagnostic): DevFault {
    const frame = codeFrameOf(this.#options.projectDir, found);
    return { ...found, ...(frame !== undefined && { frame }) };
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}
