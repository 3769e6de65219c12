import type { FeedEnd, FeedRecord, FeedRemoval, RecordMetadata } from "./api-types/index.ts";

/** Shapes that only the client has; those of the API are in `api-types/`. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Metadata = Record<string, unknown>;
export type Tags = Record<string, string>;

/** An entry in the schema of the catalogue. */
export type ProviderEntry = Record<string, unknown>;

export interface ConnectResult {
  connectionId: string;
  providerConfigKey: string;
  isPending: boolean;
}

/** A record of a model, with what the platform knows of it. */
export type SyncedRecord<Model> = Model & { id: string; _svc_metadata: RecordMetadata };

export interface RecordPage<Model> {
  records: SyncedRecord<Model>[];
  next_cursor: string | null;
}

/** What has changed: a record, all records of a source that were removed at once, or nothing up to the end. */
export type FeedEvent<Model> =
  | (Omit<FeedRecord, "record"> & { record: SyncedRecord<Model> })
  | FeedRemoval
  | FeedEnd;

/** The answer of a provider. */
export interface ProviderResponse<Data> {
  status: number;
  headers: Record<string, string>;
  data: Data;
}
