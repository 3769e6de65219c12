import type { EnvironmentId } from "#platform";

/** Name of the due loop. */
export const DESTINATIONS = "records.destinations";

/** Of one environment. */
export const MOST_DESTINATIONS = 20;

export type PauseReason = "requested" | "restored_copy";

export interface DestinationError {
  readonly code: string;
  readonly message: string;
}

/** As it is stored. */
export interface Destination {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly name: string;
  /** Sealed. */
  readonly target: Buffer;
  readonly address: string;
  readonly schema: string;
  readonly table: string;
  readonly models: readonly string[] | null;
  readonly integrations: readonly string[] | null;
  readonly generation: number;
  readonly pauseReason: PauseReason | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly dueAt: Date | null;
  readonly epoch: number | null;
  readonly position: number | null;
  readonly idleMs: number;
  readonly contactedAt: Date | null;
  readonly delivered: number;
  readonly lastDeliveredAt: Date | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly errorAt: Date | null;
}

export type DestinationState = "active" | "failing" | "paused";

export function stateOf({ pauseReason, failures }: Destination): DestinationState {
  if (pauseReason !== null) return "paused";
  return failures > 0 ? "failing" : "active";
}
