// Run in a package's folder: `prepack` compiles src to dist for those who install the package;
// `postpack` removes it (--remove), for in the checkout the sources are used.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

const folder = process.cwd();
const root = resolve(import.meta.dirname, "..");
const dist = join(folder, "dist");
rmSync(dist, { recursive: true, force: true });

if (!process.argv.includes("--remove")) build();

function build(): void {
  compile(dist, {});
  if (!requiresCommonJs()) return;
  const commonJs = join(dist, "cjs");
  const options = { module: "commonjs", moduleResolution: "bundler", verbatimModuleSyntax: false };
  compile(commonJs, options);
  writeFileSync(join(commonJs, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
}

/** Whether the package's `exports` have a form for `require`. */
function requiresCommonJs(): boolean {
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  return manifest.includes('"require"');
}

function compile(outDir: string, options: Readonly<Record<string, unknown>>): void {
  const own = join(folder, "tsconfig.json");
  const config = {
    // A package for browsers says so in a file of its own.
    extends: existsSync(own) ? own : join(root, "tsconfig.base.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      // `npm run check` finds wrong types; here it would take three times as long, for each package again.
      noCheck: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(folder, "src"),
      outDir,
      ...options,
    },
    include: [join(folder, "src/**/*.ts")],
    exclude: [
      join(folder, "src/**/*.test.ts"),
      join(folder, "src/**/testing/**"),
      join(folder, "src/**/test-*.ts"),
    ],
  };
  const work = mkdtempSync(join(folder, ".build-"));
  try {
    const file = join(work, "tsconfig.json");
    writeFileSync(file, JSON.stringify(config));
    const tsc = createRequire(import.meta.url).resolve("typescript/package.json");
    const args = [join(dirname(tsc), "bin", "tsc"), "-p", file, "--checkers", "1"];
    execFileSync(process.execPath, args, { stdio: "inherit" });
  } finally {
    rmSync(work, { recursive: true });
  }
  for (const name of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".d.ts")) nameScripts(join(outDir, name));
  }
}

/** The compiler leaves `./x.ts` in declarations, which not every release of it resolves to `./x.d.ts`. */
function nameScripts(path: string): void {
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}
