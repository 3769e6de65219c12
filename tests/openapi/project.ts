import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import {
  type Outcome,
  runJackfield,
  spawnJackfield,
} from "../../packages/cli/src/testing/run-jackfield.ts";
import { createTestFolder } from "../../packages/cli/src/testing/test-folder.ts";

export interface Project extends AsyncDisposable {
  readonly path: string;
  run(...args: string[]): Promise<Outcome>;
  /** Makes actions and answers what the command says as JSON. */
  generate(integration: string, ...args: string[]): Promise<Generated>;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<string>;
}

export interface Generated {
  readonly written: string[];
  readonly unchanged: string[];
  readonly kept: string[];
  readonly refused: { operation: string; reason: string }[];
}

/** A function project without functions. */
export async function createProject(env: Record<string, string> = {}): Promise<Project> {
  const folder = await createTestFolder();
  const { path } = folder;
  const runOne = "NODE_OPTIONS" in env ? spawnJackfield : runJackfield;
  const run = async (...args: string[]) => await runOne({ cwd: path, args, env });
  await run("init");
  await writeFile(join(path, "index.ts"), "");
  return {
    path,
    run,
    generate: async (integration, ...args) => {
      const done = await run("generate", "actions", integration, "--json", ...args);
      expect(done.code, `${done.stdout}${done.stderr}`).toBe(0);
      return JSON.parse(done.stdout);
    },
    read: async (file) => await readFile(join(path, file), "utf8"),
    write: async (file, text) => {
      await writeFile(join(path, file), text);
      return join(path, file);
    },
    [Symbol.asyncDispose]: async () => await folder[Symbol.asyncDispose](),
  };
}
