import type { Arrival, KnownArrivals } from "./arrival.ts";
import { addInterval, awayMs, findQuietMs, type WatchGap } from "./rhythm.ts";
import { addNumber } from "./sequence.ts";

/** What is known of a connection's webhooks once these have come. */
export function learnArrival(
  known: KnownArrivals & { readonly isNew: boolean },
  arrival: Arrival,
  gaps: readonly WatchGap[],
): Pick<KnownArrivals, "rhythm" | "sequence" | "lastMs" | "dueMs"> {
  const rhythm = structuredClone(known.rhythm);
  const intervalMs = arrival.firstMs - known.lastMs;
  if (!known.isNew && intervalMs > 0 && awayMs(gaps, known.lastMs, arrival.firstMs) === 0) {
    addInterval(rhythm, capped(known, intervalMs), arrival.firstMs);
  }
  const lastMs = Math.max(known.lastMs, arrival.lastMs);
  const quietMs = findQuietMs(rhythm, { firstMs: known.firstMs, lastMs });
  let sequence = known.sequence ?? undefined;
  for (const number of arrival.numbers) sequence = addNumber(sequence, number);
  return {
    rhythm,
    sequence: sequence ?? null,
    lastMs,
    dueMs: quietMs === undefined ? null : lastMs + quietMs,
  };
}

/** A silence that was reported is no rhythm; that it was one is learned by half as much at a time. */
function capped(known: KnownArrivals, intervalMs: number): number {
  if (known.silentSinceMs === null) return intervalMs;
  const quietMs = findQuietMs(known.rhythm, known);
  return quietMs === undefined ? intervalMs : Math.min(intervalMs, quietMs);
}
