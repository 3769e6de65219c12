import type {
  GetMetricSeriesQuery,
  GetMetricTotalsQuery,
  GetOperationHistogramQuery,
  GetRecordMetricsQuery,
  ListAuditEventsQuery,
  ListCredentialReadsQuery,
  ListInboxQuery,
  ListOperationMessagesQuery,
  ListOperationNamesQuery,
  ListOperationsQuery,
  ListWebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookSettingsWithKeys,
} from "./api-types/index.ts";

/** What lists of the environment are filtered by, and parts of what it is set to. */

export type AuditQuery = ListAuditEventsQuery;

/** Which reads of credentials are listed. */
export type CredentialReadsQuery = ListCredentialReadsQuery;

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

export type WebhookDeliveryFilter = Pick<
  ListWebhookDeliveriesQuery,
  "type" | "connection_id" | "url"
>;

export type WebhookDeliveryQuery = ListWebhookDeliveriesQuery;

export type InboxQuery = ListInboxQuery;

export type OperationFilter = ListOperationsQuery;

export type OperationNameQuery = ListOperationNamesQuery;

/** What is counted, and of which operations. */
export type MetricFilter = Omit<GetOperationHistogramQuery, "step">;

export type HistogramQuery = GetOperationHistogramQuery;

export type SeriesQuery = GetMetricSeriesQuery;

export type TotalsQuery = GetMetricTotalsQuery;

export type RecordMetricsQuery = GetRecordMetricsQuery;

export interface ProblemChange {
  /** ISO 8601; null ends it. */
  readonly mute_until?: string | null;
  readonly note?: string | null;
  /** Until it happens again. */
  readonly resolved?: boolean;
}

export type MessageFilter = ListOperationMessagesQuery;
