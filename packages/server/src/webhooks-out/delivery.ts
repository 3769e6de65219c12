import { addMs, type EnvironmentId, HOUR, MINUTE, SECOND } from "#platform";
import type { SealPlace } from "#vault";

/** Name of the due work that sends what is queued. */
export const DELIVERIES = "webhook-deliveries";

export function bodyPlace(environmentId: EnvironmentId, deliveryId: string): SealPlace {
  return { environmentId, table: "webhook_deliveries", column: "body", row: deliveryId };
}

/** Waits after each failed attempt; the attempt after the last wait is the last. */
export const RETRY_WAITS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
] as const;

export const SEND_TIMEOUT_MS = 20 * SECOND;

/** What an attempt came to; without a status nobody answered. */
export type Attempt =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "failed"; readonly reason: string };

export type NextStep =
  | { readonly state: "delivered" }
  | { readonly state: "waiting"; readonly nextAttemptAt: Date }
  | { readonly state: "failed" };

const GONE = 410;

/** Any 2xx is success, 410 ends the delivery, all else is tried again until the waits are used up. */
export function decideNext(attempt: Attempt, attempts: number, now: Date): NextStep {
  if (attempt.kind === "answered") {
    if (attempt.status >= 200 && attempt.status < 300) return { state: "delivered" };
    if (attempt.status === GONE) return { state: "failed" };
  }
  const wait = RETRY_WAITS_MS[attempts - 1];
  if (wait === undefined) return { state: "failed" };
  return { state: "waiting", nextAttemptAt: addMs(now, wait) };
}
