import { addMs, DAY, type EnvironmentId, HOUR, MINUTE, SECOND } from "#foundation";
import type { AssociatedData } from "#vault";

/** Name of the due work that sends what is queued. */
export const DELIVERIES = "webhook-deliveries";

export function bodyAad(environmentId: EnvironmentId, deliveryId: string): AssociatedData {
  return { environmentId, table: "webhook_deliveries", column: "body", row: deliveryId };
}

export function headersAad(environmentId: EnvironmentId, deliveryId: string): AssociatedData {
  return { environmentId, table: "webhook_deliveries", column: "headers", row: deliveryId };
}

export function payloadAad(
  environmentId: EnvironmentId,
  payloadId: string,
  column: "body" | "headers",
): AssociatedData {
  return { environmentId, table: "webhook_payloads", column, row: payloadId };
}

/** The body of a delivery with a payload: two JSON objects as one; the names of its own sort before the payload's. */
export function joinBody(own: Buffer, payload: Buffer): Buffer {
  return Buffer.concat([own.subarray(0, -1), Buffer.from(","), payload.subarray(1)]);
}

export function answerAad(environmentId: EnvironmentId, attemptId: string): AssociatedData {
  return { environmentId, table: "webhook_attempts", column: "answer", row: attemptId };
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

/** A receiver may ask for a longer wait than the schedule's, up to this. */
const LONGEST_ASKED_MS = 10 * HOUR;

export const SEND_TIMEOUT_MS = 20 * SECOND;

/** A receiver of which nothing is received for so long gets no more until it is enabled. */
export const DISABLED_AFTER_MS: number = 5 * DAY;

/** What an attempt came to; without a status nobody answered. */
export type Attempt =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** What the receiver asked for by Retry-After (RFC 9110, 10.2.3). */
      readonly retryAfterMs?: number | undefined;
    }
  | { readonly kind: "failed"; readonly reason: string }
  /** It never left: something failed on our side. */
  | { readonly kind: "unsent"; readonly reason: string };

export type NextStep =
  | { readonly state: "delivered" }
  | { readonly state: "waiting"; readonly nextAttemptAt: Date }
  | { readonly state: "failed" };

const GONE = 410;

/** Any 2xx is success, 410 ends the delivery, all else is tried again until the waits are used up. */
export function decideNext(attempt: Attempt, attempts: number, now: Date): NextStep {
  if (judgeReceiver(attempt) === "received") return { state: "delivered" };
  const answer = attempt.kind === "answered" ? attempt : undefined;
  const wait = RETRY_WAITS_MS[attempts - 1];
  if (answer?.status === GONE || wait === undefined) return { state: "failed" };
  const asked = answer?.retryAfterMs ?? 0;
  return {
    state: "waiting",
    nextAttemptAt: addMs(now, Math.max(wait, Math.min(asked, LONGEST_ASKED_MS))),
  };
}

/** A receiver that refuses one webhook for good (410) is none that fails, nor is one of a failure of ours. */
export function judgeReceiver(attempt: Attempt): "received" | "failing" | "unknown" {
  if (attempt.kind === "unsent") return "unknown";
  if (attempt.kind === "failed") return "failing";
  if (attempt.status >= 200 && attempt.status < 300) return "received";
  return attempt.status === GONE ? "unknown" : "failing";
}
