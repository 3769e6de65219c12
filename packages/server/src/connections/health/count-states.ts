import { connectionStates } from "@jackfield/contract";
import { type IntegrationStats, listIntegrationIds, listIntegrationKeys } from "#integrations";
import type { EnvironmentContext } from "#platform";
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
  const totals = rows
    .filter(({ state }) => state === null)
    .toSorted((a, b) => b.count - a.count || a.integrationId - b.integrationId);
  const listed = totals.slice(0, MOST_INTEGRATIONS);
  const keys = await listIntegrationKeys(
    ctx,
    listed.map(({ integrationId }) => integrationId),
  );
  const rowsOf = Map.groupBy(rows, ({ integrationId }) => integrationId);
  return {
    ...sumUp(rows),
    byIntegration: listed.flatMap(({ integrationId }) => {
      const integrationKey = keys.get(integrationId);
      const sums = sumUp(rowsOf.get(integrationId) ?? []);
      return integrationKey === undefined ? [] : [{ integrationKey, ...sums }];
    }),
  };
}

/** Counts of each integration that has connections, for who asks through a hook. */
export async function countForIntegrations(
  ctx: EnvironmentContext,
): Promise<ReadonlyMap<number, IntegrationStats>> {
  const rows = await countStates(ctx.db, ctx.environment.id, undefined);
  const rowsOf = Map.groupBy(rows, ({ integrationId }) => integrationId);
  return new Map(
    [...rowsOf].map(([id, own]) => {
      const { total: connections, byState } = sumUp(own);
      return [id, { connections, byState }];
    }),
  );
}

/** Integrations and connections of each provider that the environment uses, for who asks through a hook. */
export async function countForProviders(
  ctx: EnvironmentContext,
): Promise<ReadonlyMap<string, ProviderStats>> {
  const rows = await countUses(ctx.db, ctx.environment.id);
  return new Map(rows.map(({ provider, ...counts }) => [provider, counts]));
}

/** What is in no other state is `ok`. */
function sumUp(rows: readonly CountedState[]): { total: number; byState: StateCounts } {
  const sumOf = (wanted: ConnectionState | null) =>
    rows.reduce((sum, { state, count }) => (state === wanted ? sum + count : sum), 0);
  const total = sumOf(null);
  const others = connectionStates.filter((state) => state !== "ok");
  const byState = { ...noConnections };
  for (const state of others) byState[state] = sumOf(state);
  byState.ok = Math.max(0, total - others.reduce((sum, state) => sum + byState[state], 0));
  return { total, byState };
}

const noConnections: StateCounts = {
  ok: 0,
  refreshing: 0,
  backoff: 0,
  needs_reauthorization: 0,
  pending: 0,
};
