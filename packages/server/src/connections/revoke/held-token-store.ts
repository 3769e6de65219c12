import type { ConnectionUuid } from "#foundation";
import type { Db } from "#foundation/db";
import { connectionTables } from "../store.ts";

/**
 * Whether a connection that is not deleted holds the token of this hash, but for the one named. A query by
 * hash: whichever environment the other is in, a withdrawal would end its access too.
 */
export async function isTokenHeld(
  db: Db,
  heldTokenHash: Buffer,
  { except }: { readonly except: ConnectionUuid },
): Promise<boolean> {
  const row = await connectionTables(db)
    .selectFrom("connections")
    .select("id")
    .where("heldTokenHash", "=", heldTokenHash)
    .where("deletedAt", "is", null)
    .where("uuid", "<>", except)
    .executeTakeFirst();
  return row !== undefined;
}
