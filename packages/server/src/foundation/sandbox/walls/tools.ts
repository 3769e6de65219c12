import { existsSync } from "node:fs";

// Absolute, for the search path of the server's own environment is not to be trusted here.
export const SETPRIV = "/usr/bin/setpriv";
export const UNSHARE = "/usr/bin/unshare";
export const PRLIMIT = "/usr/bin/prlimit";
export const BUBBLEWRAP = "/usr/bin/bwrap";
export const MOUNT = "/usr/bin/mount";

export function requireTool(path: string, name: string): void {
  if (!existsSync(path)) throw new Error(`${name} is not installed (${path})`);
}
