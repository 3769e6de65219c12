import { messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "./vault-server.ts";

export async function verifyVault(): Promise<void> {
  const { server, config } = await loadServer();
  const reports = await server.verifyVault(config).catch((cause: unknown) => {
    throw new UserError(`The vault does not open: ${messageOf(cause)}`, { cause });
  });
  const width = Math.max(...reports.map(({ name }) => name.length));
  for (const { name, ok, failed, byReplacedKey, failedRows } of reports) {
    const old = byReplacedKey === 0 ? "" : `, of these ${byReplacedKey} by a replaced data key`;
    const rows = failedRows.length === 0 ? "" : ` (first rows: ${failedRows.join(", ")})`;
    console.log(`${name.padEnd(width)}  ${ok} ok${old}, ${failed} failed${rows}`);
  }
  const failed = reports.reduce((total, report) => total + report.failed, 0);
  if (failed === 0) return;
  console.error(`${failed} texts cannot be decrypted: altered, moved, or their key is gone.`);
  process.exitCode = 1;
}
