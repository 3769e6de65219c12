import {
  type Connection,
  type ConnectionsLeaving,
  type ConnectionsOf,
  readRevocation,
} from "#connections";
import { type EnvironmentContext, reasonOf } from "#foundation";
import type { Integration } from "#integrations";
import { enqueueTask, notifyDue } from "#tasks";
import { REVOCATIONS } from "../revocation.ts";
import { reopenRevocation } from "../store.ts";
import { keyOf, revocationTasks } from "../tasks.ts";
import { sealKept } from "./kept.ts";
import {
  type KeptItem,
  listWaitingOf,
  lockFreeItemsOf,
  storeKept,
  withdrawAgain,
} from "./store.ts";

/** Locks what waits for a withdrawal of connections; where another transaction holds it, its connection stays until later. */
export async function lockItemsOfConnections(
  ctx: EnvironmentContext,
  { connections, stay }: ConnectionsLeaving,
): Promise<void> {
  const frozen = connections.filter((connection) => connection.frozen !== undefined);
  if (frozen.length === 0) return;
  const uuids = frozen.map(({ uuid }) => uuid);
  stay(await lockFreeItemsOf(ctx.db, ctx.environment.id, uuids));
}

/** Keeps the credentials of frozen connections that are deleted or authorized again until they are withdrawn. */
export async function followLeaving(
  ctx: EnvironmentContext,
  { connections, integration }: ConnectionsOf,
): Promise<void> {
  const uuids = connections.map(({ uuid }) => uuid);
  const waiting = await listWaitingOf(ctx.db, ctx.environment.id, uuids);
  const kept: KeptItem[] = [];
  for (const connection of connections) {
    const items = waiting.filter(({ connectionUuid }) => connectionUuid === connection.uuid);
    const revocation =
      items.length === 0 ? undefined : await readKept(ctx, { connection, integration });
    if (revocation === undefined) continue;
    for (const item of items) kept.push({ ...item, kept: await sealKept(ctx, item, revocation) });
  }
  if (kept.length > 0) await storeKept(ctx.db, kept);
}

async function readKept(
  ctx: EnvironmentContext,
  { connection, integration }: { connection: Connection; integration: Integration },
) {
  return await readRevocation(ctx, integration, connection).catch((error: unknown) => {
    const { uuid } = connection;
    ctx.log.warn("revocations.not_kept", { connection: uuid, reason: reasonOf(error) });
    return undefined;
  });
}

/** A refresh that had begun before has brought another token, which is withdrawn like the one before. */
export async function followRenewed(
  ctx: EnvironmentContext,
  { connection: { uuid, frozen } }: { readonly connection: Connection },
): Promise<void> {
  if (frozen === undefined) return;
  const environmentId = ctx.environment.id;
  const again = { uuid, revocationId: frozen.by, now: ctx.clock.now() };
  if (!(await withdrawAgain(ctx.db, environmentId, again))) return;
  await reopenRevocation(ctx.db, environmentId, frozen.by);
  const payload = { environmentId, id: frozen.by };
  await enqueueTask(ctx, revocationTasks.run, payload, { key: keyOf(frozen.by), environmentId });
  await notifyDue(ctx, REVOCATIONS);
}
