// Fake providers: local vendors with OAuth, sample data and webhooks, for the demo, for tests and
// for trying functions without an account at a real vendor. Not owned here: the server itself.

export {
  type ChangedContacts,
  type Contact,
  type ContactBook,
  type ContactChanges,
  createContactBook,
} from "./api/contacts.ts";
export { approveAuthorization } from "./authorization/approve-authorization.ts";
export { type ConsentMode, demoAccount } from "./authorization/interactions.ts";
export { hubspotApi } from "./first-steps/hubspot-contacts.ts";
export { type FirstSteps, startFirstSteps } from "./first-steps/start-first-steps.ts";
export type { ProviderJournal } from "./journal.ts";
export { type McpBehaviours, mcpBehaviours } from "./mcp/behaviours.ts";
export {
  type McpServerOptions,
  type SimulatedMcpServer,
  startMcpServer,
} from "./mcp/start-mcp-server.ts";
export { type WebhookEvent, webhookSignatureHeader } from "./post-webhook.ts";
export {
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from "./start-simulated-provider.ts";
export { sampleAccount } from "./vendor/calls/identity.ts";
export type { VendorAnswer, VendorApi, VendorCall } from "./vendor/calls/own-api.ts";
export type { DescribedConnection } from "./vendor/describe-connection.ts";
export { describeIntegration, describeWebhookSecret } from "./vendor/describe-integration.ts";
export { type SampleValues, sampleValues } from "./vendor/samples/sample-values.ts";
export { startVendor, type Vendor, type VendorOptions } from "./vendor/start-vendor.ts";
export {
  type FailedStage,
  type PlatformToTry,
  tryProvider,
} from "./vendor/try-provider.ts";
