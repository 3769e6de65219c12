// The command line and the server as a few scripts. Their 3,000 files take a second of CPU time to load, these a third of
// that, and a test run starts hundreds of processes. Each module keeps the address of its own file.
import { existsSync, readFileSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "node_modules/.cache/jackfield-bundle");
const inputsFile = join(folder, "inputs.json");
const bin = join(root, "packages/cli/bin/jackfield.js");

const SERVER_ENTRY = "tests/refresh/server-entry.ts";
const FORBID_DUMPS = "packages/server/src/process/forbid-dumps.ts";
const OWN_FILE = "tests/launcher/command-line-bundle.ts";

/** Path of `forbid-dumps`, from the bundle when a test run made one. */
export function forbidDumpsFile(): string {
  const bundle = bundleOfRun();
  return bundle === undefined
    ? join(root, FORBID_DUMPS)
    : join(dirname(bundle), "forbid-dumps.mjs");
}

/** Arguments of Node that run the command line: from the bundle when a test run made one, else from the source. */
export function commandLineArgs(): string[] {
  return ["--conditions=jackfield-source", bundleOfRun() ?? bin];
}

/** The same of a server that kills itself at a failpoint, whose name comes next. */
export function failingServerArgs(): string[] {
  const bundle = bundleOfRun();
  const file = bundle === undefined ? SERVER_ENTRY : join(dirname(bundle), "server-entry.mjs");
  return ["--conditions=jackfield-source", resolve(root, file)];
}

function bundleOfRun(): string | undefined {
  // biome-ignore lint/style/noProcessEnv: the set-up of the run tells its processes
  return process.env["TEST_COMMAND_LINE"];
}

/** Makes the bundle when one of its files has changed since, and gives its path. */
export async function bundleCommandLine(): Promise<string> {
  const file = join(folder, "jackfield.mjs");
  if (isCurrent(file)) return file;
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      ...{ jackfield: "start:jackfield", "server-entry": "start:server-entry" },
      "forbid-dumps": FORBID_DUMPS,
    },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    metafile: true,
    ...{ format: "esm", platform: "node", target: "node26", logLevel: "error" },
    conditions: ["jackfield-source"],
    // Programs that find their own files; and what is not installed.
    external: ["typescript", "esbuild", "pg-native", "bufferutil", "utf-8-validate"],
    banner: {
      js: `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(${JSON.stringify(pathToFileURL(bin).href)});`,
    },
    plugins: [startOfBundle, keepLoadedLater, keepAddresses],
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => existsSync(join(root, path)));
  await writeFile(inputsFile, JSON.stringify([...inputs, "package-lock.json", OWN_FILE]));
  return file;
}

function isCurrent(file: string): boolean {
  if (!existsSync(inputsFile) || !existsSync(file)) return false;
  const { mtimeMs } = statSync(inputsFile);
  const inputs: string[] = JSON.parse(readFileSync(inputsFile, "utf8"));
  return inputs.every((path) => {
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    return found !== undefined && found.mtimeMs < mtimeMs;
  });
}

/** The start script of users, without its search for Node 26, and that of a server of tests. */
const scripts = {
  "start:jackfield": 'const { main } = await import("./packages/cli/src/main.ts"); await main();',
  "start:server-entry": `await import("./${SERVER_ENTRY}");`,
};

const startOfBundle: Plugin = {
  name: "start-of-bundle",
  setup(build) {
    build.onResolve({ filter: /^start:/ }, ({ path }) => ({ path, namespace: "start" }));
    for (const [path, script] of Object.entries(scripts)) {
      build.onLoad({ filter: new RegExp(`^${path}$`), namespace: "start" }, () => ({
        resolveDir: root,
        contents: `import { enableCompileCache } from "node:module";
          enableCompileCache(${JSON.stringify(join(folder, "compiled"))});
          ${script}`,
      }));
    }
  },
};

/** Packages that are loaded on demand: bundled, one in CommonJS would lose its named exports. */
const keepLoadedLater: Plugin = {
  name: "keep-loaded-later",
  setup(build) {
    build.onResolve({ filter: /^[@a-z]/ }, ({ path, kind }) => {
      const isOurs = /^(@jackfield\/|jackfield|node:)/.test(path);
      return kind === "dynamic-import" && !isOurs ? { path, external: true } : undefined;
    });
  },
};

/** Modules find migrations, pages and threads by their own address. */
const keepAddresses: Plugin = {
  name: "keep-addresses",
  setup(build) {
    build.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!/\bimport\.meta\.(url|dirname|filename)\b|\b__(dirname|filename)\b/.test(text)) return;
      const [url, own, directory] = [pathToFileURL(path).href, path, dirname(path)].map((value) =>
        JSON.stringify(value),
      );
      const contents = text
        .replaceAll("import.meta.url", url ?? "")
        .replaceAll("import.meta.filename", own ?? "")
        .replaceAll("import.meta.dirname", directory ?? "");
      const isCommonJs = !/^\s*(import|export)\b/m.test(text);
      const names = isCommonJs ? `var __dirname = ${directory}, __filename = ${own};` : "";
      const loader = path.endsWith("ts") ? "ts" : "js";
      return { contents: `${names}${contents}`, loader };
    });
  },
};
