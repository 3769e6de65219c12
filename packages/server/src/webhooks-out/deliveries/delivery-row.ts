import type { OperationId } from "#foundation";

/** A delivery as it is stored, without its body. */
export interface DeliveryRow {
  readonly id: string;
  readonly type:
    | "auth"
    | "sync"
    | "async_action"
    | "forward"
    | "problem"
    | "audit"
    | "agent_approval"
    | "agent_tool_changed"
    | "canary";
  readonly url: string;
  readonly state: "waiting" | "delivered" | "failed";
  /** Its receiver is disabled. */
  readonly isHeld: boolean;
  readonly connectionId: string | null;
  readonly integrationKey: string | null;
  readonly operationId: OperationId | null;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export interface AttemptRow {
  readonly id: string;
  readonly status: number | null;
  readonly error: string | null;
  /** Sealed. */
  readonly answer: Buffer | null;
  readonly durationMs: number;
  readonly createdAt: Date;
  /** Values of `webhook-timestamp` and `webhook-signature`; null where nothing was sent, or none was noted. */
  readonly signedAt: string | null;
  readonly signature: string | null;
}

/** Which deliveries are wanted; every part that is there has to hold. */
export interface DeliveryFilter {
  readonly state?: "waiting" | "held" | "delivered" | "failed" | undefined;
  readonly type?: string | undefined;
  readonly connectionId?: string | undefined;
  /** Id of the receiver. */
  readonly receiver?: string | undefined;
  readonly integrationKey?: string | undefined;
  /** Of the last answer; `none`: there was none. */
  readonly status?: "2xx" | "3xx" | "4xx" | "5xx" | "none" | undefined;
  readonly id?: string | undefined;
  /** In any case, somewhere in what is stored in the clear. */
  readonly text?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** A place in a list that is ordered by time and id. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}
