// A thread of the search over a run: looks through some of its outputs.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { SecretSearch } from "./secret-search.ts";
import { ownSecretsIn } from "./secrets-in.ts";

/** A secret where none may stand. */
interface Leak {
  /** The file that holds it: what was printed or left, and by whom. */
  readonly surface: string;
  readonly secret: string;
  /** The test that the secret comes from, or what tells that it is one. */
  readonly from: string;
  readonly form: string;
  readonly near: string;
}

/** Outputs of a run, and the test file of each secret. */
export interface SearchOf {
  readonly folder: string;
  readonly sources: ReadonlyMap<string, string>;
  /** Paths within the folder. */
  readonly surfaces: readonly string[];
}

export interface SearchedPart {
  readonly leaks: readonly Leak[];
  readonly bytes: number;
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

function searchAll({ folder, sources, surfaces }: SearchOf): SearchedPart {
  const search = new SecretSearch();
  for (const secret of sources.keys()) search.add(secret);
  const leaks: Leak[] = [];
  let bytes = 0;
  for (const path of surfaces) {
    const surface = basename(path);
    const content = withoutExpected(readFileSync(join(folder, path)));
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
  return { leaks, bytes };
}

parentPort?.postMessage(searchAll(workerData));
