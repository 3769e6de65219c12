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
  return spawn(node, [bin, ...line.args], {
    cwd: line.cwd,
    env: { PATH: dirname(node), ...line.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
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
