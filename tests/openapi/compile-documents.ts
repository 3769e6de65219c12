import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect } from "vitest";
import type { Generated, Project } from "./project.ts";
import { realDocuments, swaggerDocument } from "./real-documents.ts";

// Further documents to try by hand, with commas between their paths: GitHub's is too large for a dependency.
// biome-ignore lint/style/noProcessEnv: for who runs these files by hand
const further = (process.env["OPENAPI_DOCUMENTS"] ?? "").split(",").filter((path) => path !== "");

const documents = [
  ...Object.entries(realDocuments),
  ["petstore", swaggerDocument] as const,
  ...further.map((path) => [basename(path).replace(/\W.*/, ""), path] as const),
];

/**
 * Promise T7: makes actions of all operations of the documents, and compiles one in so many of them. Fails where less
 * than 98 % become actions, where a refused one has no reason, and where an action does not compile.
 */
export async function compileDocuments(
  project: Project,
  { oneIn }: { readonly oneIn: number },
): Promise<void> {
  const made = new Map<string, Generated>();
  for (const [name, path] of documents) {
    made.set(name, await project.generate(name, "--openapi", path, "--all"));
  }
  const kept = new Map<string, number>();
  for (const [name, { written, refused }] of made) {
    const actions = written.filter((path) => path.startsWith(`${name}/actions/`));
    expect(actions.length / (actions.length + refused.length), name).toBeGreaterThanOrEqual(0.98);
    for (const { reason } of refused) expect(reason).toMatch(/^(is|has|needs|takes|refers|does) /);
    const others = actions.filter((_path, at) => at % oneIn !== 0);
    await leaveOut(project, others);
    kept.set(name, actions.length - others.length);
  }

  const compiled = await project.run("compile", "--json");

  expect(compiled.code, compiled.stdout.slice(0, 5000)).toBe(0);
  const { functions } = JSON.parse(compiled.stdout);
  for (const [name, count] of kept) {
    const built = functions.filter((fn: { integration: string }) => fn.integration === name).length;
    expect(built, name).toBe(count);
  }
}

/** Removes functions, and the lines of `index.ts` that name them. */
async function leaveOut(project: Project, files: readonly string[]): Promise<void> {
  await Promise.all(files.map(async (file) => await rm(join(project.path, file))));
  const gone = new Set(files.map((file) => file.replace(/\.ts$/, "")));
  const lines = (await project.read("index.ts")).split("\n");
  const left = lines.filter((line) => !gone.has(/"\.\/(.+?)(\.[jt]s)?"/.exec(line)?.[1] ?? ""));
  await project.write("index.ts", left.join("\n"));
}
