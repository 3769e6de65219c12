import type { EnvironmentId } from "#foundation";

/** Steps of connecting, in their order. Each counts once for a session, and from `chosen` on for its integration. */
export type FunnelStep = "created" | "opened" | "chosen" | "started" | "completed" | "failed";

/** Of a session as a whole; in counts: of sessions that any integration was open to. */
export const EVERY_INTEGRATION = 0;

export interface StepCount {
  readonly environmentId: EnvironmentId;
  /** The day in UTC on which the session was created, so that no step counts more sessions than the one before. */
  readonly day: string;
  readonly integrationId: number;
  readonly step: FunnelStep;
  /** Of a failure, its code. */
  readonly reason: string;
  /** Below zero where a session that had failed is completed after all. */
  readonly count: number;
}
