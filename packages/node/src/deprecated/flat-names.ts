import type { Namespaces } from "../namespaces.ts";

/** Methods of the client as they were named before its namespaces, and what each of them calls. */
export const flatNames = {
  /** @deprecated Use `connections.list`. */
  listConnections: "connections.list",
  /** @deprecated Use `connections.count`. */
  countConnections: "connections.count",
  /** @deprecated Use `connections.import`. */
  importConnection: "connections.import",
  /** @deprecated Use `connectSessions.create`. */
  createConnectSession: "connectSessions.create",
  /** @deprecated Use `connectSessions.createReconnect`. */
  createReconnectSession: "connectSessions.createReconnect",
  /** @deprecated Use `connectSessions.list`. */
  listConnectSessions: "connectSessions.list",
  /** @deprecated Use `connectSessions.end`. */
  endConnectSession: "connectSessions.end",
  /** @deprecated Use `connectSessions.wait`. */
  waitForConnection: "connectSessions.wait",
  /** @deprecated Use `connectLinks.create`. */
  createConnectLink: "connectLinks.create",
  /** @deprecated Use `connectLinks.list`. */
  listConnectLinks: "connectLinks.list",
  /** @deprecated Use `connectLinks.revoke`. */
  revokeConnectLink: "connectLinks.revoke",
  /** @deprecated Use `records.list`. */
  listRecords: "records.list",
  /** @deprecated Use `records.pages`. */
  recordPages: "records.pages",
  /** @deprecated Use `records.get`. */
  getRecord: "records.get",
  /** @deprecated Use `records.prune`. */
  pruneRecords: "records.prune",
  /** @deprecated Use `records.listModels`. */
  listRecordModels: "records.listModels",
  /** @deprecated Use `actions.getResult`. */
  getAsyncActionResult: "actions.getResult",
  /** @deprecated Use `syncs.list`. */
  listSyncs: "syncs.list",
  /** @deprecated Use `syncs.listRuns`. */
  listSyncRuns: "syncs.listRuns",
  /** @deprecated Use `syncs.cancelRun`. */
  cancelRun: "syncs.cancelRun",
  /** @deprecated Use `syncs.createVariant`. */
  createSyncVariant: "syncs.createVariant",
  /** @deprecated Use `syncs.deleteVariant`. */
  deleteSyncVariant: "syncs.deleteVariant",
  /** @deprecated Use `providers.list`. */
  listProviders: "providers.list",
  /** @deprecated Use `providers.get`. */
  getProvider: "providers.get",
  /** @deprecated Use `providers.validate`. */
  validateProvider: "providers.validate",
  /** @deprecated Use `providers.listStages`. */
  listProviderStages: "providers.listStages",
  /** @deprecated Use `customProviders.list`. */
  listCustomProviders: "customProviders.list",
  /** @deprecated Use `customProviders.get`. */
  getCustomProvider: "customProviders.get",
  /** @deprecated Use `customProviders.create`. */
  createCustomProvider: "customProviders.create",
  /** @deprecated Use `customProviders.update`. */
  updateCustomProvider: "customProviders.update",
  /** @deprecated Use `customProviders.delete`. */
  deleteCustomProvider: "customProviders.delete",
  /** @deprecated Use `integrations.list`. */
  listIntegrations: "integrations.list",
  /** @deprecated Use `integrations.get`. */
  getIntegration: "integrations.get",
  /** @deprecated Use `integrations.create`. */
  createIntegration: "integrations.create",
  /** @deprecated Use `integrations.update`. */
  updateIntegration: "integrations.update",
  /** @deprecated Use `integrations.delete`. */
  deleteIntegration: "integrations.delete",
  /** @deprecated Use `integrations.revealField`. */
  revealIntegrationField: "integrations.revealField",
  /** @deprecated Use `functions.listAll`. */
  listAllFunctions: "functions.listAll",
  /** @deprecated Use `functions.getScriptsConfig`. */
  getScriptsConfig: "functions.getScriptsConfig",
  /** @deprecated Use `functions.compile`. */
  compileFunction: "functions.compile",
  /** @deprecated Use `dryRuns.create`. */
  createDryRun: "dryRuns.create",
  /** @deprecated Use `dryRuns.get`. */
  getDryRun: "dryRuns.get",
  /** @deprecated Use `deployments.create`. */
  createDeployment: "deployments.create",
  /** @deprecated Use `deployments.get`. */
  getDeployment: "deployments.get",
  /** @deprecated Use `deployments.list`. */
  listDeployments: "deployments.list",
  /** @deprecated Use `deployments.listPast`. */
  listPastDeployments: "deployments.listPast",
  /** @deprecated Use `deployments.rollBack`. */
  rollBackDeployment: "deployments.rollBack",
  /** @deprecated Use `operations.list`. */
  listOperations: "operations.list",
  /** @deprecated Use `operations.get`. */
  getOperation: "operations.get",
  /** @deprecated Use `operations.listMessages`. */
  listOperationMessages: "operations.listMessages",
  /** @deprecated Use `operations.listNames`. */
  listOperationNames: "operations.listNames",
  /** @deprecated Use `operations.getHistogram`. */
  getOperationHistogram: "operations.getHistogram",
  /** @deprecated Use `metrics.getSeries`. */
  getMetricSeries: "metrics.getSeries",
  /** @deprecated Use `metrics.getTotals`. */
  getMetricTotals: "metrics.getTotals",
  /** @deprecated Use `problems.list`. */
  listProblems: "problems.list",
  /** @deprecated Use `problems.get`. */
  getProblem: "problems.get",
  /** @deprecated Use `problems.update`. */
  updateProblem: "problems.update",
  /** @deprecated Use `environments.list`. */
  listEnvironments: "environments.list",
  /** @deprecated Use `environments.create`. */
  createEnvironment: "environments.create",
  /** @deprecated Use `environments.update`. */
  updateEnvironment: "environments.update",
  /** @deprecated Use `environments.delete`. */
  deleteEnvironment: "environments.delete",
  /** @deprecated Use `environment.get`. */
  getEnvironment: "environment.get",
  /** @deprecated Use `environment.getSettings`. */
  getEnvironmentSettings: "environment.getSettings",
  /** @deprecated Use `environment.updateSettings`. */
  updateEnvironmentSettings: "environment.updateSettings",
  /** @deprecated Use `variables.list`. */
  getEnvironmentVariables: "variables.list",
  /** @deprecated Use `variables.set`. */
  setEnvironmentVariable: "variables.set",
  /** @deprecated Use `variables.delete`. */
  deleteEnvironmentVariable: "variables.delete",
  /** @deprecated Use `variables.reveal`. */
  revealEnvironmentVariable: "variables.reveal",
  /** @deprecated Use `apiKeys.list`. */
  listApiKeys: "apiKeys.list",
  /** @deprecated Use `apiKeys.create`. */
  createApiKey: "apiKeys.create",
  /** @deprecated Use `apiKeys.update`. */
  updateApiKey: "apiKeys.update",
  /** @deprecated Use `apiKeys.delete`. */
  deleteApiKey: "apiKeys.delete",
  /** @deprecated Use `accountApiKeys.list`. */
  listAccountApiKeys: "accountApiKeys.list",
  /** @deprecated Use `accountApiKeys.create`. */
  createAccountApiKey: "accountApiKeys.create",
  /** @deprecated Use `accountApiKeys.update`. */
  updateAccountApiKey: "accountApiKeys.update",
  /** @deprecated Use `accountApiKeys.delete`. */
  deleteAccountApiKey: "accountApiKeys.delete",
  /** @deprecated Use `audit.listEvents`. */
  listAuditEvents: "audit.listEvents",
  /** @deprecated Use `audit.exportEvents`. */
  exportAuditEvents: "audit.exportEvents",
  /** @deprecated Use `audit.listCredentialReads`. */
  listCredentialReads: "audit.listCredentialReads",
  /** @deprecated Use `audit.getHead`. */
  getAuditHead: "audit.getHead",
  /** @deprecated Use `webhookSettings.get`. */
  getWebhookSettings: "webhookSettings.get",
  /** @deprecated Use `webhookSettings.update`. */
  updateWebhookSettings: "webhookSettings.update",
  /** @deprecated Use `webhookSettings.rotateSigningKey`. */
  rotateWebhookSigningKey: "webhookSettings.rotateSigningKey",
  /** @deprecated Use `webhookSettings.revealSigningKeys`. */
  revealWebhookSigningKeys: "webhookSettings.revealSigningKeys",
  /** @deprecated Use `webhookDeliveries.list`. */
  listWebhookDeliveries: "webhookDeliveries.list",
  /** @deprecated Use `webhookDeliveries.get`. */
  getWebhookDelivery: "webhookDeliveries.get",
  /** @deprecated Use `webhookDeliveries.replay`. */
  replayWebhookDelivery: "webhookDeliveries.replay",
  /** @deprecated Use `webhookDeliveries.replayMany`. */
  replayWebhookDeliveries: "webhookDeliveries.replayMany",
  /** @deprecated Use `webhookDeliveries.getReplay`. */
  getWebhookReplay: "webhookDeliveries.getReplay",
  /** @deprecated Use `webhookReceivers.list`. */
  listWebhookReceivers: "webhookReceivers.list",
  /** @deprecated Use `webhookReceivers.test`. */
  testWebhookReceiver: "webhookReceivers.test",
  /** @deprecated Use `webhookReceivers.enable`. */
  enableWebhookReceiver: "webhookReceivers.enable",
  /** @deprecated Use `inbox.list`. */
  listInbox: "inbox.list",
  /** @deprecated Use `inbox.get`. */
  getInboundWebhook: "inbox.get",
  /** @deprecated Use `inbox.getBody`. */
  getInboundWebhookBody: "inbox.getBody",
  /** @deprecated Use `inbox.replay`. */
  replayInboundWebhook: "inbox.replay",
  /** @deprecated Use `inbox.replayMany`. */
  replayInboundWebhooks: "inbox.replayMany",
  /** @deprecated Use `agentSessions.create`. */
  createAgentSession: "agentSessions.create",
  /** @deprecated Use `agentSessions.list`. */
  listAgentSessions: "agentSessions.list",
  /** @deprecated Use `agentSessions.get`. */
  getAgentSession: "agentSessions.get",
  /** @deprecated Use `agentSessions.end`. */
  endAgentSession: "agentSessions.end",
  /** @deprecated Use `toolsets.list`. */
  listToolsets: "toolsets.list",
  /** @deprecated Use `toolsets.get`. */
  getToolset: "toolsets.get",
  /** @deprecated Use `toolsets.put`. */
  putToolset: "toolsets.put",
  /** @deprecated Use `toolsets.delete`. */
  deleteToolset: "toolsets.delete",
  /** @deprecated Use `agent.stop`. */
  stopAgents: "agent.stop",
  /** @deprecated Use `agent.listCalls`. */
  listAgentCalls: "agent.listCalls",
  /** @deprecated Use `agent.listTools`. */
  listAgentTools: "agent.listTools",
  /** @deprecated Use `users.list`. */
  listUsers: "users.list",
  /** @deprecated Use `users.create`. */
  createUser: "users.create",
  /** @deprecated Use `users.update`. */
  updateUser: "users.update",
  /** @deprecated Use `users.delete`. */
  deleteUser: "users.delete",
  /** @deprecated Use `users.createLink`. */
  createUserLink: "users.createLink",
  /** @deprecated Use `users.deleteTotp`. */
  deleteUserTotp: "users.deleteTotp",
  /** @deprecated Use `accounts.list`. */
  listAccounts: "accounts.list",
  /** @deprecated Use `accounts.create`. */
  createAccount: "accounts.create",
  /** @deprecated Use `accounts.update`. */
  updateAccount: "accounts.update",
  deleteAccount: "accounts.delete",
  listAccountErasures: "accounts.erasures",
  getAccountErasure: "accounts.erasure",
  /** @deprecated Use `signIn.getRules`. */
  getSignInRules: "signIn.getRules",
  /** @deprecated Use `signIn.setRules`. */
  setSignInRules: "signIn.setRules",
  /** @deprecated Use `signIn.getSingleSignOn`. */
  getSingleSignOn: "signIn.getSingleSignOn",
  /** @deprecated Use `signIn.setSingleSignOn`. */
  setSingleSignOn: "signIn.setSingleSignOn",
  /** @deprecated Use `signIn.deleteSingleSignOn`. */
  deleteSingleSignOn: "signIn.deleteSingleSignOn",
  /** @deprecated Use `endUsers.erase`. */
  eraseEndUser: "endUsers.erase",
  /** @deprecated Use `endUsers.listErasures`. */
  listErasures: "endUsers.listErasures",
  /** @deprecated Use `endUsers.getErasure`. */
  getErasure: "endUsers.getErasure",
  /** @deprecated Use `bulkJobs.start`. */
  startBulkJob: "bulkJobs.start",
  /** @deprecated Use `bulkJobs.list`. */
  listBulkJobs: "bulkJobs.list",
  /** @deprecated Use `bulkJobs.get`. */
  getBulkJob: "bulkJobs.get",
  /** @deprecated Use `bulkJobs.stop`. */
  stopBulkJob: "bulkJobs.stop",
  /** @deprecated Use `installation.get`. */
  getInstallation: "installation.get",
} as const;

type MethodAt<Path> = Path extends `${infer Namespace}.${infer Method}`
  ? Namespace extends keyof Namespaces
    ? Method extends keyof Namespaces[Namespace]
      ? Namespaces[Namespace][Method]
      : never
    : never
  : never;

export type FlatMethods = {
  readonly [Name in keyof typeof flatNames]: MethodAt<(typeof flatNames)[Name]>;
};

/** Defines the methods on a client's prototype. */
export function defineFlatMethods(prototype: object): void {
  for (const [name, path] of Object.entries(flatNames)) {
    const [namespace = "", method = ""] = path.split(".");
    const value = function (this: object, ...given: unknown[]): unknown {
      const owner: object = Reflect.get(this, namespace);
      return Reflect.apply(Reflect.get(owner, method), owner, given);
    };
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  }
}
