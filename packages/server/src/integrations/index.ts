// Owns integrations: providers configured by the customer, with their sealed OAuth clients.
// Tables: integrations. What hangs on an integration (connections, functions) reacts to its hooks.
export { createIntegration, type IntegrationInput } from "./create-integration.ts";
export { getIntegration, getIntegrationById } from "./get-integration.ts";
export { allowedIntegrations, integrationDeleting } from "./hooks.ts";
export type { Integration } from "./integration.ts";
export { integrationHandlers } from "./routes.ts";
export { toAuthSubject, toCallSubject } from "./to-auth-subject.ts";
