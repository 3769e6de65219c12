import type { KnownRateLimit, RankWait } from "./list-rate-limits.ts";

/** The public shape. */
export function presentRateLimit(known: KnownRateLimit) {
  const { connectionId, integrationKey, provider, resetsAt, waiting, waitingConnections } = known;
  return {
    scope: connectionId === undefined ? ("app" as const) : ("connection" as const),
    provider_config_key: integrationKey,
    provider,
    connection_id: connectionId ?? null,
    limit: known.limit ?? null,
    remaining: known.remaining ?? null,
    resets_at: resetsAt === undefined ? null : new Date(resetsAt).toISOString(),
    is_used_up: known.isUsedUp,
    waiting: {
      people: presentWait(waiting.person),
      actions: presentWait(waiting.action),
      syncs: presentWait(waiting.sync),
    },
    waiting_connections: waitingConnections.map((each) => ({
      connection_id: each.connectionId,
      calls: each.calls,
    })),
  };
}

function presentWait({ calls, longestWaitMs, estimatedWaitMs }: RankWait) {
  return {
    calls,
    longest_wait_ms: Math.round(longestWaitMs),
    estimated_wait_ms: Math.round(estimatedWaitMs),
  };
}
