import { readFile } from "node:fs/promises";
import type { Config, Secret } from "@jackfield/server";
import { needsServer } from "../../load-server.ts";
import { exitCodes, UserError } from "../../user-error.ts";

/** The first line of the file, or SVC_BACKUP_PASSPHRASE; undefined when there is neither. */
export async function readPassphrase(
  config: Config,
  path: string | undefined,
): Promise<Secret<string> | undefined> {
  if (path === undefined) return config.backupPassphrase;
  const [line = ""] = (await readSecretFile(path)).split(/\r?\n/, 1);
  if (line !== "") return await hide(line);
  throw new UserError(`${path} is empty`, { exitCode: exitCodes.usage });
}

/** Identities of age in a file as age-keygen writes it. */
export async function readIdentities(path: string | undefined): Promise<Secret<string>[]> {
  if (path === undefined) return [];
  const lines = (await readSecretFile(path)).split(/\r?\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return await Promise.all(identities.map(hide));
}

async function hide(line: string): Promise<Secret<string>> {
  const { Secret } = await needsServer(import("@jackfield/server"));
  return new Secret(line);
}

async function readSecretFile(path: string): Promise<string> {
  return await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new UserError(`${path} cannot be read: ${cause.message}`, {
      cause,
      exitCode: exitCodes.usage,
    });
  });
}
