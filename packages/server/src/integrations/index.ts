// Owns integrations: providers configured by the customer, with their sealed OAuth clients.
// Tables: integrations, provider_outages. What hangs on an integration (connections, functions) reacts to its hooks.

export {
  allowedIntegrations,
  type IntegrationConnections,
  type IntegrationStats,
  integrationConnections,
  integrationDeleting,
  integrationLeaving,
  integrationStats,
} from "./hooks.ts";
export {
  findProviderOf,
  type Integration,
  providerOf,
  type WithProvider,
} from "./integration.ts";
export { flushOutages, noteOutage, noteReached } from "./outages/note-outage.ts";
export { egressOf } from "./reading/egress-of.ts";
export {
  failMissingIntegration,
  findCachedIntegration,
  findCachedIntegrationById,
  findIntegration,
  findIntegrationById,
  getCachedIntegration,
  getCachedIntegrationById,
  getIntegration,
  getIntegrationById,
} from "./reading/get-integration.ts";
export { getWebhookSecrets, listRequestedScopes } from "./reading/get-integration-credentials.ts";
export { listCallHosts } from "./reading/list-call-hosts.ts";
export {
  listIntegrationIds,
  listIntegrationKeys,
  listIntegrations,
  listMcpIntegrations,
} from "./reading/list-integrations.ts";
export { paginationOf } from "./reading/pagination-of.ts";
export { toAuthSubject, toCallSubject, toSigningSubject } from "./reading/to-auth-subject.ts";
export { pickField } from "./reveal/pick-field.ts";
export { createIntegration, type IntegrationInput } from "./save/create-integration.ts";
export { findConfigFault, findFieldFault, trimFieldValue } from "./save/find-field-fault.ts";
export { followProvider } from "./save/follow-provider.ts";
export { liftCredentials, takeAliases, withAliases } from "./save/take-aliases.ts";
export { integrationTaskHandlers, removeIntegrationsLater } from "./save/task-handlers.ts";
export { updateIntegration } from "./save/update-integration.ts";
export { integrations } from "./slice.ts";
export {
  type JoinedIntegration,
  joinedIntegrationColumns,
  readJoinedIntegration,
} from "./store.ts";
