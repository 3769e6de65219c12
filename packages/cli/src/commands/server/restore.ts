import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { startProgress } from "../../output/progress.ts";
import { messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "../vault/vault-server.ts";
import { readIdentities, readPassphrase } from "./passphrase.ts";

interface RestoreOptions {
  passphraseFile?: string;
  identity?: string;
}

export function restoreCommand(): Command {
  return new Command("restore")
    .description("restore a backup into the empty database that the settings name, in quarantine")
    .argument("<file>", "what `jackfield backup` has written, or - for standard input")
    .option("--passphrase-file <path>", "decrypt with the first line of this file")
    .option("--identity <path>", "decrypt with the age identities in this file")
    .addHelpText(
      "after",
      "\nThe file is read and verified completely before anything is written. Until `jackfield resume` the copy\n" +
        "syncs, refreshes and delivers nothing, because the original may still be running.\n" +
        "\nExamples:\n  $ SVC_DATA_DIR=copy jackfield restore jackfield.backup --passphrase-file ~/.backup-passphrase" +
        "\n  $ SVC_DATABASE_URL=postgres://… jackfield restore jackfield.backup --identity key.txt",
    )
    .action(readBackup);
}

async function readBackup(
  given: string,
  { passphraseFile, identity }: RestoreOptions,
): Promise<void> {
  const { server, config } = await loadServer();
  const passphrase = await readPassphrase(config, passphraseFile);
  const identities = await readIdentities(identity);
  using progress = startProgress();
  await using input = await openInput(given);
  const report = await server
    .restore(config, {
      ...{ path: input.path, passphrase, identities },
      tell: (text) => progress.show(text),
    })
    .catch((cause: unknown) => {
      throw new UserError(`Nothing was restored: ${messageOf(cause)}`, { cause });
    });
  progress[Symbol.dispose]();
  const { tables, rows, madeAt, version, skipped } = report;
  console.log(`${tables} tables with ${rows} rows, as of ${madeAt} (Jackfield ${version}).`);
  if (skipped.length > 0) console.log(`Not a table of Jackfield, left out: ${skipped.join(", ")}`);
  console.log(
    "The copy is in quarantine. Start it and check it; after the original has stopped permanently, run `jackfield resume`.",
  );
}

interface Input extends AsyncDisposable {
  readonly path: string;
}

/** Standard input is kept in a file, encrypted as it is, since it is read twice. */
async function openInput(given: string): Promise<Input> {
  if (given !== "-") return { path: given, async [Symbol.asyncDispose]() {} };
  const folder = await mkdtemp(join(tmpdir(), "jackfield-restore-"));
  const path = join(folder, "backup");
  const remove = async () => await rm(folder, { recursive: true, force: true });
  try {
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: remove };
}
