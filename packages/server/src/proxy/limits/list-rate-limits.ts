import { listConnectionNames } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { listIntegrations } from "#integrations";
import { Budget } from "./budget.ts";
import { upstreamLimits } from "./upstream-limits.ts";
import { type Rank, ranks, type WaitingState } from "./waiting-calls.ts";

const MOST_NAMED_CONNECTIONS = 10;
// Of all environments: names that are not this environment's are left out by the database.
const MOST_LOOKED_UP = 10_000;

export interface RankWait {
  readonly calls: number;
  readonly longestWaitMs: number;
  readonly estimatedWaitMs: number;
}

/** A provider's rate limit as this server knows it. */
export interface KnownRateLimit {
  readonly integrationKey: string;
  readonly provider: string;
  /** Undefined for the quota of the app, which all connections of the integration share. */
  readonly connectionId: string | undefined;
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  readonly resetsAt: number | undefined;
  readonly isUsedUp: boolean;
  readonly waiting: Readonly<Record<Rank, RankWait>>;
  /** Those of this process with the most calls that wait. */
  readonly waitingConnections: readonly { readonly connectionId: string; readonly calls: number }[];
}

/** Rate limits of the environment of which something is known; those that most calls wait for first. */
export async function listRateLimits(
  ctx: EnvironmentContext,
  {
    integrationKey,
    limit,
  }: { readonly integrationKey: string | undefined; readonly limit: number },
): Promise<KnownRateLimit[]> {
  const { quotas, pacer, sharers } = upstreamLimits.of(ctx);
  const names = new Set([...pacer.waitedFor, ...sharers.names, ...quotas.names]);
  if (names.size === 0) return [];
  const owners = await findOwners(ctx, names, integrationKey);
  const known = [...names].flatMap((name) => {
    const owner = owners.get(name);
    return owner === undefined ? [] : (describe(ctx, name, owner) ?? []);
  });
  const sorted = known.toSorted((a, b) => countCalls(b) - countCalls(a) || rank(b) - rank(a));
  return await nameWaiting(ctx, sorted.slice(0, limit));
}

interface Owner {
  readonly integrationKey: string;
  readonly provider: string;
  readonly connectionId: string | undefined;
}

/** Whose quotas they are, as far as they are this environment's. */
async function findOwners(
  ctx: EnvironmentContext,
  names: ReadonlySet<string>,
  integrationKey: string | undefined,
): Promise<Map<string, Owner>> {
  const integrations = await listIntegrations(ctx);
  const own = new Map(
    integrations
      .filter(({ uniqueKey }) => integrationKey === undefined || uniqueKey === integrationKey)
      .map((each) => [each.id, { integrationKey: each.uniqueKey, provider: each.provider }]),
  );
  const owners = new Map<string, Owner>();
  for (const [id, integration] of own) {
    owners.set(`i:${id}`, { ...integration, connectionId: undefined });
  }
  const uuids = [...names].filter((name) => name.startsWith("c:")).map((name) => name.slice(2));
  for (const found of await listConnectionNames(ctx, uuids.slice(0, MOST_LOOKED_UP))) {
    const integration = own.get(found.integrationId);
    if (integration === undefined) continue;
    owners.set(`c:${found.uuid}`, { ...integration, connectionId: found.connectionId });
  }
  return owners;
}

type Described = Omit<KnownRateLimit, "waitingConnections"> & {
  readonly shares: readonly (readonly [string, number])[];
};

function describe(ctx: EnvironmentContext, name: string, owner: Owner): Described | undefined {
  const { quotas, pacer, sharers } = upstreamLimits.of(ctx);
  const nowMs = ctx.clock.now().getTime();
  const budget = quotas.findByName(name) ?? new Budget(nowMs);
  const own = pacer.findWaiting(name);
  const states = [...(own === undefined ? [] : [own.describe()]), ...sharers.listWaiting(name)];
  const waitOf = (rank: Rank) =>
    toWait(states, { rank, nowMs, estimatedWaitMs: pacer.estimateWaitMs(name, budget, rank) });
  const waiting = { person: waitOf("person"), action: waitOf("action"), sync: waitOf("sync") };
  const state = budget.describe(nowMs);
  const isWaitedFor = ranks.some((each) => waiting[each].calls > 0);
  if (state.limit === undefined && state.remaining === undefined && !state.isUsedUp && !isWaitedFor)
    return undefined;
  const shares = [...(own?.countByShare() ?? [])]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMED_CONNECTIONS);
  return { ...owner, ...state, waiting, shares };
}

function toWait(
  states: readonly WaitingState[],
  { rank, nowMs, estimatedWaitMs }: { rank: Rank; nowMs: number; estimatedWaitMs: number },
): RankWait {
  const calls = states.reduce((sum, state) => sum + state[rank].calls, 0);
  const waits = states.map((state) => nowMs - (state[rank].since ?? nowMs));
  return { calls, longestWaitMs: Math.max(0, ...waits), estimatedWaitMs };
}

function countCalls({ waiting }: Described): number {
  return ranks.reduce((sum, each) => sum + waiting[each].calls, 0);
}

/** Those that are used up first, then those of which least is left. */
function rank({ isUsedUp, remaining }: Described): number {
  return isUsedUp ? 1 : -(remaining ?? Number.MAX_SAFE_INTEGER);
}

async function nameWaiting(
  ctx: EnvironmentContext,
  known: readonly Described[],
): Promise<KnownRateLimit[]> {
  const uuids = known.flatMap(({ shares }) => shares.map(([uuid]) => uuid));
  const named = await listConnectionNames(ctx, [...new Set(uuids)]);
  const idOf = new Map<string, string>(named.map((each) => [each.uuid, each.connectionId]));
  return known.map(({ shares, ...rest }) => ({
    ...rest,
    waitingConnections: shares.flatMap(([uuid, calls]) => {
      const connectionId = idOf.get(uuid);
      return connectionId === undefined ? [] : [{ connectionId, calls }];
    }),
  }));
}
