import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { enqueueTask } from "#tasks";
import { listItemsOf, storeReports } from "./items/store.ts";
import { signItemReport } from "./reports/sign-report.ts";
import { eraseEndUserFromMatch, findRevocation, reopenRevocation } from "./store.ts";
import { keyOf, revocationTasks } from "./tasks.ts";

/**
 * Takes the names of an erased end user's connections out of revocations and their reports, which are signed again.
 * Resolves to how many reports; undefined while one of them waits for its provider.
 */
export async function eraseFromRevocations(
  ctx: EnvironmentContext,
  {
    endUserId,
    connections,
  }: { readonly endUserId: string; readonly connections: readonly ConnectionUuid[] },
): Promise<number | undefined> {
  const environmentId = ctx.environment.id;
  const items = await listItemsOf(ctx.db, environmentId, connections);
  if (items.some(({ state }) => state === "waiting")) return undefined;
  await eraseEndUserFromMatch(ctx.db, environmentId, endUserId);
  const named = items.filter(({ connectionId }) => !connectionId.startsWith("erased-"));
  for (const item of named) {
    const { revocationId: id, position, state, settledAt, outcome } = item;
    const revocation = await findRevocation(ctx.db, environmentId, id);
    if (revocation === undefined || settledAt === null) continue;
    const connectionId = `erased-${item.connectionUuid}`;
    const reported = {
      ...{ ...item, connectionId, settledAt },
      outcome: outcome ?? { reason: null, answers: [] },
    };
    const report = await signItemReport(ctx, revocation, reported);
    await storeReports(ctx.db, id, [{ position, state, report, settledAt, connectionId }]);
    await reopenRevocation(ctx.db, environmentId, id);
    const payload = { environmentId, id };
    await enqueueTask(ctx, revocationTasks.run, payload, { key: keyOf(id), environmentId });
  }
  return named.length;
}
