import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { escapeAttempts } from "../../packages/server/src/foundation/sandbox/escapes/attempts.ts";
import { requireTool } from "../require-tool.ts";

/** Nobody's: what gets out of a process without namespaces can only hurt processes of the same user. */
const THROW_AWAY_UID = 64_321;
const SECRET = "canary-file-4711";
const CANARY = "canary-env-4712";

const isRoot = process.getuid?.() === 0;
const namespace = ["-p", "-f", "--kill-child"];
const outer = isRoot ? ["unshare", ...namespace] : ["unshare", "-U", "-r", ...namespace];
const [program = "", ...rest] = outer;
const hasOuter = spawnSync(program, [...rest, "true"]).status === 0;

interface Reported {
  readonly name: string;
  readonly kind: string;
  readonly reported: string;
}

/** Runs all attempts in a host within a PID namespace of its own, with things around it that must stay untouched. */
async function tryAll(mode: "bare" | "isolated") {
  const folder = mkdtempSync(join(tmpdir(), "escapes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [dataDir, dir, file] = ["data", "open", "secret.txt"].map((name) => join(folder, name));
  if (dataDir === undefined || dir === undefined || file === undefined)
    throw new Error("no folder");
  for (const path of [dataDir, dir]) mkdirSync(path);
  writeFileSync(file, SECRET);
  chmodSync(folder, 0o755);
  chmodSync(dir, 0o777);
  const drops = isRoot && mode === "bare";
  if (drops) chownSync(dataDir, THROW_AWAY_UID, THROW_AWAY_UID);
  const user = drops
    ? ["setpriv", `--reuid=${THROW_AWAY_UID}`, `--regid=${THROW_AWAY_UID}`, "--clear-groups"]
    : [];
  const host = fileURLToPath(
    new URL("../../packages/server/src/foundation/sandbox/escapes/host.ts", import.meta.url),
  );
  const node = [process.execPath, "--conditions=jackfield-source", host, mode, dataDir, file, dir];
  // The process to be hurt is the host's sibling, of the same user and in the same namespace.
  const script = `sleep 1000 & pid=$!; CANARY=${CANARY} "$@" $pid; kill -0 $pid && echo '{"alive":true}'`;
  const child = spawn(program, [...rest, ...user, "/bin/sh", "-c", script, "sh", ...node], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.pipe(process.stderr);
  onTestFinished(() => void child.kill("SIGKILL"));
  return { lines: await readLines(child), dir };
}

async function readLines(child: ChildProcess): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  if (child.stdout === null) throw new Error("no output");
  const reader = createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
  await once(reader, "close");
  return lines;
}

function toReported(line: Record<string, unknown>): Reported[] {
  const { name, kind, reported } = line;
  return name === undefined
    ? []
    : [{ name: String(name), kind: String(kind), reported: String(reported) }];
}

test("the corpus is no smaller than promised", () => {
  const names = new Set(escapeAttempts.map(({ name }) => name));

  expect(names.size).toBe(escapeAttempts.length);
  expect(names.size).toBeGreaterThanOrEqual(80);
});

test.for(["isolated", "bare"] as const)(
  "none of the attempts gets out of a %s process",
  { timeout: 120_000 },
  async (mode, context) => {
    for (const tool of ["unshare", "setpriv", "sh"] as const) requireTool(tool, context);
    // A host that forbids namespaces is listed at the end of the run, not failed: the attempts kill processes.
    if (!hasOuter) context.skip(`not run: ${outer.join(" ")} is forbidden on this machine`);

    const { lines, dir } = await tryAll(mode);

    const reported = lines.flatMap(toReported);
    const hits = reported.filter(({ reported: text }) => /REACHED|canary-[a-z]+-\d+/.test(text));
    expect(hits).toEqual([]);
    // An attempt that cannot be read tries nothing.
    expect(reported.filter(({ reported: text }) => text.includes("SyntaxError"))).toEqual([]);
    expect(reported.some(({ kind }) => kind === "done")).toBe(true);
    expect(reported).toHaveLength(escapeAttempts.length);
    expect(lines).toContainEqual({ end: true, connections: 0 });
    expect(lines).toContainEqual({ alive: true });
    expect(readdirSync(dir)).toEqual([]);
  },
);
