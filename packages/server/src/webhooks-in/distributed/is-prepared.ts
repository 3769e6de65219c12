import type { SystemContext } from "#platform";
import { isPreparedSchema } from "#platform/db";

/** Whether the inbox is made ready for distribution. */
export async function isInboxPrepared(ctx: SystemContext): Promise<boolean> {
  return await isPreparedSchema(ctx);
}
