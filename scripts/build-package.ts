// Run in a package's folder: `prepack` compiles src to dist for those who install the package;
// `postpack` removes it (--remove), for in the checkout the sources are used.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

const folder = process.cwd();
const root = resolve(import.meta.dirname, "..");
const dist = join(folder, "dist");
rmSync(dist, { recursive: true, force: true });

if (!process.argv.includes("--remove")) build();

function build(): void {
  const config = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(folder, "src"),
      outDir: dist,
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
    execFileSync(process.execPath, [join(dirname(tsc), "bin", "tsc"), "-p", file], {
      stdio: "inherit",
    });
  } finally {
    rmSync(work, { recursive: true });
  }
}
