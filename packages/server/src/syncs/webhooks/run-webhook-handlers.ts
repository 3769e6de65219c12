import { randomUUID } from "node:crypto";
import { type ConnectionUuid, type EnvironmentContext, newTimeId, type RunId } from "#foundation";
import { withTransaction } from "#foundation/db";
import { listFunctions } from "#functions";
import { enqueueKeyed, enqueueManyKeyed } from "#tasks";
import { listSyncs, type SyncFilter } from "../store.ts";
import type { Sync } from "../sync.ts";
import { syncTasks } from "../tasks.ts";
import { sealPayload } from "./payload.ts";
import { insertInput, insertWebhookRun, insertWebhookRuns } from "./store.ts";

/** Of one event, in one transaction. */
export interface KeptPayload {
  inputId: string | undefined;
}

export interface WebhookForSyncs {
  readonly integration: { readonly id: number };
  /** Those that the webhook is about. */
  readonly connections: readonly ConnectionUuid[];
  /** A sync that subscribes to one of them, or to `*`, takes the webhook once. */
  readonly types: readonly string[];
  /** What `onWebhook` is given, as JSON text. */
  readonly payload: Uint8Array;
  /** What earlier pages of the same event have kept: its payload is stored once, however many connections it has. */
  readonly kept?: KeptPayload;
  /** Whether the transaction may lock so many more queue keys; without, runs start shortly after it has committed. */
  readonly mayLock?: (count: number) => boolean;
}

const SYNCS_AT_ONCE = 1000;

/**
 * Queues `onWebhook` of each enabled sync that subscribes to the webhook and has been set up for the connection, in
 * the caller's transaction; answers how many runs follow. They run first in first out per connection and sync.
 */
export async function runWebhookHandlers(
  ctx: EnvironmentContext,
  {
    integration,
    connections,
    types,
    payload,
    kept = { inputId: undefined },
    mayLock,
  }: WebhookForSyncs,
): Promise<number> {
  if (connections.length === 0) return 0;
  const deployed = await listFunctions(ctx, { integration, type: "sync" });
  const takers = deployed.filter(
    ({ enabled, definition: { webhookSubscriptions: wanted } }) =>
      enabled && wanted.some((type) => type === "*" || types.includes(type)),
  );
  if (takers.length === 0) return 0;
  const functionIds = takers.map(({ id }) => id);
  const connectionsAtOnce = Math.ceil(SYNCS_AT_ONCE / takers.length);
  return await withTransaction(ctx, async (ctx) => {
    let count = 0;
    for (let from = 0; from < connections.length; from += connectionsAtOnce) {
      const page = connections.slice(from, from + connectionsAtOnce);
      const bases = await listBases(ctx, { functionIds, connections: page });
      if (bases.length === 0) continue;
      kept.inputId ??= await keepInput(ctx, payload);
      const queue = mayLock?.(bases.length) === true ? queueEach : queueMany;
      await queue(ctx, { bases, inputId: kept.inputId });
      count += bases.length;
    }
    return count;
  });
}

type Base = Pick<Sync, "id" | "functionId" | "connectionUuid">;

/** In one order everywhere, so that two webhooks never wait for each other's queue keys. */
async function listBases(ctx: EnvironmentContext, filter: SyncFilter): Promise<Base[]> {
  const syncs = await listSyncs(ctx.db, ctx.environment.id, filter);
  return syncs
    .filter(({ variant }) => variant === "base")
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function keepInput(ctx: EnvironmentContext, payload: Uint8Array): Promise<string> {
  const id = randomUUID();
  const input = await sealPayload(ctx, id, payload);
  await insertInput(ctx.db, ctx.environment.id, { id, input });
  return id;
}

interface Queued {
  readonly bases: readonly Base[];
  readonly inputId: string;
}

async function queueEach(ctx: EnvironmentContext, { bases, inputId }: Queued): Promise<void> {
  for (const base of bases) {
    const { run, work } = newRun(ctx, base, inputId);
    await insertWebhookRun(ctx.db, ctx.environment.id, run);
    await enqueueKeyed(ctx, syncTasks.webhook, work);
  }
}

async function queueMany(ctx: EnvironmentContext, { bases, inputId }: Queued): Promise<void> {
  const all = bases.map((base) => newRun(ctx, base, inputId));
  const runs = all.map(({ run }) => run);
  await insertWebhookRuns(ctx.db, ctx.environment.id, runs);
  const works = all.map(({ work }) => work);
  await enqueueManyKeyed(ctx, syncTasks.webhook, works);
}

function newRun(
  { clock, environment: { id: environmentId } }: EnvironmentContext,
  { id: queueKey, functionId, connectionUuid }: Base,
  inputId: string,
) {
  const now = clock.now();
  const id = newTimeId<RunId>(now);
  return {
    run: { id, functionId, connectionUuid, inputId, createdAt: now },
    work: { id, environmentId, queueKey, payload: { environmentId, runId: id } },
  };
}
