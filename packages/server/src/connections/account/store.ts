import type { ProviderAccount } from "#auth-modes";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Connection } from "../connection.ts";
import { changeOf } from "../store.ts";

/** False when the credentials by which it was found are no longer those of the connection. */
export async function saveAccount(
  db: Db,
  environmentId: EnvironmentId,
  {
    connection: { uuid, credentialVersion },
    account,
  }: {
    connection: Pick<Connection, "uuid" | "credentialVersion">;
    account: ProviderAccount;
  },
): Promise<boolean> {
  const result = await changeOf(db, environmentId, uuid)
    .where("credentialVersion", "=", credentialVersion)
    .set({ account: JSON.stringify(account) })
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
