import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import {
  API,
  DiagnosticCategory,
  type Diagnostic as Finding,
  type Project,
} from "typescript/unstable/async";
import type { Diagnostic } from "../diagnostic.ts";
import { findMistakes } from "./check-authoring.ts";
import { bindFilesOf, openProject } from "./program.ts";
import { placeOf, wordFinding } from "./to-diagnostic.ts";

export interface CheckSubject {
  readonly root: string;
  /** The author's files that are bundled, relative to the project. */
  readonly bundled: readonly string[];
  /** Whether only these are looked at, and what they import; else all that tsconfig.json names. */
  readonly isPart: boolean;
}

export interface CheckResult {
  readonly errors: Diagnostic[];
  readonly warnings: Diagnostic[];
}

/** So many files take TypeScript about 600 MB; its memory grows with each one it checks. */
const FILES_AT_ONCE = 400;
const OUR_SOURCES = import.meta.url.endsWith(".ts")
  ? resolve(import.meta.dirname, "../../../..") + sep
  : undefined;

/**
 * Errors of types, and mistakes that types cannot tell. Files of a large project are checked a part after the other,
 * each by a compiler of its own, so that memory is bounded.
 */
export async function checkProject(subject: CheckSubject): Promise<CheckResult> {
  const { root } = subject;
  const config = join(root, "tsconfig.json");
  if (!existsSync(config)) {
    const message = "tsconfig.json is missing; `jackfield init` writes one";
    return { errors: [{ message }], warnings: [] };
  }
  const bundled = new Set(subject.bundled);
  const found: CheckResult[] = [];
  let api: API | undefined = new API({ cwd: root });
  try {
    const named = (await api.parseConfigFile(config)).fileNames;
    const declarations = named.filter((file) => /\.d\.[cm]?ts$/.test(file));
    const own = subject.isPart ? subject.bundled.map((file) => join(root, file)) : named;
    const files = [...new Set(own)].filter((file) => !declarations.includes(file)).toSorted();
    for (const part of toParts(files, join(root, "index.ts"))) {
      const wanted = part.map((file) => toPath(root, file)).filter((file) => bundled.has(file));
      api ??= new API({ cwd: root });
      found.push(await checkPart(api, root, { files: [...declarations, ...part], wanted }));
      await api.close();
      api = undefined;
    }
  } finally {
    await api?.close();
  }
  return {
    errors: withoutRepeats(found.flatMap(({ errors }) => errors)),
    warnings: withoutRepeats(found.flatMap(({ warnings }) => warnings)),
  };
}

/** index.ts imports every function: together with a part of them it would bring in the others. */
function toParts(files: readonly string[], index: string): string[][] {
  if (files.length <= FILES_AT_ONCE) return [[...files]];
  const others = files.filter((file) => file !== index);
  const parts: string[][] = [];
  for (let at = 0; at < others.length; at += FILES_AT_ONCE) {
    parts.push(others.slice(at, at + FILES_AT_ONCE));
  }
  return parts;
}

/** `files` by their full paths; `wanted`, relative ones, are also looked through for mistakes. */
async function checkPart(
  api: API,
  root: string,
  { files, wanted }: { readonly files: readonly string[]; readonly wanted: readonly string[] },
): Promise<CheckResult> {
  const folder = join(
    root,
    ".jackfield",
    `check-${process.pid}-${Math.random().toString(36).slice(2)}`,
  );
  const config = join(folder, "tsconfig.json");
  await mkdir(folder, { recursive: true });
  const compilerOptions = { noEmit: true, composite: false, incremental: false };
  const text = { extends: "../../tsconfig.json", compilerOptions, files, include: [], exclude: [] };
  await writeFile(config, JSON.stringify(text));
  try {
    const project = await openProject(api, config);
    if (project === undefined) throw new Error("TypeScript opened no project");
    const typeErrors = await findTypeErrors(root, project);
    const mistakes = findMistakes(await bindFilesOf(project, root, wanted));
    return { errors: [...typeErrors, ...mistakes.errors], warnings: mistakes.warnings };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findTypeErrors(root: string, { program }: Project): Promise<Diagnostic[]> {
  const found = [
    ...(await program.getConfigFileParsingDiagnostics()),
    ...(await program.getProgramDiagnostics()),
    ...(await program.getGlobalDiagnostics()),
    ...(await program.getSyntacticDiagnostics()),
    ...(await program.getSemanticDiagnostics()),
  ];
  return found
    .filter(({ category, fileName }) => category === DiagnosticCategory.Error && !isOurs(fileName))
    .map((finding) => toDiagnostic(root, finding));
}

/** In the checkout our packages are sources, to which a project's own settings do not apply. */
function isOurs(file: string | undefined): boolean {
  if (OUR_SOURCES === undefined || file === undefined) return false;
  return file.startsWith(OUR_SOURCES) && file.includes(`${sep}src${sep}`);
}

function toDiagnostic(root: string, finding: Finding): Diagnostic {
  const message = wordFinding(finding);
  const { fileName } = finding;
  if (fileName === undefined || !existsSync(fileName)) return { message };
  const place = placeOf(finding, readFileSync(fileName, "utf8"));
  return { message, file: toPath(root, fileName), ...place };
}

function toPath(root: string, file: string): string {
  return relative(root, file).split(sep).join("/");
}

/** A file that several parts import is checked with each. */
function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const byText = new Map(diagnostics.map((found) => [JSON.stringify(found), found]));
  return [...byText.values()];
}
