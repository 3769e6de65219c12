import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Rhythm } from "./rhythm.ts";
import type { Sequence } from "./sequence.ts";

/** Webhooks that came for a connection within a few seconds. */
export interface Arrival {
  readonly environmentId: EnvironmentId;
  readonly connection: ConnectionUuid;
  readonly received: number;
  readonly duplicates: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of the provider's sequence, in the order in which they came. */
  readonly numbers: readonly number[];
}

/** What is known of a connection's webhooks. */
export interface KnownArrivals {
  readonly rhythm: Rhythm;
  readonly sequence: Sequence | null;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly dueMs: number | null;
  readonly silentSinceMs: number | null;
}
