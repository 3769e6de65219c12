import { createHash } from "node:crypto";
import type { DeliveryFilter } from "./delivery-row.ts";

/** The deliveries to send again: without `state` all that have ended, without `until` all up to now. */
export interface AskedReplay extends DeliveryFilter {
  readonly state?: "failed" | "delivered" | undefined;
  readonly since: Date;
}

/** Of one range, from the first of its deliveries to the last. */
export interface Replay {
  readonly id: string;
  /** How many were queued again so far. */
  readonly replayed: number;
  readonly startedAt: Date;
  /** Null while it runs. */
  readonly endedAt: Date | null;
}

/** The same for the same question: while it is being answered, nothing is begun a second time. */
export function hashOf({ state, type, connectionId, receiver, since, until }: AskedReplay): Buffer {
  const asked = [state, type, connectionId, receiver, since, until].map((part) => part ?? null);
  return createHash("sha256").update(JSON.stringify(asked)).digest();
}
