import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { type BuildFailure, type BuildOptions, build, type Message, transform } from "esbuild";
import { CompileError, type Diagnostic } from "../diagnostic.ts";
import { createImportRules, narrowZodImport } from "./import-rules.ts";

/** In code without blanks and comments: an import whose name is no text of its own. */
const COMPUTED = /(?<![.\w$])(?:import|require)\((?!"(?:[^"\\]|\\.)*"[),])/;

export interface BundleOptions {
  /** A file, or text with the folder that its imports are looked up from. */
  readonly source:
    | { readonly entryFile: string }
    | { readonly text: string; readonly resolveDir: string };
  readonly integrationId: string;
  readonly functionName: string;
  /** The author's project: packages come from here and positions are relative to it. */
  readonly root: string;
  /** `platform` for code that nobody has a project for; default `project`. */
  readonly imports?: "project" | "platform";
}

export interface Bundle {
  /** CommonJS whose `default` export is the definition. */
  readonly code: string;
  readonly sourceMap: string;
  /** Of `code`, in hex. */
  readonly sha256: string;
  readonly warnings: readonly Diagnostic[];
  /** The author's own files in it, relative to the project. */
  readonly files: readonly string[];
}

/** Makes one file of a function and all that it imports; throws a CompileError. */
export async function bundleFunction(options: BundleOptions): Promise<Bundle> {
  const root = resolve(options.root);
  if (options.imports === "platform") await requireFixedImports(options);
  const result = await build({
    ...toBuildOptions(root, options.imports ?? "project"),
    ...toEntry(options),
    outfile: join(root, "function.js"),
  }).catch((error: unknown) => {
    throw toCompileError(error);
  });
  const code = result.outputFiles.find((file) => file.path.endsWith(".js"))?.text ?? "";
  const sourceMap = result.outputFiles.find((file) => file.path.endsWith(".map"))?.text ?? "";
  const files = Object.keys(result.metafile.inputs).filter(isOwnFile).toSorted();
  return toBundle({ code, sourceMap, files, warnings: result.warnings.map(toDiagnostic) });
}

/** How every function is bundled, alone or with others: the same source gives the same bundle. */
export function toBuildOptions(root: string, imports: "project" | "platform") {
  return {
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: "cjs",
    target: "node26",
    // Packages choose code without Node's network and files; `browser` fields are honoured too.
    platform: "browser",
    conditions: ["worker", "module"],
    define: { "process.env.NODE_ENV": '"production"' },
    keepNames: true,
    treeShaking: true,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
    metafile: true,
    plugins: [createImportRules({ root, imports })],
  } as const satisfies BuildOptions;
}

export function toBundle(made: Omit<Bundle, "sha256">): Bundle {
  return { ...made, sha256: createHash("sha256").update(made.code).digest("hex") };
}

/** What esbuild found wrong with the author's code as a CompileError; anything else as it is. */
export function toCompileError(error: unknown): unknown {
  return isBuildFailure(error) ? new CompileError(error.errors.map(toDiagnostic)) : error;
}

async function requireFixedImports({ source }: BundleOptions): Promise<void> {
  const computed = "text" in source ? await findComputedImports(source.text) : [];
  if (computed.length > 0) throw new CompileError(computed);
}

function toEntry(options: BundleOptions): Pick<BuildOptions, "entryPoints" | "stdin"> {
  const { source, integrationId, functionName } = options;
  if ("entryFile" in source) return { entryPoints: [resolve(options.root, source.entryFile)] };
  const sourcefile = `${integrationId}/${functionName}.ts`;
  return {
    stdin: {
      contents: narrowZodImport(source.text),
      resolveDir: source.resolveDir,
      sourcefile,
      loader: "ts",
    },
  };
}

/** Not a package's, not one that the import rules make, and not outside of the project. */
export function isOwnFile(path: string): boolean {
  return /^[^:]+\.ts$/.test(path) && !path.startsWith("..") && !path.includes("node_modules/");
}

export function toDiagnostic(message: Message): Diagnostic {
  const { location } = message;
  if (location === null) return { message: message.text };
  const { file, line, column } = location;
  return { message: message.text, file, line, column: column + 1 };
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

/**
 * Calls of `import` or `require` whose name is made while running. For a name such as `./${x}.json` the bundler
 * would walk through this machine's folders and bundle each file that fits.
 */
async function findComputedImports(text: string): Promise<Diagnostic[]> {
  const plain = await transform(text, {
    loader: "ts",
    target: "esnext",
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "silent",
  }).catch(() => undefined);
  // What cannot be read is not bundled either, and the bundler tells where it is wrong.
  if (plain === undefined || !COMPUTED.test(plain.code)) return [];
  const message =
    "import() and require() of a computed name cannot work: a function is one bundle. Import what it needs by name at the top";
  return [{ message }];
}
