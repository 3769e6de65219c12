import { appendFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { listen } from "./harvest-secrets.ts";

/** Makes the folder where a run keeps what `search-run.ts` searches; what the run itself prints goes there too. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "jackfield-run-"));
  for (const kind of ["printed", "left"]) await mkdir(join(folder, kind));
  project.provide("testRun", { folder });
  let isKept = true;
  for (const name of ["stdout", "stderr"] as const) {
    const file = join(folder, "printed", `${name} of the run`);
    listen(process[name], "write", (text) => {
      const isText = typeof text === "string" || text instanceof Uint8Array;
      if (isKept && isText) appendFileSync(file, text);
    });
  }
  return async () => {
    isKept = false;
    await rm(folder, { recursive: true, force: true });
  };
}
