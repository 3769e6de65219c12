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
export function hashOf(asked: AskedReplay): Buffer {
  const { state, type, connectionId, receiver, since, until } = asked;
  const { integrationKey, status, id, text } = asked;
  const first = [state, type, connectionId, receiver, since, until];
  // Those that earlier releases do not know come only where they are asked for, so that both mean the same.
  const more = [integrationKey, status, id, text];
  const parts = more.every((part) => part === undefined) ? first : [...first, ...more];
  return createHash("sha256")
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest();
}
