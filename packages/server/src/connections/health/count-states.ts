import type { EnvironmentContext } from "#foundation";
import { type IntegrationStats, listIntegrationIds, listIntegrationKeys } from "#integrations";
import type { ProviderStats } from "#providers";
import type { ConnectionState } from "./connection-state.ts";
import { type CountedState, countStates, countUses } from "./store.ts";

type StateCounts = Record<ConnectionState, number>;

export interface ConnectionCounts {
  readonly total: number;
  readonly byState: StateCounts;
  readonly byIntegration: readonly {
    readonly integrationKey: string;
    readonly total: number;
    readonly byState: StateCounts;
  }[];
}

const MOST_INTEGRATIONS = 1000;

/** How many connections there are; of integrations those with the most of them. */
export async function countConnectionStates(
  ctx: EnvironmentContext,
  { integrationKeys }: { readonly integrationKeys: readonly string[] | undefined },
): Promise<ConnectionCounts> {
  const ids = integrationKeys && (await listIntegrationIds(ctx, integrationKeys));
  const rows = await countStates(ctx.db, ctx.environment.id, ids);
  const listed = sumUpEach(rows)
    .toSorted((a, b) => b.total - a.total || a.integrationId - b.integrationId)
    .slice(0, MOST_INTEGRATIONS);
  const keys = await listIntegrationKeys(
    ctx,
    listed.map(({ integrationId }) => integrationId),
  );
  return {
    ...sumUp(rows),
    byIntegration: listed.flatMap(({ integrationId, ...sums }) => {
      const integrationKey = keys.get(integrationId);
      return integrationKey === undefined ? [] : [{ integrationKey, ...sums }];
    }),
  };
}

/** Counts of each integration that has connections, for who asks through a hook. */
export async function countForIntegrations(
  ctx: EnvironmentContext,
): Promise<ReadonlyMap<number, IntegrationStats>> {
  const rows = await countStates(ctx.db, ctx.environment.id, undefined);
  return new Map(
    sumUpEach(rows).map(({ integrationId, total: connections, byState }) => [
      integrationId,
      { connections, byState },
    ]),
  );
}

/** Integrations and connections of each provider that the environment uses, for who asks through a hook. */
export async function countForProviders(
  ctx: EnvironmentContext,
): Promise<ReadonlyMap<string, ProviderStats>> {
  const rows = await countUses(ctx.db, ctx.environment.id);
  return new Map(rows.map(({ provider, ...counts }) => [provider, counts]));
}

/** Of each integration that has connections. */
function sumUpEach(rows: readonly CountedState[]) {
  return [...Map.groupBy(rows, ({ integrationId }) => integrationId)]
    .map(([integrationId, own]) => ({ integrationId, ...sumUp(own) }))
    .filter(({ total }) => total > 0);
}

function sumUp(rows: readonly CountedState[]): { total: number; byState: StateCounts } {
  const byState = { ...noConnections };
  for (const { state, count } of rows) byState[state] += count;
  return { total: rows.reduce((sum, { count }) => sum + count, 0), byState };
}

const noConnections: StateCounts = {
  ok: 0,
  refreshing: 0,
  backoff: 0,
  needs_reauthorization: 0,
  pending: 0,
};
