import type { EnvironmentContext } from "#foundation";
import { deleteOlder } from "../storage/delete-older.ts";

/**
 * Before an environment is erased, webhooks that it has received and events that it has handled go in parts: where they lie
 * on a server of their own, they do not go with its row.
 */
export async function forgetInboxAtLast(ctx: EnvironmentContext): Promise<void> {
  while (await deleteOlder(ctx, ctx.environment.id, undefined)) ctx.signal.throwIfAborted();
}
