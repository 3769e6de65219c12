import type { SystemContext } from "#foundation";
import { notifyChannel } from "../store.ts";
import { DUE_CHANNEL } from "./due-channel.ts";

/** Wakes the due loop of that name in every process, when the caller's transaction commits. */
export async function notifyDue(ctx: Pick<SystemContext, "db">, name: string): Promise<void> {
  await notifyChannel(ctx.db, DUE_CHANNEL, name);
}
