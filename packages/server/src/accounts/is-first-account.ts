import type { SystemContext } from "#foundation";
import { findAccountId } from "./store.ts";

/** Whether it is the account that the installation was made with, whose owners look after the installation. */
export async function isFirstAccount(
  { db }: Pick<SystemContext, "db">,
  accountId: string,
): Promise<boolean> {
  return (await findAccountId(db)) === accountId;
}
