-- compatible since: 0001
-- mode: concurrently
-- Room is made in the inbox by when requests came, and lists are read by what they are filtered by most, in their order.
drop index concurrently if exists inbound_webhooks_kept;
create index concurrently inbound_webhooks_kept
  on inbound_webhooks (environment_id, is_verified, received_at) where request is not null and state in ('handled', 'duplicate');
drop index concurrently if exists webhook_deliveries_type;
create index concurrently webhook_deliveries_type
  on webhook_deliveries (environment_id, type, created_at desc, id desc);
drop index concurrently if exists webhook_deliveries_receiver;
create index concurrently webhook_deliveries_receiver
  on webhook_deliveries (environment_id, receiver_id, created_at desc, id desc);
drop index concurrently if exists webhook_deliveries_waiting;
create index concurrently webhook_deliveries_waiting
  on webhook_deliveries (environment_id, created_at desc, id desc) where state = 'waiting';
drop index concurrently if exists inbound_webhooks_integration;
create index concurrently inbound_webhooks_integration
  on inbound_webhooks (environment_id, integration_id, received_at desc, id desc);
drop index concurrently if exists inbound_webhooks_failed;
create index concurrently inbound_webhooks_failed
  on inbound_webhooks (environment_id, received_at desc, id desc) where state = 'failed';
