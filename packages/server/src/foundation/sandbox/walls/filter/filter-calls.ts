import { spawnSync } from "node:child_process";
import { SETPRIV } from "../tools.ts";

const OPTION = "--seccomp-filter";
const TIMEOUT_MS = 10_000;

/** Whether this `setpriv` takes a filter of system calls: that of util-linux 2.41 and later does. */
export function takesFilter(setpriv: string = SETPRIV): boolean {
  const { stdout } = spawnSync(setpriv, ["--help"], { timeout: TIMEOUT_MS, encoding: "utf8" });
  return typeof stdout === "string" && stdout.includes(OPTION);
}

/**
 * Filters the system calls of what follows. It comes after the rights are dropped, as a program of its own: with
 * another user id, one and the same process may not open its own descriptors until it has started a program.
 */
export function filterCalls(setpriv: string, file: string): string[] {
  return [setpriv, `${OPTION}=${file}`];
}
