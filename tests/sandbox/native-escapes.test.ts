import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, type TestContext, test } from "vitest";
import { requireTool } from "../require-tool.ts";

const THROW_AWAY_UID = 64_321;
const hostFile = new URL(
  "../../packages/server/src/foundation/sandbox/escapes/native-host.ts",
  import.meta.url,
);
const isRoot = process.getuid?.() === 0;

interface Line {
  readonly result?: "HIT" | "closed";
  readonly name?: string;
  readonly words?: string;
  readonly end?: string;
  readonly victims?: readonly string[];
  readonly connections?: number;
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "native-escapes-"));
  chmodSync(folder, 0o755);
  return () => rmSync(folder, { recursive: true, force: true });
});

/** Compiles the program that stands in for an exploit. */
function buildHelper(context: TestContext): string {
  return build(context, "helper", ["main", "processes", "surroundings", "kernel"]);
}

/** That of the system where it takes a filter of system calls (util-linux 2.41), else one that stands in for it. */
function findSetpriv(context: TestContext): string {
  const own = requireTool("setpriv", context);
  const { stdout } = spawnSync(own, ["--help"]);
  return stdout.includes("--seccomp-filter") ? own : build(context, "setpriv", ["setpriv"]);
}

function build(context: TestContext, name: string, parts: readonly string[]): string {
  const program = join(folder, name);
  const sources = parts.map((part) => fileURLToPath(new URL(`native/${part}.c`, hostFile)));
  const built = spawnSync(requireTool("cc", context), ["-O1", "-o", program, ...sources]);
  expect(built.stderr.toString()).toBe("");
  return program;
}

interface Attempted {
  readonly level: string;
  readonly user: "root" | "ordinary";
  /** The filter of system calls is that of `setpriv`, without bubblewrap. */
  readonly bySetpriv?: boolean;
}

/** Runs the attempts of a level in a host with two functions that hold secrets, as root or as an ordinary user. */
async function tryNative(
  context: TestContext,
  { level, user, bySetpriv = false }: Attempted,
): Promise<{ lines: Line[]; written: string[] }> {
  if (process.platform !== "linux") context.skip("not run: the walls are Linux's");
  if (user === "root" && !isRoot) context.skip("not run: needs root");
  for (const tool of ["unshare", "setpriv", "prlimit", "mount"] as const)
    requireTool(tool, context);
  if (level === "sealed" && !bySetpriv) requireTool("bwrap", context);
  const helper = buildHelper(context);
  const base = mkdtempSync(join(folder, "run-"));
  chmodSync(base, 0o755);
  const [data = "", open = "", file = ""] = ["data", "open", "secret.txt"].map((n) =>
    join(base, n),
  );
  for (const path of [data, open]) mkdirSync(path);
  writeFileSync(file, "canary-native-file");
  writeFileSync(join(data, "encryption.key"), "canary-native-key");
  chmodSync(open, 0o777);
  const drops = isRoot && user === "ordinary";
  if (drops) chownSync(data, THROW_AWAY_UID, THROW_AWAY_UID);
  const ids = [`--reuid=${THROW_AWAY_UID}`, `--regid=${THROW_AWAY_UID}`, "--clear-groups"];
  const node = [
    process.execPath,
    "--conditions=jackfield-source",
    fileURLToPath(hostFile),
    level,
    data,
    file,
    open,
    helper,
    ...(bySetpriv ? [findSetpriv(context)] : []),
  ];
  const [program = "", ...rest] = [...(drops ? ["setpriv", ...ids] : []), ...node];
  // As some supervisors do, one descriptor is left open, beyond those that Node closes in others.
  const leaked = openSync(file, "r");
  const empty = Array.from({ length: 40 }, () => "ignore" as const);
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe", ...empty, leaked] });
  child.stderr?.pipe(process.stderr);
  closeSync(leaked);
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout === null) throw new Error("no output");
  const lines: Line[] = [];
  const reader = createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
  await once(reader, "close");
  return { lines, written: readdirSync(open) };
}

const namesOf = (lines: readonly Line[], result: "HIT" | "closed") =>
  lines.filter((line) => line.result === result).map(({ name, words }) => `${name}: ${words}`);

test.for([
  { level: "sealed", user: "root", attempts: 90 },
  { level: "sealed", user: "ordinary", attempts: 90 },
  { level: "private-root", user: "root", attempts: 80 },
  { level: "private-root", user: "ordinary", attempts: 80 },
  { level: "namespaces", user: "root", attempts: 38 },
  { level: "users", user: "root", attempts: 38 },
] as const)(
  "native code reaches nothing at level $level of a server that is $user",
  { timeout: 120_000 },
  async ({ level, user, attempts }, context) => {
    const { lines, written } = await tryNative(context, { level, user });

    expect(namesOf(lines, "HIT")).toEqual([]);
    expect(namesOf(lines, "closed").length).toBeGreaterThanOrEqual(attempts);
    expect(lines).toContainEqual({ end: "end" });
    expect(lines.at(-1)).toEqual({ code: 0, connections: 0, victims: ["done", "done"] });
    expect(written).toEqual([]);
  },
);

test.for([
  { level: "sealed", user: "root", attempts: 90 },
  { level: "sealed", user: "ordinary", attempts: 90 },
  { level: "namespaces", user: "root", attempts: 44 },
  { level: "users", user: "root", attempts: 44 },
  { level: "permissions", user: "ordinary", attempts: 5 },
] as const)(
  "with the filter of setpriv, native code reaches nothing at level $level of a server that is $user",
  { timeout: 120_000 },
  async ({ level, user, attempts }, context) => {
    const { lines, written } = await tryNative(context, { level, user, bySetpriv: true });

    expect(namesOf(lines, "HIT")).toEqual([]);
    expect(namesOf(lines, "closed").length).toBeGreaterThanOrEqual(attempts);
    expect(lines.at(-1)).toEqual({ code: 0, connections: 0, victims: ["done", "done"] });
    expect(written).toEqual([]);
  },
);

test("the attempts find what one user id for all functions leaves open", async (context) => {
  const { lines } = await tryNative(context, { level: "shared", user: "root" });

  const hits = namesOf(lines, "HIT").join("\n");
  expect(hits).toMatch(/^memory of another process/m);
  expect(hits).toMatch(/^process_vm_readv/m);
  expect(hits).toMatch(/^descriptors by pidfd/m);
  expect(namesOf(lines, "HIT").length).toBeGreaterThanOrEqual(25);
});
