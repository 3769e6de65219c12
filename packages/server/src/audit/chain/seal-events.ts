import { reasonOf, SECOND, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { DueClaim, DueWork } from "#tasks";
import { BEGINNING, digestOf, headMac, sealOf } from "./macs.ts";
import { findHead, findSeal, insertSeal, listUnsealed, lockChain, saveHead } from "./store.ts";

/** Name of the due work that seals. */
export const SEALING = "audit-sealing";

const MOST_AT_ONCE = 1000;

/** Seals what was recorded, once a second at most; who records never waits for it. */
export function createSealing(): DueWork {
  return {
    name: SEALING,
    restMs: SECOND,
    async claim(ctx: SystemContext): Promise<DueClaim> {
      const claimed = await sealEvents(ctx).catch((error: unknown) => {
        ctx.log.error("audit.sealing_failed", { reason: reasonOf(error) });
        return 0;
      });
      return { claimed: claimed === MOST_AT_ONCE ? claimed : 0, nextDueAt: undefined };
    },
  };
}

/** Adds one seal over what has none yet; resolves to how many events it covers. */
export async function sealEvents(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
): Promise<number> {
  return await withTransaction(ctx, async (ctx) => {
    if (!(await lockChain(ctx.db))) return 0;
    const rows = await listUnsealed(ctx.db, MOST_AT_ONCE);
    if (rows.length === 0) return 0;
    const head = await findHead(ctx.db);
    const last = head === undefined ? undefined : await findSeal(ctx.db, head.lastSeal);
    const unsigned = {
      id: (head?.lastSeal ?? 0) + 1,
      events: rows.length,
      digest: digestOf(rows),
      sealedAt: ctx.clock.now(),
    };
    const seal = await sealOf(ctx, last?.seal ?? BEGINNING, unsigned);
    await insertSeal(
      ctx.db,
      { ...unsigned, seal },
      rows.map(({ sequence }) => sequence),
    );
    const next = { lastSeal: unsigned.id, prunedUntil: head?.prunedUntil ?? 0 };
    await saveHead(ctx.db, { ...next, mac: await headMac(ctx, next) });
    return rows.length;
  });
}
