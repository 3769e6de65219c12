// Owns webhooks to customers: the outbox, signatures, attempts and their waits, the delivery log and its replay.
// Tables: webhook_receivers, webhook_deliveries, webhook_attempts, webhook_sequences, webhook_replays,
// webhook_payloads, delivery_turns, failed_deliveries. What a webhook says, and whether it is wanted, is its sender's matter.

export { readDeliveryBacklog } from "./backlog/store.ts";
export { deleteOldDeliveries, webhookDayTables } from "./delete-old-deliveries.ts";
export { forgetDeliveriesAtLast } from "./distributed/note-deliveries.ts";
export { deleteSequencesOf, eraseDeliveries } from "./erasure/erase-deliveries.ts";
export { findFailingReceivers } from "./receivers/find-failing-receivers.ts";
export { openSendToEach, sendToEach } from "./send-to-each.ts";
export { sendEach, sendWebhook } from "./send-webhook.ts";
export { createDeliveryWork } from "./sending/delivery-work.ts";
export { postSigned } from "./sending/post-signed.ts";
export { webhooksOut } from "./slice.ts";
export { webhookTaskHandlers } from "./task-handlers.ts";
