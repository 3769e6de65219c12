import type { SystemContext } from "#foundation";
import { isPreparedSchema } from "#foundation/db";

/** Whether the inbox is made ready for distribution. */
export async function isInboxPrepared(ctx: SystemContext): Promise<boolean> {
  return await isPreparedSchema(ctx);
}
