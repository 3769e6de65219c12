import { addMs, type EnvironmentId, HOUR, MINUTE, type OperationId, SECOND } from "#foundation";
import type { AssociatedData } from "#vault";

/** Name of the due work that handles what has come in. */
export const INBOX = "inbox";

export type InboxState = "waiting" | "handled" | "duplicate" | "failed";

/** A webhook of a provider as it is kept; what it says is sealed. */
export interface InboundWebhook {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  /** Sealed; null where it is large, and read by itself. */
  readonly request: Buffer | null;
  readonly bodyBytes: number;
  readonly isVerified: boolean;
  readonly types: readonly string[];
  readonly completes: boolean;
  readonly state: InboxState;
  readonly attempts: number;
  readonly error: string | null;
  readonly operationId: OperationId | null;
  readonly receivedAt: Date;
  readonly handledAt: Date | null;
  /** Handled again on demand: that its events were handled before does not count. */
  readonly isReplay: boolean;
}

export function requestAad(environmentId: EnvironmentId, id: string): AssociatedData {
  return { environmentId, table: "inbound_webhooks", column: "request", row: id };
}

/** Waits after failures of ours; after the last one the webhook stays as failed. */
const RETRY_WAITS_MS = [
  SECOND,
  5 * SECOND,
  30 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
] as const;

/** When a webhook is tried again after so many attempts; undefined: never. */
export function nextAttemptAfter(attempts: number, now: Date): Date | undefined {
  const wait = RETRY_WAITS_MS[attempts - 1];
  return wait === undefined ? undefined : addMs(now, wait);
}
