import { type ChildProcess, spawn } from "node:child_process";
import { Console } from "node:console";
import { once } from "node:events";
import { dirname } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { main } from "../main.ts";

const bin = fileURLToPath(new URL("../../bin/jackfield.js", import.meta.url));

interface CommandLine {
  readonly cwd: string;
  readonly args: readonly string[];
  /** All that the command sees of the environment, besides PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the Node of this process. */
  readonly node?: string;
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command as a user does, with no terminal. */
export function startJackfield(line: CommandLine): ChildProcess {
  const node = line.node ?? process.execPath;
  const script = line.node === undefined ? scriptOfRun() : [bin];
  return spawn(node, [...script, ...line.args], {
    cwd: line.cwd,
    env: { PATH: dirname(node), ...line.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** A test run has the command line as a bundle, which loads faster. */
function scriptOfRun(): readonly string[] {
  // biome-ignore lint/style/noProcessEnv: the set-up of a test run tells its processes
  const bundle = process.env["TEST_COMMAND_LINE"];
  return bundle === undefined ? [bin] : ["--conditions=jackfield-source", bundle];
}

/** Runs the command to its end, in a process of its own. */
export async function spawnJackfield(line: CommandLine): Promise<Outcome> {
  const child = startJackfield(line);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => (stdout += chunk));
  child.stderr?.on("data", (chunk) => (stderr += chunk));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

// Process-wide: what a command line sees of its process is there once.
let last: Promise<unknown> = Promise.resolve();

/** Runs the command to its end in this process, one after the other: loading it takes longer than most commands. */
export async function runJackfield(line: CommandLine): Promise<Outcome> {
  const late = Object.keys(line.env ?? {}).find((name) => name.startsWith("NODE_"));
  if (late !== undefined) throw new Error(`${late} is read when a process starts: spawnJackfield`);
  const running = last.then(async () => await runHere(line));
  last = running.catch(() => undefined);
  return await running;
}

async function runHere({ cwd, args, env }: CommandLine): Promise<Outcome> {
  using _place = takeProcess(cwd, { PATH: dirname(process.execPath), ...env });
  using printed = keepPrinted();
  process.exitCode = undefined;
  await main(args);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { code, stdout: printed.stdout(), stderr: printed.stderr() };
}

/** Folder and environment, until disposed. */
function takeProcess(cwd: string, env: Readonly<Record<string, string>>): Disposable {
  // biome-ignore lint/style/noProcessEnv: the command reads it, as in a process of its own
  const current = process.env;
  const before = { folder: process.cwd(), env: { ...current } };
  const replace = (by: Readonly<Record<string, string | undefined>>) => {
    for (const name of Object.keys(current)) delete current[name];
    Object.assign(current, by);
  };
  process.chdir(cwd);
  replace(env);
  return {
    [Symbol.dispose]() {
      process.chdir(before.folder);
      replace(before.env);
    },
  };
}

interface Printed extends Disposable {
  stdout(): string;
  stderr(): string;
}

/** What is printed instead of printing it, until disposed. */
function keepPrinted(): Printed {
  const before = { console, stdout: process.stdout, stderr: process.stderr };
  const [out, err] = [keepWritten(), keepWritten()];
  const replace = (by: { console: Console; stdout: Writable; stderr: Writable }) => {
    globalThis.console = by.console;
    for (const name of ["stdout", "stderr"] as const)
      Object.defineProperty(process, name, { value: by[name], configurable: true });
  };
  const { stream: stdout } = out;
  const { stream: stderr } = err;
  replace({ console: new Console({ stdout, stderr }), stdout, stderr });
  return { stdout: out.text, stderr: err.text, [Symbol.dispose]: () => replace(before) };
}

function keepWritten(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
