// Fake providers: local vendors with OAuth, sample data and webhooks, for the demo, for tests and
// for trying functions without an account at a real vendor. Not owned here: the server itself.
export { approveAuthorization } from "./approve-authorization.ts";
export {
  type ChangedContacts,
  type Contact,
  type ContactBook,
  type ContactChanges,
  createContactBook,
} from "./contacts.ts";
export { type ConsentMode, demoAccount } from "./interactions.ts";
export type { ProviderJournal } from "./journal.ts";
export { type WebhookEvent, webhookSignatureHeader } from "./post-webhook.ts";
export {
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from "./start-simulated-provider.ts";
export type { DescribedConnection } from "./vendor/describe-connection.ts";
export { describeIntegration, describeWebhookSecret } from "./vendor/describe-integration.ts";
export type { VendorAnswer, VendorApi, VendorCall } from "./vendor/own-api.ts";
export { type SampleValues, sampleValues } from "./vendor/sample-values.ts";
export { startVendor, type Vendor, type VendorOptions } from "./vendor/start-vendor.ts";
export {
  type FailedStage,
  type PlatformToTry,
  tryProvider,
} from "./vendor/try-provider.ts";
