// Owns webhooks to customers: the outbox, signatures, attempts and their waits.
// Table: webhook_deliveries. What a webhook says, and whether it is wanted, is its sender's matter.
export { createDeliveryWork } from "./delivery-work.ts";
export { webhookSealedColumns } from "./sealed-columns.ts";
export { sendWebhook } from "./send-webhook.ts";
