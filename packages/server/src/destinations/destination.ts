import type { EnvironmentId } from "#foundation";

/** Name of the due loop. */
export const DESTINATIONS = "records.destinations";

/** Of one environment. */
export const MOST_DESTINATIONS = 20;

export type PauseReason = "requested" | "restored_copy";

export interface DestinationError {
  readonly code: string;
  readonly message: string;
}

export interface TablePlace {
  readonly type: "postgres";
  readonly schema: string;
  readonly table: string;
}

export interface BucketPlace {
  readonly type: "s3";
  /** Null: Amazon S3 of the region. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly format: "ndjson" | "parquet";
  readonly intervalSeconds: number;
}

/** Where records are delivered to, without secrets. */
export type Place = TablePlace | BucketPlace;

/** As it is stored. */
export interface Destination {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly name: string;
  readonly place: Place;
  /** Sealed. */
  readonly target: Buffer;
  readonly address: string;
  readonly models: readonly string[] | null;
  readonly integrations: readonly string[] | null;
  readonly generation: number;
  readonly pauseReason: PauseReason | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly dueAt: Date | null;
  readonly epoch: number | null;
  readonly position: number | null;
  /** Of a bucket, whose changes up to there are written, and end there while they are being written. */
  readonly reachedCursor: string | null;
  readonly plannedCursor: string | null;
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

export type TableDestination = Destination & { readonly place: TablePlace };
export type BucketDestination = Destination & { readonly place: BucketPlace };

export function isTable(destination: Destination): destination is TableDestination {
  return destination.place.type === "postgres";
}

export function isBucket(destination: Destination): destination is BucketDestination {
  return destination.place.type === "s3";
}

export type DestinationState = "active" | "failing" | "paused";

export function stateOf({ pauseReason, failures }: Destination): DestinationState {
  if (pauseReason !== null) return "paused";
  return failures > 0 ? "failing" : "active";
}
