import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const folder = resolve(import.meta.dirname, "../../packages/docs-site");

/** Builds the docs site unless what is there was made of the same sources; resolves to its folder. */
export async function buildSite(...options: readonly string[]): Promise<string> {
  const args = ["--conditions=jackfield-source", join(folder, "src/build.ts"), ...options];
  await promisify(execFile)(process.execPath, args, { cwd: folder });
  return join(folder, "dist");
}

/** Every page of the site by its path. */
export async function readPages(site: string): Promise<Map<string, string>> {
  const names = (await readdir(site, { recursive: true })).filter((name) => name.endsWith(".html"));
  return new Map(
    await Promise.all(
      names.map(
        async (name): Promise<[string, string]> => [name, await readFile(join(site, name), "utf8")],
      ),
    ),
  );
}
