/** Shapes that the API answers with; a test compares them with the contract. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Metadata = Record<string, unknown>;
export type Tags = Record<string, string>;

export interface Provider {
  name: string;
  display_name: string;
  /** The product; providers of one family are a choice of how to authorise. */
  family: string;
  family_name: string;
  /** Whether nobody has compared its facts with a second source. */
  unverified?: boolean | undefined;
  categories: string[];
  auth_mode: string;
  docs?: string | undefined;
  /** Where end users read how to get the credentials. */
  docs_connect?: string | undefined;
  logo_url: string;
  proxy?: Record<string, unknown> | undefined;
}

/** An entry in the schema of the catalogue. */
export type ProviderEntry = Record<string, unknown>;

export interface CustomProvider {
  slug: string;
  version: number;
  replaces_built_in: boolean;
  entry: ProviderEntry;
  created_at: string;
  updated_at: string;
}

/** What happens between a provider and a connection. */
export type ConnectStage =
  | "authorization"
  | "callback"
  | "token"
  | "after_connect"
  | "verification"
  | "refresh"
  | "revocation";

export interface StageCount {
  /** `YYYY-MM-DD` in UTC. */
  day: string;
  provider: string;
  stage: ConnectStage;
  succeeded: number;
  failed: number;
}

export interface ConnectionError {
  type: string;
  log_id: string;
  stage?: ConnectStage | undefined;
  /** The provider's answer: its status, and the start of its body without what may be secret. */
  upstream?: { status: number; body: string } | undefined;
}

export interface Integration {
  unique_key: string;
  provider: string;
  display_name: string;
  logo: string;
  forward_webhooks: boolean;
  created_at: string;
  updated_at: string;
  integration_config?: Record<string, string> | undefined;
  custom?: Record<string, string> | undefined;
  webhook_url?: string | null | undefined;
  credentials?: Record<string, unknown> | null | undefined;
}

export interface Connection {
  id: number;
  connection_id: string;
  provider_config_key: string;
  provider: string;
  errors: ConnectionError[];
  metadata: Metadata | null;
  tags: Tags;
  connection_config: Record<string, unknown>;
  created: string;
  created_at: string;
  updated_at: string;
  last_fetched_at: string | null;
  webhook_url_override: string | null;
  /** Only for keys that may read credentials. */
  credentials?: Record<string, unknown> | undefined;
}

export interface MetadataChange {
  connection_id: string | string[];
  provider_config_key: string;
  metadata: Metadata;
}

export interface ConnectSession {
  token: string;
  connect_link: string;
  expires_at: string;
}

export interface ConnectResult {
  connectionId: string;
  providerConfigKey: string;
  isPending: boolean;
}

export interface RecordMetadata {
  first_seen_at: string;
  last_modified_at: string;
  last_action: "ADDED" | "UPDATED" | "DELETED";
  deleted_at: string | null;
  pruned_at: string | null;
  cursor: string;
  /** Present when what is stored of the record cannot be read: it then has its `id` only. */
  damaged?: true | undefined;
}

/** A record of a model, with what the server knows of it. */
export type SyncedRecord<Model> = Model & { id: string; _svc_metadata: RecordMetadata };

export interface RecordPage<Model> {
  records: SyncedRecord<Model>[];
  next_cursor: string | null;
}

export interface SyncStatus {
  id: string;
  connection_id: string;
  name: string;
  variant: string;
  type: "INITIAL" | "INCREMENTAL";
  status: "RUNNING" | "PAUSED" | "STOPPED" | "SUCCESS" | "ERROR";
  frequency: string | null;
  finishedAt?: string | undefined;
  nextScheduledSyncAt: string | null;
  latestExecutionStatus: "RUNNING" | "SUCCESS" | "STOPPED" | null;
  latestResult: Record<string, { added: number; updated: number; deleted: number }>;
  recordCount: Record<string, number>;
  checkpoint: Record<string, unknown> | null;
  /** Slots in a row whose run failed, from the fifth on. */
  consecutive_failures?: number | undefined;
}

export interface SyncVariant {
  id: string;
  name: string;
  variant: string;
}

export interface AllowedDeletes {
  model: string;
  deletes: number;
}

export interface AsyncAction {
  id: string;
  statusUrl: string;
}

export interface EnvironmentVariable {
  name: string;
  value: string;
}

export type FunctionType = "action" | "sync" | "on-event";

export interface DeployedFunction {
  id: number;
  name: string;
  type: FunctionType;
  enabled: boolean;
  last_deployed: string;
  description?: string | undefined;
  scopes?: string[] | undefined;
  returns: string[];
}

export interface FunctionPage {
  data: DeployedFunction[];
  pagination: { total: number; page: number; limit: number };
}

/** The answer of a provider. */
export interface ProviderResponse<Data> {
  status: number;
  headers: Record<string, string>;
  data: Data;
}

export interface Success {
  success: boolean;
}
