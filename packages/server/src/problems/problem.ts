export const problemKinds = [
  "needs_reauthorization",
  "sync_failing",
  "delete_guard",
  "receiver_failing",
  "receiver_disabled",
  "refresh_backoff",
  "client_refused",
  "sync_late",
  "run_stuck",
  "function_error",
  "inbox_failed",
  "webhooks_silent",
  "webhooks_unverified",
  "key_expiring",
  "provider_down",
  "validation_drift",
  "records_quarantined",
  "canary_rolled_back",
  "destination_failing",
  "sql_access_suspended",
  "queue_late",
  "key_unused",
  "signing_key_rotating",
  "disk_low",
  "partition_missing",
] as const;

export type ProblemKind = (typeof problemKinds)[number];
export type ProblemState = "open" | "muted" | "resolved";

/** As it is stored. */
export interface Problem {
  readonly id: string;
  readonly fingerprint: string;
  readonly kind: ProblemKind;
  readonly integration: string | null;
  /** Of kinds about records it is the model. */
  readonly function: string | null;
  readonly receiver: string | null;
  /** Type of a function's error, or what does not match its schema. */
  readonly code: string | null;
  /** File and line of a function's error. */
  readonly place: string | null;
  readonly since: Date;
  readonly lastAt: Date;
  readonly count: number;
  readonly sample: readonly string[];
  readonly cause: string | null;
  /** When the server tries next, or when what is announced happens. */
  readonly nextAt: Date | null;
  readonly sampleOperationId: string | null;
  /** What it showed when it was opened. */
  readonly firstOperationId: string | null;
  readonly resolvedAt: Date | null;
  readonly muteUntil: Date | null;
  readonly note: string | null;
}

export interface ProblemChange {
  /** Null ends the muting. */
  readonly muteUntil?: Date | null | undefined;
  readonly note?: string | null | undefined;
  readonly isResolved?: boolean | undefined;
}

/** Those whose count is of connections; the others count syncs, webhooks, keys or receivers. */
const ofConnections: ReadonlySet<ProblemKind> = new Set([
  "needs_reauthorization",
  "sync_failing",
  "delete_guard",
  "records_quarantined",
  "webhooks_silent",
  "refresh_backoff",
  "client_refused",
  "sync_late",
  "run_stuck",
]);

/** Those about the records of a model. */
const ofModels: ReadonlySet<ProblemKind> = new Set(["delete_guard", "records_quarantined"]);

export function isOfModel({ kind }: Problem): boolean {
  return ofModels.has(kind);
}

export function countsConnections({ kind }: Problem): boolean {
  return ofConnections.has(kind);
}

export function stateOf({ resolvedAt, muteUntil }: Problem, now: Date): ProblemState {
  if (resolvedAt !== null) return "resolved";
  return muteUntil !== null && muteUntil > now ? "muted" : "open";
}
