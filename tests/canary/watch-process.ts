import { hash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { harvestSecrets } from "./harvest-secrets.ts";
import { keepOutputs } from "./keep-outputs.ts";

/** What a process runs now; several test files of a run may share one. */
interface Watched {
  /** Where the run keeps what it searches. */
  readonly folder: string;
  readonly file: string;
}

let now: Watched | undefined;

/** Keeps what this process prints, leaves and sends from now on under the name of the test file. */
export function watchProcess(watched: Watched): void {
  const isFirst = now === undefined;
  now = watched;
  if (isFirst) watch(() => now ?? watched);
}

function watch(current: () => Watched): void {
  const known = new Set<string>();
  // Of the thousands of files of a database most are as empty as those of the one before.
  const kept = new Set<string>();
  let count = 0;
  const pathOf = (kind: string, name: string): string => {
    const { folder, file } = current();
    const parent = join(folder, kind);
    mkdirSync(parent, { recursive: true });
    return join(parent, `${file} ${process.pid} ${name}`.slice(0, 200));
  };

  harvestSecrets((secrets) => {
    const { folder, file } = current();
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
      if (statSync(path).size === 0) return;
      const content = readFileSync(path);
      const digest = hash("sha1", content);
      if (kept.has(digest)) return;
      kept.add(digest);
      count += 1;
      writeFileSync(pathOf("left", `${count} ${name}`), content);
    },
  });
}
