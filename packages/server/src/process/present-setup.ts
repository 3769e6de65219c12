import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RunningServer } from "../start-server.ts";

/**
 * The line about the setup link: the link itself only on a terminal. Elsewhere what is printed ends in logs that many
 * read, so the link goes to a file that only the server's user can read.
 */
export async function presentSetup(
  { setupLink }: Pick<RunningServer, "setupLink">,
  dataDir: string,
): Promise<string | undefined> {
  if (setupLink === undefined) return undefined;
  if (process.stdout.isTTY) return `  sign in  ${setupLink.reveal()} (once, within 24 hours)`;
  const path = join(resolve(dataDir), "setup-link");
  // A mode is only given to a file that is made.
  await rm(path, { force: true });
  await writeFile(path, `${setupLink.reveal()}\n`, { mode: 0o600, flag: "wx" });
  return `  sign in  the one-time link is in ${path} (24 hours)`;
}
