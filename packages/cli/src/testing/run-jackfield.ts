import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

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

/** Runs the command to its end. */
export async function runJackfield(line: CommandLine): Promise<Outcome> {
  const child = startJackfield(line);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => (stdout += chunk));
  child.stderr?.on("data", (chunk) => (stderr += chunk));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}
