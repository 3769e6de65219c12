import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import type { FileSystem } from "typescript/unstable/fs";

/** The one file of a text that was sent, as TypeScript sees it. */
export const SENT_FILE = "/function.ts";
export const SENT_CONFIG = "/tsconfig.json";

// The place of published declarations, by which `checks/program.ts` knows them.
const AUTHORING = "/node_modules/@jackfield/functions/dist";
const OWN_FOLDER = resolve(import.meta.dirname, "../..");
const AUTHORING_ENTRY = `${AUTHORING}/index.${import.meta.url.endsWith(".ts") ? "ts" : "d.ts"}`;
const DECLARATIONS = /(\.ts|\.d\.[cm]ts|[\\/]package\.json)$/;

/** As strict as a project that `jackfield init` writes, without the rules that are only a matter of style. */
const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "esnext.disposable", "esnext.iterator"],
  module: "nodenext",
  moduleResolution: "nodenext",
  moduleDetection: "force",
  types: ["node"],
  typeRoots: ["/node_modules/@types"],
  strict: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  paths: { jackfield: [AUTHORING_ENTRY], "@jackfield/functions": [AUTHORING_ENTRY] },
};

/**
 * A project that exists only here: the text, and the declarations that it may import. The compiler asks for every
 * file, and never gets anything else of this machine, regardless of what the text refers to.
 */
export function createSentProject(text: string, libraryFolder: string): FileSystem {
  const made = new Map([
    [SENT_FILE, text],
    [SENT_CONFIG, JSON.stringify({ compilerOptions, files: ["function.ts"] })],
    ["/package.json", JSON.stringify({ type: "module" })],
  ]);
  const folders = { ...findPackages(), [AUTHORING]: OWN_FOLDER };
  const toReal = (path: string) => findReal(path, folders, libraryFolder);
  return {
    readFile: (path) => made.get(path) ?? readDeclaration(toReal(path)),
    fileExists: (path) => made.has(path) || isFile(toReal(path)),
    directoryExists: (path) =>
      Object.keys(folders).some((folder) =>
        `${folder}/`.startsWith(`${path.replace(/\/$/, "")}/`),
      ) || isDirectory(toReal(path)),
    getAccessibleEntries: () => ({ files: [], directories: [] }),
    realpath: (path) => path,
  };
}

/** Where the packages are whose declarations a text may import. */
function findPackages(): Record<string, string> {
  const here = createRequire(import.meta.url);
  const types = here.resolve("@types/node/package.json");
  return {
    "/node_modules/zod": dirname(here.resolve("zod/package.json")),
    "/node_modules/@types/node": dirname(types),
    "/node_modules/undici-types": dirname(
      createRequire(types).resolve("undici-types/package.json"),
    ),
  };
}

function findReal(
  path: string,
  folders: Readonly<Record<string, string>>,
  libraryFolder: string,
): string | undefined {
  const library = resolve(path);
  if (dirname(library) === libraryFolder && /[\\/]lib\.[\w.]*d\.ts$/.test(library)) return library;
  for (const [folder, real] of Object.entries(folders)) {
    if (!path.startsWith(`${folder}/`)) continue;
    const file = join(real, path.slice(folder.length));
    return file.startsWith(real + sep) ? file : undefined;
  }
  return undefined;
}

/** `null` says that there is none; `undefined` would send the compiler to this machine's files. */
function readDeclaration(path: string | undefined): string | null {
  if (path === undefined || !isFile(path)) return null;
  return readFileSync(path, "utf8");
}

function isFile(path: string | undefined): boolean {
  if (path === undefined || !DECLARATIONS.test(path)) return false;
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isDirectory(path: string | undefined): boolean {
  if (path === undefined) return false;
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
