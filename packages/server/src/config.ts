import { functionLimits } from "@jackfield/contract/function-limits";
import { distance } from "fastest-levenshtein";
import * as z from "zod";
import {
  DAY,
  type FunctionTimeouts,
  type LogLevel,
  type McpLimits,
  messageOf,
  SECOND,
  Secret,
} from "#foundation";
import type { TelemetrySettings } from "#foundation/telemetry";
import {
  callerSettings,
  commaList,
  type DatabaseConfig,
  databaseSettings,
  findDatabaseFaults,
  isEncryptionKey,
  isRangeOrHost,
  MEBIBYTE,
  mcpSettings,
  megabytes,
  port,
  readDatabases,
  seconds,
  secretText,
  userIdRange,
  warnOfDumps,
  webAddress,
  webhooks,
} from "./config-values.ts";
import { logSettings } from "./log-settings.ts";
import {
  findDashboardFaults,
  findSharedHosts,
  mayPlayProvider,
  peopleSettings,
  readDashboard,
  toServerUrl,
} from "./people-settings.ts";
import { readAuthorities } from "./read-authorities.ts";
import {
  findSqlAccessFaults,
  type RecordConfig,
  readRecordSettings,
  recordSettings,
} from "./record-settings.ts";
import { readTelemetry, telemetrySettings } from "./telemetry-settings.ts";

/** Settings of the installation, read once at start and checked together. */
export interface Config extends DatabaseConfig, RecordConfig {
  readonly dataDir: string;
  readonly encryptionKey: Secret<string> | undefined;
  readonly encryptionKeyPrevious: readonly Secret<string>[];
  /** What backups are encrypted with and opened by. */
  readonly backupPassphrase: Secret<string> | undefined;
  readonly bootstrapKey: Secret<string> | undefined;
  readonly host: string;
  readonly port: number;
  readonly serverUrl: string | undefined;
  /** Where the hosted page is reached; below the server's own address unless set. */
  readonly connectUrl: string | undefined;
  /** Whether this process serves the dashboard. */
  readonly dashboard: boolean;
  /** The only port to which people come, next to that of programs; undefined: they share one. */
  readonly dashboardPort: number | undefined;
  /** Whether first steps may go against a provider that is simulated on this machine. */
  readonly simulator: boolean;
  /** Where the dashboard is reached, on whose origin people sign in; below the server's own address unless set. */
  readonly dashboardUrl: string | undefined;
  /** Whether owners keep their own ways to sign in where all others have to use the identity provider. */
  readonly ownersSignInLocally: boolean;
  /** Whether owners of the first account may make others. */
  readonly severalAccounts: boolean;
  /** Who becomes the first owner by single sign-on; undefined: by the setup link. */
  readonly ownerEmail: string | undefined;
  readonly roles: readonly Role[];
  /** Processes that share the port; with 1 there is no other process. */
  readonly apiProcesses: number;
  /** The host under which browsers reach providers, and nothing else; undefined: that of everything. */
  readonly proxyHost: string | undefined;
  readonly mcpAllowedOrigins: readonly string[];
  /** Addresses whose `X-Forwarded-For` says who calls. */
  readonly trustedProxies: readonly string[];
  readonly egressAllow: readonly string[];
  /** Certificates in PEM that outbound connections trust besides the usual ones. */
  readonly egressAuthorities: readonly string[];
  /** Folder of provider files next to the built-in ones. */
  readonly providersDir: string | undefined;
  readonly bodyLimitBytes: number;
  readonly proxyReplayLimitBytes: number;
  readonly mcpLimits: McpLimits;
  readonly mcpTaskAfterMs: number;
  /** How long a provider may take to begin its answer, and how long it may be silent within it. */
  readonly upstreamHeadersTimeoutMs: number;
  readonly upstreamIdleTimeoutMs: number;
  /** Share of the successful calls to providers that are logged; failures always are. */
  readonly proxyLogSample: number;
  readonly maxConnections: number | undefined;
  /** Metadata of a connection, in bytes of JSON; its configuration, too. */
  readonly metadataLimitBytes: number;
  /** Calls of an account in a minute; 0 for no limit. */
  readonly rateLimitPerMinute: number;
  readonly compatPrefix: string | undefined;
  /** Refresh tokens of unused connections are used at least this often. */
  readonly refreshIdleMs: number;
  /** Operations and their messages are kept so long, in whole days. */
  readonly logRetentionMs: number;
  readonly auditRetentionMs: number;
  /** Lines of one operation that are logged. */
  readonly logRunLines: number;
  /** Bytes that an environment logs in a day: of messages, and as many of operations. */
  readonly logDayBytes: number;
  readonly logLevel: LogLevel;
  /** Whether each request leaves a line in the operator's log. */
  readonly logRequests: boolean;
  readonly functionSandbox: "auto" | "strict";
  /** As root: whose processes functions are. */
  readonly functionUserIds: { readonly first: number; readonly count: number } | undefined;
  readonly functionMemoryMb: number;
  readonly functionHeapMb: number;
  readonly actionValueLimitBytes: number;
  readonly functionTimeouts: FunctionTimeouts;
  /** How many syncs one process runs at once. */
  readonly runSlots: number;
  /** Of all slots of a kind, how many one environment may hold at once; 1: all. */
  readonly environmentShare: number;
  /** Calls to providers that one process passes through at once. */
  readonly proxyCalls: number;
  /** Webhooks that an integration, and an environment, takes in a minute; 0 for no limit. */
  readonly webhookLimitPerMinute: number;
  readonly webhookEnvironmentLimitPerMinute: number;
  /** What an environment's inbox may keep; 0 for no limit. */
  readonly webhookStorageBytes: number;
  /** How long the outcome of an asynchronous action is kept. */
  readonly actionResultMs: number;
  /** A worker that is silent for so long has died; what it ran continues elsewhere. */
  readonly workerTimeoutMs: number;
  /** After SIGTERM it serves on so long, until balancers have seen that it is not ready. */
  readonly drainMs: number;
  /** What is still being answered or run after that may take so long; then the process ends. */
  readonly stopMs: number;
  readonly telemetry: TelemetrySettings;
}

export type Role = "api" | "worker";
const settings = {
  SVC_DATA_DIR: z.string().min(1).default(".jackfield"),
  ...databaseSettings,
  SVC_ENCRYPTION_KEY: z
    .string()
    .refine(isEncryptionKey, "is not 32 bytes in base64 (make one with: openssl rand -base64 32)")
    .transform((text) => new Secret(text))
    .optional(),
  SVC_ENCRYPTION_KEY_PREVIOUS: commaList
    .refine((items) => items.every(isEncryptionKey), "has an item that is not 32 bytes in base64")
    .transform((items) => items.map((item) => new Secret(item))),
  SVC_BACKUP_PASSPHRASE: secretText.optional(),
  SVC_BOOTSTRAP_KEY: secretText.optional(),
  SVC_HOST: z.string().min(1).default("127.0.0.1"),
  SVC_PORT: port.default(3003),
  SVC_SERVER_URL: webAddress.optional(),
  SVC_CONNECT_URL: webAddress.optional(),
  SVC_ROLES: z
    .string()
    .default("api,worker")
    .transform((text) => text.split(",").map((role) => role.trim()))
    .pipe(
      z.array(z.enum(["api", "worker"], { error: "is not a list of `api` and `worker`" })).min(1),
    ),
  SVC_API_PROCESSES: z
    .string()
    .regex(/^[1-9]\d?$/, "is not a number of processes from 1 to 99")
    .transform(Number)
    .default(1),
  SVC_EGRESS_ALLOW: commaList.pipe(
    z.array(z.string().refine(isRangeOrHost, "has an item that is no CIDR range, address or host")),
  ),
  SVC_EGRESS_CA_FILE: z
    .string()
    .transform((path, context) => {
      try {
        return readAuthorities(path);
      } catch (error) {
        context.addIssue(messageOf(error));
        return z.NEVER;
      }
    })
    .optional(),
  SVC_PROVIDERS_DIR: z.string().min(1).optional(),
  SVC_BODY_LIMIT: megabytes(75 * MEBIBYTE),
  SVC_PROXY_REPLAY_LIMIT: megabytes(MEBIBYTE),
  ...mcpSettings,
  SVC_UPSTREAM_HEADERS_TIMEOUT: seconds(300),
  SVC_UPSTREAM_IDLE_TIMEOUT: seconds(300),
  SVC_MAX_CONNECTIONS: z
    .string()
    .regex(/^\d{1,9}$/, "is not a whole number")
    .transform(Number)
    .optional(),
  SVC_METADATA_LIMIT: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, "is not a whole number of kilobytes from 1 to 1024")
    .transform(Number)
    .pipe(z.number().max(1024, "is not a whole number of kilobytes from 1 to 1024"))
    .transform((kibibytes) => kibibytes * 1024)
    .default(64 * 1024),
  ...recordSettings,
  SVC_REFRESH_IDLE_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, "is not a number of days from 1 to 999")
    .transform((text) => Number(text) * DAY)
    .default(DAY),
  SVC_FUNCTION_SANDBOX: z.enum(["auto", "strict"]).default("auto"),
  SVC_FUNCTION_UIDS: userIdRange.optional(),
  SVC_FUNCTION_MEMORY: z
    .string()
    .regex(/^\d{2,6}$/, "is not a whole number of megabytes")
    .transform(Number)
    .default(2048),
  SVC_FUNCTION_HEAP: z
    .string()
    .regex(/^\d{2,5}$/, "is not a whole number of megabytes")
    .transform(Number)
    .pipe(z.number().min(32, "is less than 32 megabytes"))
    .default(functionLimits.heapBytes.value / MEBIBYTE),
  SVC_ACTION_VALUE_LIMIT: z
    .string()
    .regex(/^\d{1,2}$/, "is not a whole number of megabytes from 1 to 99")
    .transform((text) => Number(text) * MEBIBYTE)
    .pipe(z.number().min(MEBIBYTE, "is not a whole number of megabytes from 1 to 99"))
    .default(functionLimits.actionOutputBytes.value),
  SVC_ACTION_TIMEOUT: seconds(functionLimits.actionTimeoutMs.value / SECOND),
  SVC_SYNC_TIMEOUT: seconds(functionLimits.syncTimeoutMs.value / SECOND),
  SVC_WEBHOOK_TIMEOUT: seconds(functionLimits.webhookTimeoutMs.value / SECOND),
  SVC_ON_EVENT_TIMEOUT: seconds(functionLimits.onEventTimeoutMs.value / SECOND),
  SVC_RUN_PLACES: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, "is not a number of runs from 1 to 999")
    .transform(Number)
    .default(20),
  SVC_ENVIRONMENT_SHARE: z
    .string()
    .regex(/^(1(\.0+)?|0?\.\d+)$/, "is not a number over 0 and up to 1")
    .transform(Number)
    .pipe(z.number().gt(0, "is not a number over 0 and up to 1").max(1))
    .default(0.8),
  SVC_PROXY_CALLS: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, "is not a number of calls from 1 to 999999")
    .transform(Number)
    .default(4096),
  SVC_WEBHOOK_LIMIT_PER_MIN: webhooks(12_000),
  SVC_WEBHOOK_ENVIRONMENT_LIMIT_PER_MIN: webhooks(30_000),
  SVC_WEBHOOK_STORAGE: megabytes(4096 * MEBIBYTE),
  SVC_WORKER_TIMEOUT: seconds(20),
  SVC_DRAIN_SECONDS: z
    .string()
    .regex(/^\d{1,3}$/, "is not a whole number of seconds from 0 to 999")
    .transform((text) => Number(text) * SECOND)
    .default(5 * SECOND),
  SVC_STOP_SECONDS: seconds(25),
  SVC_ACTION_RESULT_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, "is not a number of days from 1 to 999")
    .transform((text) => Number(text) * DAY)
    .default(7 * DAY),
  ...logSettings,
  ...callerSettings,
  ...peopleSettings,
  ...telemetrySettings,
} as const;

export interface ConfigReading {
  readonly config: Config | undefined;
  /** Why there is no config: one line for each setting at fault. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;
/** Reads every setting and tells of all problems at once. */
export function readConfig(env: Environment = process.env): ConfigReading {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name.startsWith("SVC_") && value !== ""),
  );
  const parsed = z.object(settings).safeParse(given);
  const warnings = [
    ...Object.keys(given).flatMap(warnOfUnknownName),
    ...warnOfDumps(env["NODE_OPTIONS"] ?? ""),
  ];
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${String(issue.path[0])} ${issue.message}`,
    );
    return { config: undefined, problems, warnings };
  }
  const values = parsed.data;
  const telemetry = readTelemetry(values, env);
  warnings.push(...telemetry.warnings);
  const serverUrl = values.SVC_SERVER_URL ?? toServerUrl(values.SVC_HOST, values.SVC_PORT);
  const others = [values.SVC_CONNECT_URL, values.SVC_DASHBOARD_URL];
  const shared = findSharedHosts(values.SVC_PROXY_HOST, { serverUrl, others });
  const together = [
    ...telemetry.problems,
    ...shared,
    ...findDatabaseFaults(values),
    ...findSqlAccessFaults(values),
    ...findDashboardFaults(values),
  ];
  if (together.length > 0) return { config: undefined, problems: together, warnings };
  const config: Config = {
    dataDir: values.SVC_DATA_DIR,
    ...readDatabases(values, values.SVC_API_PROCESSES),
    encryptionKey: values.SVC_ENCRYPTION_KEY,
    encryptionKeyPrevious: values.SVC_ENCRYPTION_KEY_PREVIOUS,
    backupPassphrase: values.SVC_BACKUP_PASSPHRASE,
    bootstrapKey: values.SVC_BOOTSTRAP_KEY,
    host: values.SVC_HOST,
    port: values.SVC_PORT,
    serverUrl: values.SVC_SERVER_URL,
    connectUrl: values.SVC_CONNECT_URL,
    ...readDashboard(values),
    simulator: mayPlayProvider(values, serverUrl),
    severalAccounts: values.SVC_ACCOUNTS === "many",
    ownerEmail: values.SVC_OWNER_EMAIL,
    ownersSignInLocally: values.SVC_LOCAL_SIGN_IN === "owners",
    roles: [...new Set(values.SVC_ROLES)],
    apiProcesses: values.SVC_API_PROCESSES,
    proxyHost: values.SVC_PROXY_HOST,
    mcpAllowedOrigins: values.SVC_MCP_ALLOWED_ORIGINS,
    trustedProxies: values.SVC_TRUSTED_PROXIES,
    egressAllow: values.SVC_EGRESS_ALLOW,
    egressAuthorities: values.SVC_EGRESS_CA_FILE ?? [],
    providersDir: values.SVC_PROVIDERS_DIR,
    bodyLimitBytes: values.SVC_BODY_LIMIT,
    proxyReplayLimitBytes: values.SVC_PROXY_REPLAY_LIMIT,
    mcpLimits: {
      ...{ callMs: values.SVC_MCP_CALL_TIMEOUT, idleMs: values.SVC_MCP_IDLE_TIMEOUT },
      answerBytes: values.SVC_MCP_ANSWER_LIMIT,
    },
    mcpTaskAfterMs: values.SVC_MCP_TASK_AFTER,
    upstreamHeadersTimeoutMs: values.SVC_UPSTREAM_HEADERS_TIMEOUT,
    upstreamIdleTimeoutMs: values.SVC_UPSTREAM_IDLE_TIMEOUT,
    proxyLogSample: values.SVC_LOG_PROXY_SAMPLE,
    maxConnections: values.SVC_MAX_CONNECTIONS,
    metadataLimitBytes: values.SVC_METADATA_LIMIT,
    rateLimitPerMinute: values.SVC_RATE_LIMIT_PER_MIN,
    compatPrefix: values.SVC_COMPAT_PREFIX,
    ...readRecordSettings(values),
    refreshIdleMs: values.SVC_REFRESH_IDLE_DAYS,
    logRetentionMs: values.SVC_LOG_RETENTION_DAYS,
    auditRetentionMs: values.SVC_AUDIT_RETENTION_DAYS,
    logRunLines: values.SVC_LOG_RUN_LINES,
    logDayBytes: values.SVC_LOG_DAY_LIMIT,
    logLevel: values.SVC_LOG_LEVEL,
    logRequests: values.SVC_LOG_REQUESTS,
    functionSandbox: values.SVC_FUNCTION_SANDBOX,
    functionUserIds: values.SVC_FUNCTION_UIDS,
    functionMemoryMb: values.SVC_FUNCTION_MEMORY,
    functionHeapMb: values.SVC_FUNCTION_HEAP,
    actionValueLimitBytes: values.SVC_ACTION_VALUE_LIMIT,
    functionTimeouts: {
      action: values.SVC_ACTION_TIMEOUT,
      sync: values.SVC_SYNC_TIMEOUT,
      webhook: values.SVC_WEBHOOK_TIMEOUT,
      "on-event": values.SVC_ON_EVENT_TIMEOUT,
    },
    runSlots: values.SVC_RUN_PLACES,
    environmentShare: values.SVC_ENVIRONMENT_SHARE,
    proxyCalls: values.SVC_PROXY_CALLS,
    webhookLimitPerMinute: values.SVC_WEBHOOK_LIMIT_PER_MIN,
    webhookEnvironmentLimitPerMinute: values.SVC_WEBHOOK_ENVIRONMENT_LIMIT_PER_MIN,
    webhookStorageBytes: values.SVC_WEBHOOK_STORAGE,
    workerTimeoutMs: values.SVC_WORKER_TIMEOUT,
    drainMs: values.SVC_DRAIN_SECONDS,
    stopMs: values.SVC_STOP_SECONDS,
    actionResultMs: values.SVC_ACTION_RESULT_DAYS,
    telemetry: telemetry.settings,
  };
  return { config, problems: [], warnings };
}

// Read by the CLI, or used in the examples of docs/, by a shell that the server may share.
const cliNames = /^SVC_(SECRET_KEY(_.+)?|ACCOUNT_KEY|HOSTPORT)$/;

function warnOfUnknownName(name: string): string[] {
  if (Object.hasOwn(settings, name) || cliNames.test(name)) return [];
  if (name === "SVC_LOGGER_LEVEL") {
    return [
      "SVC_LOGGER_LEVEL has no effect here: each environment has a level of its own, set with PUT /environment-variables/SVC_LOGGER_LEVEL",
    ];
  }
  const nearest = Object.keys(settings).toSorted(
    (a, b) => distance(name, a) - distance(name, b),
  )[0];
  return [`${name} is not a setting; the nearest is ${nearest}`];
}
