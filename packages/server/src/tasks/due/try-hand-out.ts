import type { SystemContext } from "#foundation";
import { tryHandOutLock } from "../store.ts";

/** Whether this process hands out work of that name until its transaction ends; false while another does. */
export async function tryHandOut(ctx: Pick<SystemContext, "db">, name: string): Promise<boolean> {
  return await tryHandOutLock(ctx.db, name);
}
