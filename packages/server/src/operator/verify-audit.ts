import { type ChainReport, verifyChain } from "#audit";
import type { Config } from "#config";
import { openInstallation } from "./open-installation.ts";

/** Goes through the audit log on the database itself, whether the server runs or not. */
export async function verifyAudit(config: Config, known: string | undefined): Promise<ChainReport> {
  await using stack = new AsyncDisposableStack();
  return await verifyChain(await openInstallation(stack, config), { known });
}
