import type { routePaths } from "../../../packages/dashboard/src/data/route-paths.ts";

export type RouteName = keyof typeof routePaths;

/** The command that does what a route does, where the command line has one. */
export const commandsOfRoutes: Readonly<Partial<Record<RouteName, string>>> = {
  listConnections: "connections",
  listConnectLinks: "links",
  createConnectLink: "links create",
  createReconnectLinks: "links reconnect",
  revokeConnectLink: "links revoke",
  listRateLimits: "rate-limits",
  startRevocation: "revoke",
  listRevocations: "revoke",
  getRevocation: "revoke report",
  listToolsets: "toolsets list",
  getToolset: "toolsets show",
  putToolset: "toolsets save",
  deleteToolset: "toolsets delete",
  createAgentSession: "mcp add",
  getUpstream: "mcp tools",
  listOperations: "logs",
  getOperation: "logs",
  pruneRecords: "records prune",
  listRecordDestinations: "destinations list",
  restartRecordDestination: "destinations restart",
  deleteRecordDestination: "destinations delete",
  getSqlAccess: "sql-access show",
  deleteSqlAccess: "sql-access revoke",
  listApiKeys: "keys list",
  listAccountApiKeys: "keys list",
  deleteApiKey: "keys delete",
  deleteAccountApiKey: "keys delete",
  replaceApiKeys: "keys replace",
  replaceAccountApiKeys: "keys replace",
  listUsers: "users list",
  listIntegrations: "integrations list",
  createIntegration: "integrations create",
  getIntegration: "integrations funnel",
  getApiDocument: "integrations openapi",
  deleteApiDocument: "integrations openapi",
  listAuditEvents: "audit verify",
  listPastDeployments: "rollback",
  rollBackDeployment: "rollback",
  promoteCanary: "canary promote",
  rollBackCanary: "canary rollback",
  createDeployment: "deploy",
  getFunction: "pull",
  triggerAction: "trigger",
  triggerSyncs: "trigger",
};

/** Commands for which the dashboard has no call: of a project, a machine or a server, or of what only a command does. */
export const commandsWithoutRoute: readonly string[] = [
  ...["init", "create", "rename", "rm", "compile", "dev", "dryrun", "test", "replay", "skills"],
  ...["generate actions", "generate go-client", "generate docs", "generate tests"],
  ...["providers lint", "providers test", "simulate", "doctor", "version", "start"],
  ...["setup-link", "open", "backup", "restore", "resume", "quarantine", "move", "move logs"],
  ...["migrate", "migrate nango", "migrate hand-over", "migrate hand-back", "migrate status"],
  ...["migrate functions", "vault rotate", "vault verify", "mcp manage"],
  ...["webhooks listen", "webhooks send-test", "revoke verify", "revoke rotate-key"],
  ...["users reset", "users grant", "users disable", "keys create"],
];

/** Commands for calls that no screen shows as code. */
export const commandsWithoutCode: readonly string[] = [
  ...["canary show", "egress", "tools", "mcp servers", "mcp allow", "mcp accept", "mcp refuse"],
  ...["records feed", "records history", "records quarantine", "records drift"],
  ...["destinations create", "destinations pause", "destinations resume"],
  ...["sql-access create", "sql-access rotate"],
  ...["tape on", "tape off", "tape list", "tape show"],
  ...["webhooks integrations", "webhooks arrivals", "webhooks missed"],
];
