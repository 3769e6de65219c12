import type { BulkAction } from "@jackfield/contract";
import type { Actor } from "#foundation";

export interface BulkJob {
  readonly id: string;
  readonly action: BulkAction;
  /** What `connections:tag` adds. */
  readonly tags: Readonly<Record<string, string>> | null;
  readonly actor: Actor;
  readonly matched: number;
  readonly done: number;
  readonly failed: number;
  readonly createdAt: Date;
  readonly stoppedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface BulkItem {
  readonly position: number;
  /** A connection's UUID, or a sync's id. */
  readonly target: string;
}

export interface ItemError {
  readonly code: string;
  readonly message: string;
}

export function isOverSyncs(action: BulkAction): boolean {
  return action.startsWith("syncs:");
}

export const MOST_TARGETS = 100_000;
/** A user who does more at once proves who they are. */
export const MOST_WITHOUT_STEP_UP = 100;
