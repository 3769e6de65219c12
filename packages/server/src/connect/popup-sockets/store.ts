import type { Db } from "#foundation/db";

/** How an attempt ended, as the browser client of the popup reads it. */
export type PopupMessage =
  | {
      readonly message_type: "success";
      readonly provider_config_key: string;
      readonly connection_id: string;
      readonly is_pending: boolean;
    }
  | {
      readonly message_type: "error";
      readonly provider_config_key?: string;
      readonly connection_id?: string;
      readonly error_type: string;
      readonly error_desc: string;
    };

interface PopupRow {
  clientId: string;
  message: PopupMessage | null;
  createdAt: Date;
}

function tables(db: Db) {
  return db.withTables<{ connectPopups: PopupRow }>();
}

/** Notes that an attempt has named the client. */
export async function insertPopup(db: Db, clientId: string, now: Date): Promise<void> {
  await tables(db)
    .insertInto("connectPopups")
    .values({ clientId, message: null, createdAt: now })
    .onConflict((conflict) => conflict.column("clientId").doNothing())
    .execute();
}

/** The first message stays. */
export async function storeMessage(
  db: Db,
  clientId: string,
  message: PopupMessage,
  now: Date,
): Promise<void> {
  await tables(db)
    .insertInto("connectPopups")
    .values({ clientId, message, createdAt: now })
    .onConflict((conflict) =>
      conflict
        .column("clientId")
        .doUpdateSet({ message })
        .where("connectPopups.message", "is", null),
    )
    .execute();
}

export async function listPopups(
  db: Db,
  clientIds: readonly string[],
): Promise<readonly Pick<PopupRow, "clientId" | "message">[]> {
  return await tables(db)
    .selectFrom("connectPopups")
    .select(["clientId", "message"])
    .where("clientId", "in", clientIds)
    .execute();
}

export async function deletePopup(db: Db, clientId: string): Promise<void> {
  await tables(db).deleteFrom("connectPopups").where("clientId", "=", clientId).execute();
}

export async function deletePopupsBefore(db: Db, time: Date): Promise<void> {
  await tables(db).deleteFrom("connectPopups").where("createdAt", "<", time).execute();
}
