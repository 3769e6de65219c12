import { releaseConnections } from "#connections";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { announceChange, recordChange } from "#logs";
import { enqueueTask } from "#tasks";
import { lockReleasable, storeReports } from "./items/store.ts";
import { signItemReport } from "./reports/sign-report.ts";
import type { Item, Revocation } from "./revocation.ts";
import { lockRevocation, reopenRevocation } from "./store.ts";
import { keyOf, revocationTasks } from "./tasks.ts";

const PAGE = 200;

/** Lets connections that were not withdrawn be used again; throws not_found, and conflict for a rehearsal. */
export async function releaseRevocation(
  ctx: EnvironmentContext,
  { id, positions }: { id: string; positions: readonly number[] | undefined },
): Promise<number> {
  let [released, after] = [0, 0];
  for (;;) {
    ctx.signal.throwIfAborted();
    const page = await releasePage(ctx, { id, positions, after });
    released += page.released;
    if (page.last === undefined) break;
    after = page.last;
  }
  announceChange(ctx, ctx.environment.id, "revocations");
  recordChange(ctx, { message: "Release frozen connections", meta: { revocation: id, released } });
  return released;
}

async function releasePage(
  ctx: EnvironmentContext,
  { id, positions, after }: { id: string; positions: readonly number[] | undefined; after: number },
): Promise<{ released: number; last: number | undefined }> {
  return await withTransaction(ctx, async (ctx) => {
    const environmentId = ctx.environment.id;
    const revocation = await lockRevocation(ctx.db, environmentId, id);
    if (revocation === undefined) throw new AppError("not_found", "No such revocation.");
    requireReal(revocation);
    const items = await lockReleasable(ctx.db, id, { after, limit: PAGE, positions });
    const last = items.length < PAGE ? undefined : items.at(-1)?.position;
    const frozen = items.map(({ connectionUuid, nextRefreshAt }) => ({
      ...{ uuid: asUuid(connectionUuid), nextRefreshAt },
    }));
    const unfrozen = new Set<string>(await releaseConnections(ctx, { frozen, revocationId: id }));
    const mine = items.filter(({ connectionUuid }) => unfrozen.has(connectionUuid));
    await storeReports(ctx.db, id, await reportReleased(ctx, revocation, mine));
    if (mine.length > 0) {
      await reopenRevocation(ctx.db, environmentId, id);
      const payload = { environmentId, id };
      await enqueueTask(ctx, revocationTasks.run, payload, { key: keyOf(id), environmentId });
    }
    return { released: mine.length, last };
  });
}

function requireReal({ isRehearsal, passesLeft }: Revocation): void {
  if (isRehearsal) throw new AppError("conflict", "A rehearsal has frozen nothing.");
  if (passesLeft > 0) {
    throw new AppError("conflict", "Connections are still being frozen; release them afterwards.");
  }
}

async function reportReleased(
  ctx: EnvironmentContext,
  revocation: Revocation,
  items: readonly Item[],
) {
  const now = ctx.clock.now();
  return await Promise.all(
    items.map(async (item) => {
      const { position, connectionId } = item;
      const outcome = item.outcome ?? { reason: null, answers: [] };
      const settledAt = now;
      const reported = { ...item, state: "released" as const, outcome, settledAt };
      const report = await signItemReport(ctx, revocation, reported);
      return { position, connectionId, state: "released" as const, report, settledAt };
    }),
  );
}

// Rows hold what was chosen.
function asUuid(text: string): ConnectionUuid {
  return text as ConnectionUuid;
}
