import { readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { explainForbidden, isAllowedBuiltIn, toBuiltIn } from "../built-ins.ts";
import { findZodVersion, isGivenByHost } from "../zod-version.ts";

export interface ImportRules {
  /** Where the author's packages are looked up. */
  readonly root: string;
  /** `platform`: only the authoring package, zod and allowed built-ins may be imported. */
  readonly imports: "project" | "platform";
}

const OWN_FOLDER = dirname(fileURLToPath(import.meta.url));
const AUTHORING_NAMES: ReadonlySet<string> = new Set(["jackfield", "@jackfield/functions"]);
/** What the process of a function has itself; the rest of zod (`zod/mini`, `zod/v4/core`) is bundled. */
const HOST_ZOD: ReadonlySet<string> = new Set(["zod", "zod/v4"]);
const STUBS = "unavailable";
const ABSENT = "not-installed";
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
      build.onResolve({ filter: /^\./ }, (args) =>
        isLazy(args) ? resolveLazy(args, build) : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: ABSENT }, (args) => ({
        contents: writeAbsent(args.path),
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
  if (AUTHORING_NAMES.has(args.path)) return { ...FROM_HOST, path: "jackfield" };
  if (args.path === "zod" || args.path.startsWith("zod/")) return resolveZod(args, rules, build);
  const builtIn = toBuiltIn(args.path);
  if (builtIn !== undefined) return resolveBuiltIn(args, builtIn);
  if (isLazy(args)) return await resolveLazy(args, build);
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

/** A dependency's `require` or `import()`, which it may never come to, or comes to in a `try`. */
function isLazy(args: OnResolveArgs): boolean {
  const isCall = args.kind === "require-call" || args.kind === "dynamic-import";
  return isCall && args.pluginData !== RESOLVED && isDependency(args.importer);
}

/** What is not installed throws when it is required, as it does without a bundler. */
async function resolveLazy(args: OnResolveArgs, build: PluginBuild): Promise<OnResolveResult> {
  const { kind, resolveDir, importer } = args;
  const found = await build.resolve(args.path, {
    ...{ kind, resolveDir, importer },
    pluginData: RESOLVED,
  });
  if (found.errors.length === 0) {
    const { path, external, namespace, sideEffects, suffix } = found;
    return { path, external, namespace, sideEffects, suffix };
  }
  const text = `${packageOf(importer)} requires "${args.path}", which is not installed: what uses it will throw.`;
  return { path: args.path, namespace: ABSENT, warnings: [{ text }] };
}

const FROM_HOST = { external: true, sideEffects: false } as const;

/**
 * The zod of the function's process where it can stand for the one that is installed, else a copy of that one: a
 * package's own, the author's, or ours where the project has none.
 */
async function resolveZod(
  args: OnResolveArgs,
  rules: ImportRules,
  build: PluginBuild,
): Promise<OnResolveResult> {
  const own = isDependency(args.importer) ? [args.resolveDir] : [];
  for (const resolveDir of [...own, rules.root, OWN_FOLDER]) {
    const options = { kind: args.kind, resolveDir, pluginData: RESOLVED };
    const { errors, path } = await build.resolve(args.path, options);
    if (errors.length > 0) continue;
    const isGiven = HOST_ZOD.has(args.path) && isGivenByHost(findZodVersion(path));
    return isGiven ? { ...FROM_HOST, path: "zod" } : { path, sideEffects: false };
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

function isDependency(importer: string): boolean {
  return importer.includes(`${sep}node_modules${sep}`);
}

function isOurs(importer: string): boolean {
  return importer.startsWith(join(OWN_FOLDER, "../..") + sep);
}

function packageOf(importer: string): string {
  const path = importer.split(`${sep}node_modules${sep}`).at(-1) ?? importer;
  return path
    .split(sep)
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
}

function writeAbsent(path: string): string {
  const message = JSON.stringify(`Cannot find module "${path}": it is not installed.`);
  return `throw Object.assign(new Error(${message}), { code: "MODULE_NOT_FOUND" });`;
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
