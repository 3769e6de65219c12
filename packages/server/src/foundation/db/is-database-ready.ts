import { sql } from "kysely";
import { within } from "../waiting/index.ts";
import type { Db } from "./owned-db.ts";

const PATIENCE_MS = 500;

/** Whether the database answers within half a second. */
export async function isDatabaseReady(db: Db): Promise<boolean> {
  return await within(PATIENCE_MS, sql`select 1`.execute(db)).catch(() => false);
}
