import { readdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Reporter, Vitest } from "vitest/node";
import type { SearchedPart, SearchOf } from "./search-thread.ts";

/**
 * Promise A4 over a whole run: searches what its tests printed, and what they and their platforms left (tables,
 * logs of Postgres, packages), for every secret that travelled through any of them. A find fails the run.
 */
export function searchForSecrets(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit(started) {
      vitest = started;
    },
    async onTestRunEnd() {
      const { folder } = vitest?.getRootProject().getProvidedContext().testRun ?? {};
      if (folder === undefined) return;
      const { leaks, secrets, surfaces, bytes } = await searchFolder(folder);
      const size = `${secrets} secrets in ${surfaces} outputs (${(bytes / 1e6).toFixed(0)} MB)`;
      process.stdout.write(`\nSecrets: looked for ${size}, found ${leaks.length}\n`);
      for (const { surface, secret, from, form, near } of leaks) {
        process.stdout.write(`  ${surface}: ${secret} (${from}), ${form}\n    ${near.trim()}\n`);
      }
      if (leaks.length > 0) process.exitCode = 1;
    },
  };
}

interface Searched extends SearchedPart {
  /** How many were looked for, and in how many outputs. */
  readonly secrets: number;
  readonly surfaces: number;
}

/** Searches the folders `printed` and `left` for the secrets listed next to them, with a thread for each core. */
export async function searchFolder(folder: string): Promise<Searched> {
  const sources = await readSecrets(folder);
  const surfaces: string[] = [];
  for (const kind of ["printed", "left"]) {
    const names = await readdir(join(folder, kind));
    surfaces.push(...names.toSorted().map((name) => join(kind, name)));
  }
  const threads = Math.min(availableParallelism(), 4);
  const parts = await Promise.all(
    Array.from({ length: threads }, async (_, thread) => {
      const own = surfaces.filter((_surface, at) => at % threads === thread);
      return await searchInThread({ folder, sources, surfaces: own });
    }),
  );
  return {
    leaks: parts.flatMap(({ leaks }) => leaks),
    secrets: sources.size,
    surfaces: surfaces.length,
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

async function searchInThread(search: SearchOf): Promise<SearchedPart> {
  const thread = new Worker(new URL("search-thread.ts", import.meta.url), { workerData: search });
  return await new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
  });
}

/** The test file of each secret. */
async function readSecrets(folder: string): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".jsonl")) continue;
    for (const line of (await readFile(join(folder, name), "utf8")).split("\n")) {
      if (line === "") continue;
      const { secret, file }: { secret: string; file: string } = JSON.parse(line);
      sources.set(secret, file);
    }
  }
  return sources;
}
