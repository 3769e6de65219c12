import type {
  InboundWebhookState,
  WebhookDelivery,
  WebhookSettingsWithKeys,
  WebhookType,
} from "./api-types/index.ts";

/** What lists of the environment are filtered by, and parts of what it is set to. */

export interface AuditQuery {
  readonly action?: string;
  /** Id of a key or person. */
  readonly actor?: string;
  readonly environment_id?: string;
  /** A value of `target`, such as an id or a name. */
  readonly target?: string;
  readonly outcome?: "done" | "refused";
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Which reads of credentials are listed. */
export interface CredentialReadsQuery {
  readonly key_id?: string;
  readonly environment_id?: string;
  readonly connection_id?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface NewApiKey {
  readonly display_name: string;
  /** Default: everything in the environment, or account. */
  readonly scopes?: string[];
  /** ISO 8601; null or left out: the key does not expire. */
  readonly expires_at?: string | null;
}

export interface ApiKeyChange extends Partial<NewApiKey> {
  readonly key_id: string;
}

/** Where webhooks go and which are sent, without what the server adds. */
export type WebhookSettings = Omit<
  WebhookSettingsWithKeys,
  "signing_key" | "signing_keys" | "failing_receivers"
>;

export type WebhookDeliveryState = WebhookDelivery["state"];

export interface WebhookDeliveryFilter {
  readonly type?: WebhookType;
  readonly connection_id?: string;
  readonly url?: string;
}

export interface WebhookDeliveryQuery extends WebhookDeliveryFilter {
  readonly state?: WebhookDeliveryState;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface InboxQuery {
  readonly provider_config_key?: string;
  readonly state?: InboundWebhookState;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface OperationFilter {
  readonly states?: readonly string[];
  readonly levels?: readonly string[];
  /** `type` or `type:action`. */
  readonly types?: readonly string[];
  readonly integrations?: readonly string[];
  readonly connections?: readonly string[];
  readonly functions?: readonly string[];
  /** Ids of keys, users, sessions or runs, or types such as `key`. */
  readonly actors?: readonly string[];
  /** Such as `404` or `5xx`. */
  readonly status_codes?: readonly string[];
  readonly min_duration_ms?: number;
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface OperationNameQuery {
  readonly of: "integrations" | "connections" | "functions";
  /** In either case. */
  readonly prefix?: string;
  /** A day before `to` unless given. */
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

/** What is counted, and of which operations. */
export interface MetricFilter {
  /** `type` or `type:action`. */
  readonly types?: readonly string[];
  readonly integrations?: readonly string[];
  readonly functions?: readonly string[];
  readonly from?: string;
  readonly to?: string;
}

export interface HistogramQuery extends MetricFilter {
  readonly step?: "1m" | "5m" | "15m" | "1h" | "6h" | "1d";
}

export interface SeriesQuery extends HistogramQuery {
  readonly by?: "type" | "integration" | "function";
  readonly of: "operations" | "failures" | "duration_avg" | "duration_p50" | "duration_p95";
}

export interface TotalsQuery extends MetricFilter {
  readonly by?: "type" | "integration" | "function";
  readonly limit?: number;
}

export interface ProblemChange {
  /** ISO 8601; null ends it. */
  readonly mute_until?: string | null;
  readonly note?: string | null;
  /** Until it happens again. */
  readonly resolved?: boolean;
}

export interface MessageFilter {
  readonly levels?: readonly string[];
  readonly search?: string;
  readonly order?: "asc" | "desc";
  readonly limit?: number;
  readonly cursor?: string;
}
