import { setTimeout as sleep } from "node:timers/promises";
import type { Kind } from "./kinds.ts";
import type { Neighbours } from "./neighbours.ts";

export interface Delays {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** What was refused or did not begin, in words. */
  readonly errors: readonly string[];
}

export interface Measured {
  readonly alone: Delays;
  readonly flooded: Delays;
  /** p95 under the flood, without the other environment's own work next to one of another's on the same processors. */
  readonly delayMs: number;
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
  const ownMs = kind.isWork === true ? 2 * alone.p50Ms : 0;
  return { alone, flooded, delayMs: Math.max(0, flooded.p95Ms - ownMs) };
}

async function probeAgain(all: Neighbours, kind: Kind, probes: number): Promise<Delays> {
  const times: number[] = [];
  const errors: string[] = [];
  for (let nth = 0; nth < probes; nth += 1) {
    try {
      times.push(await kind.probe(all, nth));
    } catch (error) {
      errors.push(String(error));
    }
    await sleep(BETWEEN_MS);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1), errors };
}
