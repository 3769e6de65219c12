/**
 * By what an event of each router is recognized when its provider sends it again: `header:<name>`, or names in the
 * event with dots between them; several together are the id. A router is missing where the provider's documentation
 * names no id: its repetitions are handled as events of their own.
 */
export const webhookEventIds: Readonly<Record<string, readonly string[]>> = {
  attio: ["header:idempotency-key"],
  checkr: ["id"],
  discord: ["id"],
  fathom: ["header:webhook-id"],
  folk: ["header:webhook-id"],
  github: ["header:x-github-delivery"],
  gitlab: ["header:idempotency-key"],
  "google-calendar": ["header:x-goog-channel-id", "header:x-goog-message-number"],
  "google-drive": ["header:x-goog-channel-id", "header:x-goog-message-number"],
  "google-mail": ["message.messageId"],
  highlevel: ["webhookId"],
  // An event's number alone is not promised to be unique.
  hubspot: ["subscriptionId", "eventId", "occurredAt"],
  intercom: ["id"],
  jira: ["header:x-atlassian-webhook-identifier"],
  linear: ["header:linear-delivery"],
  "microsoft-teams": ["id"],
  microsoft: ["id"],
  notion: ["id"],
  pagerduty: ["event.id"],
  quickbooks: ["id"],
  sentry: ["header:request-id"],
  // Webhooks of several topics share `x-shopify-event-id`.
  shopify: ["header:x-shopify-webhook-id"],
  slack: ["event_id"],
  stripe: ["id"],
  ticketing: ["Guid", "SequenceNumber"],
  twilio: ["header:i-twilio-idempotency-token"],
  typeform: ["event_id"],
  videoask: ["event_id"],
  xero: ["tenantId", "resourceId", "eventType", "eventDateUtc"],
  zendesk: ["header:x-zendesk-webhook-invocation-id"],
};
