import { existsSync, realpathSync } from "node:fs";
import { locateCluster } from "./cluster/cluster-location.ts";
import { readOrCreatePassword } from "./cluster/create-cluster.ts";
import { readPostmasterFile } from "./server/postmaster-file.ts";
import { isListening, toConnectionString } from "./server/server-address.ts";

/**
 * Connection string of the database that a running platform serves from this data folder; undefined when
 * none runs. The platform may stop it at any time.
 */
export async function findRunningDatabase(dataDir: string): Promise<string | undefined> {
  const location = locateCluster(realpathSync(dataDir));
  if (!existsSync(location.cluster)) return undefined;
  const file = readPostmasterFile(location.cluster);
  if (file?.status !== "ready" || file.address === undefined) return undefined;
  if (!(await isListening(file.address))) return undefined;
  return toConnectionString(file.address, readOrCreatePassword(realpathSync(dataDir), location));
}
