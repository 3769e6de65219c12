import type { EnvironmentContext } from "#foundation";
import { lookupHash } from "#vault";

/** Keyed hash by which what was an end user's is found after nothing names them any more. */
export async function hashEndUser(ctx: EnvironmentContext, endUserId: string): Promise<Buffer> {
  return await lookupHash(ctx, "end-user", `${ctx.environment.id}\n${endUserId}`);
}
