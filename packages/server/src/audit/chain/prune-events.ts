import { addMs, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { headMac } from "./macs.ts";
import { deleteSealed, findHead, findSealBefore, lockChain, saveHead } from "./store.ts";

/**
 * Removes events that are past their age, whole seals at a time. The seals stay, and the head says up to which one
 * nothing is left: the rest of the chain can still be verified.
 */
export async function pruneEvents(ctx: SystemContext): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    if (!(await lockChain(ctx.db))) return;
    const head = await findHead(ctx.db);
    const before = addMs(ctx.clock.now(), -ctx.settings.auditRetentionMs);
    const until = await findSealBefore(ctx.db, before);
    if (head === undefined || until === undefined || until <= head.prunedUntil) return;
    await deleteSealed(ctx.db, { after: head.prunedUntil, until });
    const next = { lastSeal: head.lastSeal, prunedUntil: until };
    await saveHead(ctx.db, { ...next, mac: await headMac(ctx, next) });
  });
}
