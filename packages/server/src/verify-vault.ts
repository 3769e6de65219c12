import type { Config } from "#config";
import { type ColumnReport, verifySealed } from "#vault";
import { openVault } from "./open-vault.ts";
import { sealedColumns } from "./sealed-columns.ts";

/** Opens everything that is sealed, and counts; throws an Error when the vault itself does not open. */
export async function verifyVault(config: Config): Promise<ColumnReport[]> {
  await using vault = await openVault(config);
  return await verifySealed(vault, sealedColumns);
}
