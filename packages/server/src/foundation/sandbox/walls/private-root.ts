import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { promisify } from "node:util";
import type { Program } from "./types.ts";

/** Says where libraries are; read by every program's loader, and no secret. */
const LOADER_CACHE = "/etc/ld.so.cache";
const PROGRAM = "/bin/program";
/** Programs ask here for their own path; the rest of /proc is not there. */
const OWN_PATH = "/proc/self/exe";

/** One file or folder of the machine and its path in the private root. */
export interface RootFile {
  readonly source: string;
  readonly target: string;
  readonly isFolder: boolean;
}

export interface PrivateRoot {
  readonly files: readonly RootFile[];
  /** Parents before children. */
  readonly folders: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly program: string;
  readonly programFiles: readonly string[];
}

/** The least that a program needs in order to start, with the tools that start it. */
export async function planPrivateRoot(
  { path, files, readsFolder = false }: Program,
  tools: readonly string[],
): Promise<PrivateRoot> {
  const libraries = await Promise.all([path, ...tools].map(listLibraries));
  const programFiles = files.map((file) => ({ source: file, target: toTarget(file) }));
  const all = new Map<string, string>();
  for (const library of libraries.flat()) all.set(library, library);
  if (existsSync(LOADER_CACHE)) all.set(LOADER_CACHE, LOADER_CACHE);
  for (const tool of tools) all.set(toTarget(tool), tool);
  for (const { source, target } of programFiles) all.set(target, source);
  // What it finds next to itself, it calls by the path that the server knows.
  const program = readsFolder ? resolve(path) : PROGRAM;
  if (readsFolder) all.set(dirname(program), dirname(program));
  else all.set(PROGRAM, path);
  return {
    files: [...all].map(([target, path]) => {
      const source = resolve(path);
      return { source, target, isFolder: statSync(source).isDirectory() };
    }),
    folders: [...new Set([...all.keys(), OWN_PATH].flatMap(listParents))],
    links: [{ path: OWN_PATH, target: program }],
    program,
    programFiles: programFiles.map(({ target }) => target),
  };
}

export function toTarget(file: string): string {
  return `/bin/${basename(file)}`;
}

function listParents(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;

/** Absolute paths of what a program loads at its start, its loader included; none for a static one. */
async function listLibraries(program: string): Promise<string[]> {
  // The loader lists instead of starting the program; a static program shows its version.
  const env = { LD_TRACE_LOADED_OBJECTS: "1" };
  const { stdout } = await run(program, ["--version"], { env, timeout: TIMEOUT_MS });
  const lines = stdout.split("\n").map((line) => /^\s*(?:\S+ => )?(\/\S+) \(0x/.exec(line)?.[1]);
  return [...new Set(lines.filter((path) => path !== undefined))];
}
