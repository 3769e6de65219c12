// Owns webhooks of providers: their proof, the inbox, and whose connection an event is about.
// Tables: inbound_webhooks, inbound_webhook_connections, inbound_events, inbox_usage, webhook_arrivals, webhook_silences, webhook_watch, webhook_watch_gaps, webhook_intake, webhook_rejections. Routers know one provider each; nothing else here does.

export { forgetArrivals } from "./arrivals/forget-arrivals.ts";
export { flushArrivals } from "./arrivals/note-arrivals.ts";
export { readInboxBacklog } from "./backlog/store.ts";
export { eraseInbox } from "./erasure/erase-inbox.ts";
export { forgetInboxAtLast } from "./erasure/forget-inbox.ts";
export { createInboxWork } from "./inbox/inbox-work.ts";
export { flushIntake } from "./intake/note-intake.ts";
export { describeInbox } from "./listing/describe-inbox.ts";
export { webhooksIn } from "./slice.ts";
