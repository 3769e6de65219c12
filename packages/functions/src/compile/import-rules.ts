import { readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { explainForbidden, isAllowedBuiltIn, toBuiltIn } from "./built-ins.ts";

export interface ImportRules {
  /** Where the author's packages are looked up. */
  readonly root: string;
  /** `platform`: only the authoring package, zod and allowed built-ins may be imported. */
  readonly imports: "project" | "platform";
}

const OWN_FOLDER = dirname(fileURLToPath(import.meta.url));
const AUTHORING_NAMES: ReadonlySet<string> = new Set(["jackfield", "@jackfield/functions"]);
const STUBS = "unavailable";
const RESOLVED = Symbol("resolved by these rules");

/** Decides what each import of a function becomes. */
export function createImportRules(rules: ImportRules): Plugin {
  return {
    name: "import-rules",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, (args) => resolveImport(args, rules, build));
      if (rules.imports === "platform") {
        build.onResolve({ filter: /^[./]/ }, (args) => refuseFile(args));
        // The wall behind all rules of names: some imports the bundler resolves without asking (globs).
        build.onLoad({ filter: /.*/, namespace: "file" }, (args) => refuseForeign(args.path));
      }
      build.onLoad({ filter: /\.ts$/ }, async (args) => {
        if (isDependency(args.path)) return undefined;
        return { contents: narrowZodImport(await readFile(args.path, "utf8")), loader: "ts" };
      });
      build.onLoad({ filter: /.*/, namespace: STUBS }, (args) => ({
        contents: writeStub(args.path),
        loader: "js",
      }));
    },
  };
}

/**
 * The object `z` keeps all of zod in the bundle, 600 kB with every language; of the namespace of the same
 * content only what is used stays, about 110 kB.
 */
export function narrowZodImport(text: string): string {
  return text.replace(
    /^([ \t]*import\s+)\{\s*z\s*\}(\s+from\s+["']zod(?:\/v4)?["'])/gm,
    (_, before: string, after: string) => `${before}* as z${after}`,
  );
}

async function resolveImport(
  args: OnResolveArgs,
  rules: ImportRules,
  build: PluginBuild,
): Promise<OnResolveResult | undefined> {
  if (args.kind === "entry-point" || args.pluginData === RESOLVED) return undefined;
  if (AUTHORING_NAMES.has(args.path)) return { path: authoringModule(), sideEffects: false };
  if (args.path === "zod" || args.path.startsWith("zod/")) return resolveZod(args, rules, build);
  const builtIn = toBuiltIn(args.path);
  if (builtIn !== undefined) return resolveBuiltIn(args, builtIn);
  if (rules.imports === "project") return undefined;
  const message = `"${args.path}" cannot be imported here: code sent to the server may import jackfield, zod and some Node built-ins. Deploy with the CLI to use packages.`;
  return { errors: [{ text: message }] };
}

function resolveBuiltIn(args: OnResolveArgs, builtIn: string): OnResolveResult {
  if (isAllowedBuiltIn(builtIn)) return { path: builtIn, external: true };
  const text = explainForbidden(builtIn);
  if (!isDependency(args.importer)) return { errors: [{ text }] };
  const used = `${packageOf(args.importer)} imports it: what uses it will throw. ${text}`;
  return { path: builtIn, namespace: STUBS, sideEffects: false, warnings: [{ text: used }] };
}

/** The author's zod, so that one copy is bundled; ours where the project has none. */
async function resolveZod(
  args: OnResolveArgs,
  rules: ImportRules,
  build: PluginBuild,
): Promise<OnResolveResult> {
  for (const resolveDir of [rules.root, OWN_FOLDER]) {
    const options = { kind: args.kind, resolveDir, pluginData: RESOLVED };
    const { errors, path } = await build.resolve(args.path, options);
    if (errors.length === 0) return { path, sideEffects: false };
  }
  return { errors: [{ text: `"${args.path}" is not installed.` }] };
}

function refuseFile(args: OnResolveArgs): OnResolveResult | undefined {
  const isAuthors = args.importer !== "" && !isDependency(args.importer) && !isOurs(args.importer);
  if (!isAuthors) return undefined;
  const text = `"${args.path}" cannot be imported here: code sent to the server is one file.`;
  return { errors: [{ text }] };
}

/** Only our own files and zod's are ever read for code that was sent. */
function refuseForeign(path: string): OnLoadResult | undefined {
  if (isOurs(path) || (isDependency(path) && packageOf(path) === "zod")) return undefined;
  return { errors: [{ text: "Code sent to the server is one file; it can import no other." }] };
}

/** This file's neighbour: sources in the checkout, `dist` when published. */
function authoringModule(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return join(OWN_FOLDER, "..", `index.${extension}`);
}

function isDependency(importer: string): boolean {
  return importer.includes(`${sep}node_modules${sep}`);
}

function isOurs(importer: string): boolean {
  return importer.startsWith(join(OWN_FOLDER, "..") + sep);
}

function packageOf(importer: string): string {
  const path = importer.split(`${sep}node_modules${sep}`).at(-1) ?? importer;
  return path
    .split(sep)
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
}

/** A module whose exports have the built-in's names and throw when they are called or constructed. */
function writeStub(builtIn: string): string {
  const names = Object.keys(process.getBuiltinModule(builtIn) ?? {}).filter((name) =>
    /^[A-Za-z_$][\w$]*$/.test(name),
  );
  const message = JSON.stringify(explainForbidden(builtIn));
  return `function unavailable() { throw new Error(${message}); }
module.exports = unavailable;
for (const name of ${JSON.stringify(names)}) {
  if (name !== "default") Object.defineProperty(unavailable, name, { value: function () { throw new Error(${message}); }, enumerable: true });
}`;
}
