import type {
  FunctionType,
  ListConnectionsQuery,
  ListDriftQuery,
  ListEnvironmentFunctionsQuery,
  ListFunctionsQuery,
  ListQuarantineQuery,
  ListQuarantineSamplesQuery,
  ListReconciliationsQuery,
  ListRecordModelsQuery,
  ListRecordsQuery,
  ListSyncsQuery,
  ListWebhookArrivalsQuery,
  ListWebhookIntakeQuery,
  StreamRecordsQuery,
} from "./api-types/index.ts";

/** What calls take. */

/** For calls that change something. */
export interface ChangeOptions {
  /** The same key within 24 hours gets the same answer; such a call is retried like a read. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface ConnectionFilter extends Omit<ListConnectionsQuery, "integrationId" | "cursor"> {
  readonly integrationId?: string | readonly string[];
  /** `next_cursor` of the page before; not together with `page`. */
  readonly cursor?: string | null;
}

/** What a list of connections can show in addition. */
export type ConnectionDetail = Extract<NonNullable<ListConnectionsQuery["include"]>, string>;

/** Which connection. */
export interface ConnectionTarget {
  readonly providerConfigKey: string;
  readonly connectionId: string;
}

/** Which connection, or which of an integration. */
export interface ConnectionTargets {
  readonly providerConfigKey: string;
  readonly connectionId: string | string[];
}

export interface ConnectionRead extends ConnectionTarget {
  /** Refreshes the token first, even one that is still valid. */
  readonly forceRefresh?: boolean | undefined;
  /** Shows the refresh token as well. */
  readonly refreshToken?: boolean | undefined;
}

export interface ActionCall extends ConnectionTarget {
  readonly action: string;
  readonly input?: unknown;
}

export interface RecordQuery
  extends ConnectionTarget,
    Omit<ListRecordsQuery, "modified_after" | "as_of" | "delta" | "filter" | "cursor"> {
  /** ISO 8601; records that changed at or after it. */
  readonly modifiedAfter?: string;
  /** ISO 8601; the records as they were then. Needs the history of the model, see `keepHistory`. */
  readonly asOf?: string;
  readonly filter?: readonly ("added" | "updated" | "deleted")[];
  readonly cursor?: string | null;
}

export interface RecordName extends ConnectionTarget {
  readonly model: string;
  readonly variant?: string;
  /** At the provider. */
  readonly id: string;
}

export type RecordModelFilter = ListRecordModelsQuery;
export type WebhookArrivalsFilter = ListWebhookArrivalsQuery;
export type WebhookIntakeFilter = ListWebhookIntakeQuery;
export type ReconciliationFilter = ListReconciliationsQuery;
export type DriftFilter = ListDriftQuery;
export type QuarantineFilter = ListQuarantineQuery;
export type QuarantineSampleQuery = ListQuarantineSamplesQuery;

export interface FeedQuery extends Omit<StreamRecordsQuery, "live" | "models"> {
  readonly models?: readonly string[];
  /** Stays open at the end, and opens again where it breaks off; default true. */
  readonly live?: boolean;
  /** Ends the feed. */
  readonly signal?: AbortSignal;
}

/** Records up to and including a cursor's, or those that last changed before a time. */
export type PrunableRecords = ConnectionTarget & {
  readonly model: string;
  readonly variant?: string;
} & (
    | { readonly untilCursor: string; readonly before?: never }
    | { readonly before: string; readonly untilCursor?: never }
  );

export type RecordPrune = PrunableRecords & { readonly limit?: number };

/** A name, `name::variant`, or both apart. */
export type SyncReference = string | { readonly name: string; readonly variant: string };

/** Syncs of an integration, for one connection or for all. */
export interface NamedSyncs {
  readonly providerConfigKey: string;
  readonly syncs: readonly SyncReference[];
  readonly connectionId?: string | undefined;
}

export interface SyncTrigger extends Omit<NamedSyncs, "syncs"> {
  /** All of them when none is named. */
  readonly syncs?: readonly SyncReference[] | undefined;
  readonly reset?: boolean | undefined;
  readonly emptyCache?: boolean | undefined;
}

export interface SyncStatusQuery extends Omit<NamedSyncs, "syncs"> {
  readonly syncs: "*" | readonly SyncReference[];
}

export interface SyncFrequency extends ConnectionTarget {
  readonly sync: SyncReference;
  readonly frequency: string | null;
}

export interface SyncTarget {
  readonly provider_config_key: string;
  readonly connection_id: string;
  readonly name: string;
  readonly variant: string;
}

export type SyncFilter = ListSyncsQuery;

/** Of functions of all integrations. */
export type FunctionFilter = ListEnvironmentFunctionsQuery;

export type FunctionQuery = ListFunctionsQuery;

/** Functions of one integration. */
export interface IntegrationFunctions extends FunctionQuery {
  readonly uniqueKey: string;
}

/** A function; `type` where two of different types have its name. */
export interface FunctionName {
  readonly uniqueKey: string;
  readonly name: string;
  readonly type?: FunctionType | undefined;
}

export type ProxyResponseType = "json" | "text" | "arraybuffer" | "blob" | "stream";

export interface ProxyConfiguration {
  readonly endpoint: string;
  readonly providerConfigKey: string;
  readonly connectionId: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Record<string, string>;
  readonly params?: Record<string, string | number | boolean | undefined>;
  /** Text, bytes, forms and streams are sent as they are, anything else as JSON. */
  readonly data?: unknown;
  readonly retries?: number;
  readonly retryOn?: readonly number[];
  readonly baseUrlOverride?: string;
  readonly decompress?: boolean;
  /** `json` (the default) gives text where the answer is not JSON. */
  readonly responseType?: ProxyResponseType;
  readonly signal?: AbortSignal;
}

export interface WaitOptions {
  /** Milliseconds until it is given up with `timeout`; 10 minutes unless said. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}
