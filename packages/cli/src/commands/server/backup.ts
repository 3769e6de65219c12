import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { Command } from "commander";
import { startProgress } from "../../output/progress.ts";
import { exitCodes, messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "../vault/vault-server.ts";
import { readPassphrase } from "./passphrase.ts";

interface BackupOptions {
  passphraseFile?: string;
  recipient?: string[];
  key: boolean;
  logs: boolean;
}

export function backupCommand(): Command {
  return new Command("backup")
    .description("back up the database, the master key and the spool into one encrypted file")
    .argument("<file>", "a new file, or - for standard output")
    .option("--passphrase-file <path>", "encrypt with the first line of this file")
    .option(
      "--recipient <age1...>",
      "encrypt for this age key, instead of a passphrase; can be repeated",
      (value: string, before: string[] = []) => [...before, value],
    )
    .option("--no-key", "omit the master key; a restore then needs it in addition to the backup")
    .option("--no-logs", "omit the logs in the database of SVC_LOGS_DATABASE_URL")
    .addHelpText(
      "after",
      "\nThe server may keep running: the backup is consistent. See docs/backup.md.\n" +
        "\nExamples:\n  $ jackfield backup jackfield.backup --passphrase-file ~/.backup-passphrase" +
        "\n  $ jackfield backup - --recipient age1… | ssh host 'cat > jackfield.backup'",
    )
    .action(writeBackup);
}

async function writeBackup(
  path: string,
  { passphraseFile, recipient: recipients = [], key: withKey, logs }: BackupOptions,
): Promise<void> {
  if (path === "-" && process.stdout.isTTY) {
    throw new UserError("cannot write a backup to a terminal; name a file", {
      exitCode: exitCodes.usage,
    });
  }
  if (existsSync(path)) {
    throw new UserError(`${path} is there already: name a new file`, { exitCode: exitCodes.usage });
  }
  const { server, config } = await loadServer();
  const passphrase =
    recipients.length > 0 && passphraseFile === undefined
      ? undefined
      : await readPassphrase(config, passphraseFile);
  using progress = startProgress();
  const partial = `${path}.partial`;
  const target: Writable =
    path === "-" ? process.stdout : createWriteStream(partial, { mode: 0o600, flush: true });
  const startedAt = performance.now();
  try {
    const report = await server.backUp(config, {
      ...{ passphrase, recipients, withKey, withoutLogs: !logs, target },
      tell: ({ tables, rows }) => progress.show(`${tables} tables, ${rows} rows`),
    });
    if (path !== "-") await rename(partial, path);
    progress[Symbol.dispose]();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const { tables, rows } = report;
    console.error(`${tables} tables with ${rows} rows in ${seconds} s.`);
    if (!withKey) console.error("The master key is not in it: keep a copy of the key as well.");
  } catch (cause) {
    target.destroy();
    if (path !== "-") await rm(partial, { force: true });
    throw new UserError(`No backup was written: ${messageOf(cause)}`, { cause });
  }
}
