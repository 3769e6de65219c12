import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhole } from "./write-whole.ts";

interface CacheEntry {
  file: string;
  /** Modification time and size of every source, to see that the bundle is still of today. */
  inputs: Record<string, string>;
}

/** Whose program it is: that of a function's process, or of a script's. */
export type RunnerKind = "function" | "script";

/**
 * The program of a function process as one CommonJS file: the published one, or a bundle of the sources,
 * made at first need (about 300 ms) and kept in `<dataDir>/cache`.
 */
export async function prepareRunnerFile(
  dataDir: string,
  kind: RunnerKind = "function",
): Promise<string> {
  const isScript = kind === "script";
  const entry = fileURLToPath(
    isScript
      ? import.meta.resolve("@jackfield/runner/script")
      : import.meta.resolve("@jackfield/runner/main"),
  );
  const built = entry.replace(/\.js$/, ".cjs");
  if (built.endsWith(".cjs") && existsSync(built)) return built;
  const folder = join(dataDir, "cache");
  await mkdir(folder, { recursive: true });
  const index = join(folder, isScript ? "script-runner.json" : "runner.json");
  const cached = await readCache(index);
  if (cached !== undefined) return cached;
  return await bundleRunner(folder, { index, kind });
}

async function bundleRunner(
  folder: string,
  { index, kind }: { index: string; kind: RunnerKind },
): Promise<string> {
  const { buildRunner, buildScriptRunner } = await import("@jackfield/runner/build");
  const build = kind === "script" ? buildScriptRunner : buildRunner;
  const built = build(folder, ["jackfield-source"]);
  const hash = createHash("sha256").update(built.code).digest("hex").slice(0, 16);
  const file = join(folder, `runner-${hash}.cjs`);
  if (!existsSync(file)) await writeWhole(file, built.code);
  const inputs = built.inputs.map((path) => join(folder, path));
  const entryOf = async (path: string) => [path, await fingerprint(path)] as const;
  const cache: CacheEntry = {
    file,
    inputs: Object.fromEntries(await Promise.all(inputs.map(entryOf))),
  };
  await writeWhole(index, JSON.stringify(cache));
  return file;
}

async function readCache(index: string): Promise<string | undefined> {
  try {
    const cache: CacheEntry = JSON.parse(await readFile(index, "utf8"));
    if (!existsSync(cache.file)) return undefined;
    for (const [path, known] of Object.entries(cache.inputs)) {
      if ((await fingerprint(path)) !== known) return undefined;
    }
    return cache.file;
  } catch {
    return undefined; // absent, cut short or of another layout: it is made again
  }
}

async function fingerprint(path: string): Promise<string> {
  const { mtimeMs, size } = await stat(path);
  return `${mtimeMs} ${size}`;
}
