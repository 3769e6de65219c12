import type { SystemContext } from "#foundation";
import { isPreparedSchema } from "#foundation/db";

/** Whether deliveries and what belongs to them are made ready for distribution. */
export async function areDeliveriesPrepared(ctx: SystemContext): Promise<boolean> {
  return await isPreparedSchema(ctx);
}
