import { sql } from "kysely";
import type { Db } from "./database.ts";

const PATIENCE_MS = 500;

/** Whether the database answers within half a second. */
export async function isDatabaseReady(db: Db): Promise<boolean> {
  const answer = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS);
  });
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
