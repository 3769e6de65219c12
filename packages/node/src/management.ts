import type { FunctionType } from "./resources.ts";

/** Shapes of what an environment is set to, of functions sent as source, and of logs; a test compares them with the contract. */

export interface ApiKey {
  id: string;
  display_name: string;
  scopes: string[];
  created_at: string;
}

export interface Environment {
  id: string;
  name: string;
  is_production: boolean;
  created_at: string;
}

export interface NewEnvironment {
  readonly name: string;
  readonly is_production?: boolean;
  readonly callback_url?: string;
}

/** With its first key, when the caller may make keys. */
export interface CreatedEnvironment extends Environment {
  api_key?: { id: string; display_name: string; secret: string } | undefined;
}

export type ValidationMode = "off" | "warn" | "fail";

export interface EnvironmentSettings {
  async_action_limit: number;
  callback_url: string;
  connect_allowed_origins: string[];
  validation: {
    input: ValidationMode;
    output: ValidationMode;
    records: ValidationMode;
    metadata: ValidationMode;
    checkpoint: ValidationMode;
  };
  connect_ui: {
    theme: { light: { primary: string }; dark: { primary: string } };
    default_theme: "light" | "dark" | "system";
    show_watermark: boolean;
  };
  retention: {
    records_prune_days: number | null;
    records_delete_days: number | null;
    webhooks_days: number;
  };
  /** A run that would delete more than this share of a model's records stops and asks. */
  delete_guard: { share: number | null; syncs: Record<string, number | null> };
}

type Flat = "async_action_limit" | "callback_url" | "connect_allowed_origins";
type ConnectUi = EnvironmentSettings["connect_ui"];

/** Any part; what is left out stays. */
export interface EnvironmentSettingsChange extends Partial<Pick<EnvironmentSettings, Flat>> {
  readonly validation?: Partial<EnvironmentSettings["validation"]>;
  readonly connect_ui?: Partial<Omit<ConnectUi, "theme">> & { theme?: Partial<ConnectUi["theme"]> };
  readonly retention?: Partial<EnvironmentSettings["retention"]>;
  readonly delete_guard?: Partial<EnvironmentSettings["delete_guard"]>;
}

export interface WebhookSettings {
  primary_url: string;
  secondary_url: string;
  on_sync_completion_always: boolean;
  on_auth_creation: boolean;
  on_auth_refresh_error: boolean;
  on_sync_error: boolean;
  on_async_action_completion: boolean;
  on_webhook_sync_completion: boolean;
  forward: boolean;
}

export interface FailingReceiver {
  url: string;
  failing_since: string;
  /** From here on its webhooks are held; null while they are still sent. */
  disabled_at: string | null;
  message: string;
}

export interface WebhookSettingsWithKeys extends WebhookSettings {
  failing_receivers: FailingReceiver[];
  /** The newest. */
  signing_key: string;
  /** Those that sign now, newest first. */
  signing_keys: { key: string; created_at: string; expires_at: string | null }[];
}

/** `signing_key` and `signing_keys` only for keys with environment:webhooks:read. */
export type ChangedWebhookSettings = Omit<
  WebhookSettingsWithKeys,
  "signing_key" | "signing_keys"
> & {
  [Name in "signing_key" | "signing_keys"]?: WebhookSettingsWithKeys[Name] | undefined;
};

export type WebhookType = "auth" | "sync" | "async_action" | "forward";
export type WebhookDeliveryState = "waiting" | "held" | "delivered" | "failed";

/** A webhook that was sent or waits to be; `held` waits for its receiver to be enabled. */
export interface WebhookDelivery {
  id: string;
  /** What the receiver sees as `webhook-id`. */
  webhook_id: string;
  type: WebhookType;
  url: string;
  state: WebhookDeliveryState;
  connection_id: string | null;
  provider_config_key: string | null;
  operation_id: string | null;
  attempt_count: number;
  last_status: number | null;
  last_error: string | null;
  next_attempt_at: string | null;
  created_at: string;
  ended_at: string | null;
}

export interface WebhookDeliveryWithAttempts extends WebhookDelivery {
  /** The bytes that are sent. */
  body: string;
  attempts: {
    status: number | null;
    error: string | null;
    /** The first KB of what the receiver answered. */
    answer: string | null;
    duration_ms: number;
    created_at: string;
  }[];
}

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

/** A webhook that a provider has sent. */
export interface InboundWebhook {
  id: string;
  provider_config_key: string | null;
  received_at: string;
  /** `signature`: proven to be the provider's; `none`: taken without proof. */
  verified: "signature" | "none";
  state: InboundWebhookState;
  types: string[];
  /** Of the body, in bytes. */
  size: number;
  attempts: number;
  error: string | null;
  handled_at: string | null;
  operation_id: string | null;
}

export type InboundWebhookState = "waiting" | "handled" | "duplicate" | "failed";

/** Credentials among the headers are left out. */
export interface InboundWebhookWithHeaders extends InboundWebhook {
  method: string;
  url: string;
  headers: Record<string, string>;
}

export interface InboxQuery {
  readonly provider_config_key?: string;
  readonly state?: InboundWebhookState;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Those that failed, unless another state is named. */
export interface WebhookReplay extends WebhookDeliveryFilter {
  readonly since: string;
  readonly until?: string;
  readonly state?: "failed" | "delivered" | "any";
}

/** A replay of many: `replayed` counts those that were queued again so far, and in all once it is `done`. */
export interface WebhookReplayProgress {
  id: string;
  state: "running" | "done";
  replayed: number;
  started_at: string;
  ended_at: string | null;
}

export interface CompiledFunction {
  bundle_size_bytes: number;
  bundled_js: string;
  compiled_at: string;
}

export type JobStatus = "waiting" | "running" | "success" | "failed";

export interface StartedDryRun {
  id: string;
  created_at: string;
}

export interface StartedJob extends StartedDryRun {
  status: JobStatus;
}

interface Job extends StartedJob {
  integration_id: string;
  updated_at: string;
  started_at?: string | undefined;
  completed_at?: string | undefined;
  duration_ms?: number | undefined;
  output?: string | undefined;
  error?: { code: string; message: string; payload?: unknown } | undefined;
}

export interface DryRun extends Job {
  /** How it is run; an on-event function like an action. */
  function_type: "action" | "sync";
  /** What the source creates. */
  source_type: FunctionType;
  result?: unknown;
}

export interface Deployment extends Job {
  function_name: string;
  function_type: FunctionType;
  deployed?: boolean | undefined;
  deployed_functions?: { name: string; version: string }[] | undefined;
}

export interface NewDryRun {
  readonly integration_id: string;
  readonly connection_id: string;
  readonly code: string;
  readonly function_type?: FunctionType;
  readonly input?: unknown;
  readonly metadata?: Record<string, unknown>;
  readonly checkpoint?: Record<string, string | number | boolean>;
  readonly last_sync_date?: string;
}

export interface NewDeployment {
  readonly type: "function";
  readonly integration_id: string;
  readonly function_name: string;
  readonly function_type: FunctionType;
  readonly code: string;
  readonly version?: string;
  readonly allow_destructive?: boolean;
}

export interface OperationFilter {
  readonly states?: readonly string[];
  readonly levels?: readonly string[];
  /** `type` or `type:action`. */
  readonly types?: readonly string[];
  readonly integrations?: readonly string[];
  readonly connections?: readonly string[];
  readonly functions?: readonly string[];
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

export interface Operation {
  id: string;
  operation: { type: string; action: string };
  state: string;
  level: string;
  message: string;
  error: Record<string, unknown> | null;
  meta: Record<string, unknown> | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
}

export interface OperationMessage {
  id: string;
  level: string;
  type: "log" | "http";
  message: string;
  error: Record<string, unknown> | null;
  meta: Record<string, unknown> | null;
  created_at: string;
}

export interface MessageFilter {
  readonly levels?: readonly string[];
  readonly search?: string;
  readonly order?: "asc" | "desc";
  readonly limit?: number;
  readonly cursor?: string;
}
