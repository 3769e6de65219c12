import type { Config } from "#config";
import { allOf } from "#slice";
import { type ColumnReport, verifySealed } from "#vault";
import { slices } from "../app.ts";
import { openVault } from "./open-vault.ts";

/** Opens everything that is sealed, and counts; throws an Error when the vault itself does not open. */
export async function verifyVault(config: Config): Promise<ColumnReport[]> {
  await using vault = await openVault(config);
  return await verifySealed(vault, allOf(slices, "sealedColumns"));
}
