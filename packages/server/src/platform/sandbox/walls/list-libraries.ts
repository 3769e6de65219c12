import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;

/** Absolute paths of what a program loads at its start, its loader included; none for a static one. */
export async function listLibraries(program: string): Promise<string[]> {
  // The loader lists instead of starting the program; a static program shows its version.
  const env = { LD_TRACE_LOADED_OBJECTS: "1" };
  const { stdout } = await run(program, ["--version"], { env, timeout: TIMEOUT_MS });
  const lines = stdout.split("\n").map((line) => /^\s*(?:\S+ => )?(\/\S+) \(0x/.exec(line)?.[1]);
  return [...new Set(lines.filter((path) => path !== undefined))];
}
