import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Failed checks of a scenario, by their ids. */
export type Outcome = ReadonlyMap<string, readonly string[]>;

const main = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json"));
const suite = join(dirname(main), "dist", "index.js");

/** Runs the official suite with these arguments; resolves to what each scenario found. `onLine` hears what it prints. */
export async function runSuite(
  args: readonly string[],
  onLine: (line: string) => void = () => {},
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    const output = await run([suite, ...args, "-o", folder], onLine);
    const outcome = await readResults(folder);
    if (outcome.size === 0) throw new Error(`the suite has run no scenario:\n${output}`);
    return outcome;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Which scenarios a revision requires of a server, as the suite says. */
export async function listRequired(revision: string): Promise<readonly string[]> {
  const text = await readFile(join(dirname(main), "requirements", `${revision}.yaml`), "utf8");
  const [, server = ""] = /^server:\n((?: {2}- .*\n)+)/m.exec(text) ?? [];
  return [...server.matchAll(/- (\S+)/g)].map(([, name = ""]) => name);
}

/** Its exit code says only whether anything failed. */
async function run(args: readonly string[], onLine: (line: string) => void): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      lines.push(line);
      onLine(line);
    });
  }
  await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
  return lines.join("\n");
}

async function readResults(folder: string): Promise<Outcome> {
  const outcome = new Map<string, readonly string[]>();
  for (const entry of await readdir(folder)) {
    const scenario = /^(?:server-|authorization-server-)?(.+)-\d{4}-\d{2}-\d{2}T/.exec(entry)?.[1];
    if (scenario === undefined) continue;
    const checks: { id: string; status: string }[] = JSON.parse(
      await readFile(join(folder, entry, "checks.json"), "utf8"),
    );
    const failed = checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id);
    outcome.set(scenario, failed);
  }
  return outcome;
}
