import { setTimeout as sleep } from "node:timers/promises";
import type { Kind } from "./kinds.ts";
import type { Neighbours } from "./neighbours.ts";

export interface Delays {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Until it was done, where it works for seconds; undefined elsewhere. */
  readonly doneP95Ms: number | undefined;
  /** What was refused or did not begin, in words. */
  readonly errors: readonly string[];
}

export interface Measured {
  readonly alone: Delays;
  readonly flooded: Delays;
}

/** Time in which a flood takes all that it gets. */
const SETTLE_MS = 4000;
const BETWEEN_MS = 200;

/** What the other environment waits without a flood, and in one. */
export async function measureKind(all: Neighbours, kind: Kind, probes: number): Promise<Measured> {
  // The first one makes ready what is used again.
  await kind.probe(all, 0);
  const alone = await probeAgain(all, kind, Math.ceil(probes / 2));
  const stopping = new AbortController();
  const flood = kind.flood(all, stopping.signal);
  await sleep(SETTLE_MS);
  const flooded = await probeAgain(all, kind, probes);
  stopping.abort();
  await flood.catch(() => undefined);
  return { alone, flooded };
}

async function probeAgain(all: Neighbours, kind: Kind, probes: number): Promise<Delays> {
  const times: number[] = [];
  const ends: number[] = [];
  const errors: string[] = [];
  for (let nth = 0; nth < probes; nth += 1) {
    try {
      const found = await kind.probe(all, nth);
      times.push(typeof found === "number" ? found : found.beganMs);
      if (typeof found !== "number") ends.push(found.doneMs);
    } catch (error) {
      errors.push(String(error));
    }
    await sleep(BETWEEN_MS);
  }
  const done = ends.length === 0 ? undefined : shareOf(ends, 0.95);
  const at = (share: number) => shareOf(times, share);
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1), doneP95Ms: done, errors };
}

function shareOf(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
