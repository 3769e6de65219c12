import type { Actor } from "./actor/index.ts";
import type { Clock } from "./clock.ts";
import { type AtCommit, type Db, ownDb } from "./db/index.ts";
import type { Egress } from "./egress/index.ts";
import type { Failpoints } from "./failpoints.ts";
import type { Hooks } from "./hooks.ts";
import type { EnvironmentId } from "./ids.ts";
import type { Span } from "./instruments/index.ts";
import type { Keys } from "./keys.ts";
import type { Logger } from "./logger/index.ts";
import type { Notices } from "./notices.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Sandbox } from "./sandbox/index.ts";
import type { ServerStates } from "./server-state.ts";

export interface Environment {
  readonly id: EnvironmentId;
  readonly name: string;
  readonly accountId: string;
}

/** What a verb may use when it belongs to no environment: account routes, callbacks, sweepers. */
export interface SystemContext {
  readonly actor: Actor;
  readonly clock: Clock;
  readonly db: Db;
  readonly log: Logger;
  readonly http: Egress;
  readonly keys: Keys;
  readonly hooks: Hooks<EnvironmentContext>;
  readonly notices: Notices;
  readonly failpoints: Failpoints;
  readonly sandbox: Sandbox;
  readonly settings: Settings;
  /** What this server keeps in memory for itself; reached through `serverState`. */
  readonly state: ServerStates;
  /** The work that this is part of; what it does below begins as its children. */
  readonly trace: Span;
  /**
   * For what may run once only: notes that it is about to change something outside, before it does. Rejects when
   * the note cannot be made; then nothing may leave.
   */
  readonly noteEffect?: () => Promise<void>;
  /** What its first transaction writes besides. */
  readonly atCommit?: AtCommit;
  /** Where a call came from; undefined for work of the server's own. */
  readonly origin?: {
    readonly address: string;
    readonly userAgent: string | undefined;
    readonly requestId: string | undefined;
  };
  /** Aborted when the caller has gone or the server stops. */
  readonly signal: AbortSignal;
}

/** What a verb may use within one environment. */
export interface EnvironmentContext extends SystemContext {
  readonly environment: Environment;
}

/** What a call to another MCP server may take. */
export interface McpLimits {
  /** The whole call, with all that it takes to reach the server. */
  readonly callMs: number;
  /** How long the answer may be silent. */
  readonly idleMs: number;
  /** All answers of a call together. */
  readonly answerBytes: number;
}

/** Settings of the installation that verbs need. */
export interface Settings {
  /** Public address without a trailing slash. */
  readonly serverUrl: string;
  readonly connectUrl: string;
  /** Whether the dashboard is served. */
  readonly dashboard: boolean;
  /** Address of the dashboard without a trailing slash; people sign in on its origin. */
  readonly dashboardUrl: string;
  /** Whether owners keep their own ways to sign in where all others have to use the identity provider. */
  readonly ownersSignInLocally: boolean;
  /** Origins of pages that may call tools besides the server's own. */
  readonly mcpAllowedOrigins: readonly string[];
  /** Whether owners of the first account may make others. */
  readonly severalAccounts: boolean;
  /** Who becomes the first owner by signing in with the identity provider; undefined: by the setup link. */
  readonly ownerEmail: string | undefined;
  readonly bodyLimitBytes: number;
  /** Calls of an account in a minute, by key and by session; 0: no limit. */
  readonly rateLimitPerMinute: number;
  readonly proxyReplayLimitBytes: number;
  /** Of calls to other MCP servers whose tools an integration has. */
  readonly mcpLimits: McpLimits;
  /** A call of a client that knows tasks becomes one if it takes longer. */
  readonly mcpTaskAfterMs: number;
  /** Share of the successful calls to providers that are logged. */
  readonly proxyLogSample: number;
  /** Connections of the whole installation; undefined: no limit. */
  readonly maxConnections: number | undefined;
  /** Metadata of a connection, in bytes of JSON; its configuration, too. */
  readonly metadataLimitBytes: number;
  /** Stands for `svc` in a further spelling of names on the wire (SVC_COMPAT_PREFIX). */
  readonly compatPrefix: string | undefined;
  /** Whether records that are saved are encrypted, or JSON that SQL can read. */
  readonly recordStorage: "sealed" | "plain";
  /** Where environments reach the database with logins of their own (no user or password); undefined: they have none. */
  readonly sqlAccess: { readonly url: string } | undefined;
  /** While it lasts no token is renewed and no work is taken from a queue or a schedule. */
  readonly quarantine: Quarantine;
  /** Folder for token answers that are not yet in the database. */
  readonly spoolDir: string;
  /** Refresh tokens are used at least this often. */
  readonly refreshIdleMs: number;
  /** How long a caller without a usable token waits for a renewal, which itself continues. */
  readonly refreshPatienceMs: number;
  /** Operations and their messages are kept so long. */
  readonly logRetentionMs: number;
  /** What the audit log holds is kept so long. */
  readonly auditRetentionMs: number;
  /** Lines of one operation, and bytes of an environment and day, past which the log leaves out more. */
  readonly logRunLines: number;
  readonly logDayBytes: number;
  /** Input and output of an action, in bytes of JSON. */
  readonly actionValueLimitBytes: number;
  readonly functionTimeouts: FunctionTimeouts;
  /** How many syncs one process runs at once. */
  readonly runSlots: number;
  /** Of all slots of a kind, how many one environment may hold at once; 1: all. */
  readonly environmentShare: number;
  /** Calls to providers that one process passes through at once. */
  readonly proxyCalls: number;
  /** Webhooks of providers that an integration takes in a minute, unless it says otherwise; 0: no limit. */
  readonly webhookLimitPerMinute: number;
  /** Those of all integrations of an environment together; 0: no limit. */
  readonly webhookEnvironmentLimitPerMinute: number;
  /** Bytes that an environment's inbox may keep; 0: no limit. */
  readonly webhookStorageBytes: number;
  /** How long the outcome of an asynchronous action is kept. */
  readonly actionResultMs: number;
  /** Whether calls to providers carry the `traceparent` of the work that makes them. */
  readonly traceProviders: boolean;
}

/** How long a run of each kind may take, in milliseconds. */
export interface FunctionTimeouts {
  readonly action: number;
  readonly sync: number;
  readonly webhook: number;
  readonly "on-event": number;
}

/** Runs what deletes rows, and notes how many in the same transaction; resolves to that. */
export type Counted = (
  ctx: EnvironmentContext,
  erase: (ctx: EnvironmentContext) => Promise<number>,
) => Promise<number>;

export function withEnvironment(
  ctx: SystemContext,
  environment: Environment,
  actor: Actor = ctx.actor,
): EnvironmentContext {
  return { ...ctx, db: ownDb(ctx.db, environment.id), environment, actor };
}
