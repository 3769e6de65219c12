import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Reporter, Vitest } from "vitest/node";
import { SecretSearch } from "./secret-search.ts";
import { ownSecretsIn } from "./secrets-in.ts";

/** A secret where none may stand. */
export interface Leak {
  /** The file that holds it: what was printed or left, and by whom. */
  readonly surface: string;
  readonly secret: string;
  /** The test that the secret comes from, or what tells that it is one. */
  readonly from: string;
  readonly form: string;
  readonly near: string;
}

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

/** Searches the folders `printed` and `left` for the secrets listed next to them. */
export async function searchFolder(folder: string) {
  const sources = await readSecrets(folder);
  const search = new SecretSearch();
  for (const secret of sources.keys()) search.add(secret);
  const leaks: Leak[] = [];
  let surfaces = 0;
  let bytes = 0;
  for (const kind of ["printed", "left"]) {
    for (const surface of (await readdir(join(folder, kind))).toSorted()) {
      const content = withoutExpected(await readFile(join(folder, kind, surface)));
      surfaces += 1;
      bytes += content.length;
      for (const found of search.find(content)) {
        if (found.secret === quickStartKey && surface.includes("docs-site")) continue;
        leaks.push({ surface, from: sources.get(found.secret) ?? "", ...found });
      }
      for (const secret of ownSecretsIn(content.toString("latin1"))) {
        if (sources.has(secret)) continue;
        leaks.push({ surface, secret, from: "by its form", form: "plain", near: "" });
      }
    }
  }
  return { leaks, secrets: sources.size, surfaces, bytes };
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

/** The quick start sends it to the simulator, which takes no other; nothing but its pages may have it. */
const quickStartKey = "s3cret+/=&-apiKey";

// Keys are shown once, where they are made: a first start, `jackfield keys create` and `keys replace`. Connect
// links are for the person who reads them: in the demo, and in the first example of the client's README. So are links to
// sign in by, which the operator's commands print.
const forTheReader =
  /"replaced_key_id": [\s\S]*?"secret": "svc_key_[\w-]+"|First start\.[\s\S]*?docs\/quick-start|is shown once; only its hash is stored:\s+\S+|What to click next[\s\S]*?Ctrl\+C|^Open \S+\/connect\/\S+, or pass|^Works once, within [\s\S]*?#\S+|^\S+\/dashboard\/sign-in#\S+/gm;

function withoutExpected(content: Buffer): Buffer {
  const isExpected = [
    "shown once",
    "replaced_key_id",
    "What to click next",
    "or pass session.token",
    "Works once",
    "/sign-in#",
  ];
  if (!isExpected.some((words) => content.includes(words))) return content;
  return Buffer.from(content.toString("latin1").replace(forTheReader, ""), "latin1");
}
