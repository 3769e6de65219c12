import type { RotationReport } from "@jackfield/server";
import { messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "./vault-server.ts";

interface RotateOptions {
  newKey?: true;
  dataKeys?: true;
}

export async function rotateVault({ newKey, dataKeys }: RotateOptions): Promise<void> {
  const { server, config } = await loadServer();
  let reported = 0;
  const report = await server
    .rotateVault(config, {
      newKey: newKey === true,
      dataKeys: dataKeys === true,
      tell({ resealed }) {
        const total = sum(resealed);
        if (total === reported) return;
        reported = total;
        console.error(`${total} texts re-encrypted`);
      },
      wait(left) {
        console.error(
          `${left} environments or models are on a database server that does not answer; trying again shortly`,
        );
      },
    })
    .catch((cause: unknown) => {
      throw new UserError(
        `The rotation is not complete: ${messageOf(cause)}\nNothing is lost; run the command again to continue.`,
        { cause },
      );
    });
  if (report.newKeyMade) console.log(`New master key ${report.masterKeyId} in the key file.`);
  presentDataKeys(report);
  presentMaster(report);
}

function presentDataKeys({ dataKeys }: RotationReport): void {
  if (dataKeys === undefined) return;
  const how = dataKeys.resumed ? "an interrupted rotation was completed" : "replaced";
  console.log(`Data keys: ${how}; ${sum(dataKeys.resealed)} texts re-encrypted.`);
  const failed = sum(dataKeys.failed);
  if (failed === 0) return;
  console.log(`${failed} texts cannot be decrypted and stay as they are: jackfield vault verify`);
  process.exitCode = 1;
}

function presentMaster({ masterKeyId, master, newKeyMade }: RotationReport): void {
  const { dataKeys: count, underOthers, otherHolders } = master;
  if (underOthers === 0) {
    console.log(`Master key ${masterKeyId} alone encrypts all ${count} data keys.`);
    if (newKeyMade) {
      console.log("Older keys in the file are only needed for backups made until now.");
    }
    return;
  }
  const holders = otherHolders === 1 ? "1 process works" : `${otherHolders} processes work`;
  console.log(
    `Master key ${masterKeyId} encrypts all ${count} data keys, and so do older ones, because ${holders} with another key.\n` +
      "Restart these with the new key first and the old one as previous key; nothing else is needed.",
  );
  process.exitCode = 1;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
