// Set-up of every test file (promise A4): what its processes print and leave, and the secrets that travel
// through it, are kept for `search-run.ts`, which searches everything at the end of the run.
import { appendFileSync, copyFileSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, inject } from "vitest";
import { harvestSecrets } from "./harvest-secrets.ts";
import { keepOutputs } from "./keep-outputs.ts";

const { folder } = inject("testRun");
const file = basename(expect.getState().testPath ?? "unknown");
const known = new Set<string>();
let count = 0;

harvestSecrets((secrets) => {
  for (const secret of secrets) {
    if (known.has(secret)) continue;
    known.add(secret);
    const line = `${JSON.stringify({ secret, file })}\n`;
    appendFileSync(join(folder, `secrets-${process.pid}.jsonl`), line);
  }
});

keepOutputs({
  printed: (name, text) => appendFileSync(pathOf("printed", name), text),
  left(name, path) {
    count += 1;
    copyFileSync(path, pathOf("left", `${count} ${name}`));
  },
});

function pathOf(kind: string, name: string): string {
  const parent = join(folder, kind);
  mkdirSync(parent, { recursive: true });
  return join(parent, `${file} ${process.pid} ${name}`.slice(0, 200));
}
