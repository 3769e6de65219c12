import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** TypeScript's own program for this machine; undefined where its optional package is not installed. */
export function findTypeChecker(): string | undefined {
  const name = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  try {
    const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
    const folder = dirname(createRequire(typescript).resolve(name));
    const file = join(folder, "lib", process.platform === "win32" ? "tsc.exe" : "tsc");
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
