import type { AgentApproval, Problem } from "../api-types/index.ts";
import type { Tags } from "../resources.ts";

/** Webhooks that the platform sends; `type` tells which. Later releases may add others: ignore what you do not know. */
export type WebhookEvent =
  | AuthWebhook
  | SyncWebhook
  | AsyncActionWebhook
  | ProblemWebhook
  | AgentApprovalWebhook
  | AgentToolChangedWebhook
  | CanaryWebhook
  | ForwardedWebhook
  | AuditWebhook;

interface ConnectionWebhook {
  from: "svc";
  connectionId: string;
  providerConfigKey: string;
  /** Grows with each webhook of the connection; absent where no connection was made. */
  sequence?: number | undefined;
}

export interface WebhookError {
  type: string;
  description: string;
}

interface AuthWebhookFields extends ConnectionWebhook {
  type: "auth";
  /** Made, authorized again, or lost while it was refreshed. */
  operation: "creation" | "override" | "refresh";
  provider: string;
  environment: string;
  authMode: string;
  tags?: Tags | undefined;
  /** For connections that were made through a session. */
  endUser?:
    | {
        endUserId: string;
        endUserEmail?: string | undefined;
        organizationId?: string | undefined;
        tags: Tags;
      }
    | undefined;
}

export type AuthWebhook = AuthWebhookFields &
  ({ success: true } | { success: false; error: WebhookError });

interface SyncWebhookFields extends ConnectionWebhook {
  type: "sync";
  syncName: string;
  /** `base` unless the sync runs as another variant. */
  syncVariant: string;
  /** One model; all of them, joined by commas, of a run that failed. */
  model: string;
  syncType: "INITIAL" | "INCREMENTAL" | "WEBHOOK";
  checkpoints?:
    | { from: Record<string, unknown> | null; to: Record<string, unknown> | null }
    | undefined;
}

export interface SyncSucceeded extends SyncWebhookFields {
  success: true;
  /** For `modifiedAfter` of listRecords: what this run has changed. */
  modifiedAfter: string;
  queryTimeStamp: string;
  responseResults: { added: number; updated: number; deleted: number; quarantined?: number };
}

export interface SyncFailed extends SyncWebhookFields {
  success: false;
  error: WebhookError & { payload?: unknown };
  startedAt: string;
  failedAt: string;
  /** From the fifth on. */
  consecutive_failures?: number | undefined;
}

export type SyncWebhook = SyncSucceeded | SyncFailed;

/** An action has ended, well or not; getAsyncActionResult has the outcome. */
export interface AsyncActionWebhook extends ConnectionWebhook {
  type: "async_action";
  payload: { id: string; statusUrl: string };
}

/** A problem of the environment has opened or ended (`on_problem` of the webhook settings). */
export interface ProblemWebhook {
  from: "svc";
  type: "problem";
  operation: "opened" | "resolved";
  problem: Problem;
}

/** A call of an agent waits for a person, or was decided about (`on_agent_approval` of the webhook settings). */
export interface AgentApprovalWebhook {
  from: "svc";
  type: "agent_approval";
  operation: "waiting" | "approved" | "denied";
  connectionId: string;
  providerConfigKey: string;
  approval: AgentApproval;
}

/**
 * Another MCP server has changed a tool that agents were allowed to call; it is gone for them until somebody accepts the
 * change (`on_agent_tool_changed` of the webhook settings). What it says is text of a stranger.
 */
export interface AgentToolChangedWebhook {
  from: "svc";
  type: "agent_tool_changed";
  operation: "changed";
  connectionId: string;
  providerConfigKey: string;
  tool: {
    name: string;
    server_url: string;
    allowed_digest: string;
    /** What `POST /agent/upstreams/{integration}/tools/{name}` takes to accept it. */
    digest: string;
    /** Place by place; values are JSON texts. */
    changes: { path: string; before: string | null; after: string | null }[];
  };
}

/** A canary has ended (`on_canary` of the webhook settings). */
export interface CanaryWebhook {
  from: "svc";
  type: "canary";
  operation: "promoted" | "rolled_back";
  canary: {
    id: string;
    chosen_connections: number;
    /** Why, for people. */
    reason: string;
    /** Whether it ended by itself, within its limits. */
    by_itself: boolean;
    started_at: string;
    ended_at: string;
    /** What the promotion made. */
    deployment_id: string | null;
  };
}

/** The end of the audit log's chain, to be kept; with `on_audit_seal`. */
export interface AuditWebhook {
  from: "svc";
  type: "audit";
  environment: string;
  sealId: number;
  /** In hexadecimal, as `jackfield audit verify --head` takes it. */
  seal: string;
  sealedAt: string;
}

/** What a provider sent; `from` is the provider. */
export interface ForwardedWebhook {
  from: string;
  type: "forward";
  providerConfigKey: string;
  /** Absent where the event belongs to no known connection. */
  connectionId?: string | undefined;
  payload: unknown;
  /** The bytes as received, in base64; with `settings.forward_raw` of the integration. */
  raw?: string | undefined;
  sequence?: number | undefined;
}
