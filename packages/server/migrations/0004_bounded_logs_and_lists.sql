-- Bytes that each environment has logged in a day, of all processes: past SVC_LOG_DAY_LIMIT rows are left out.
create table log_usage (
  environment_id uuid not null references environments (id) on delete cascade,
  day date not null,
  message_bytes bigint not null,
  operation_bytes bigint not null,
  primary key (environment_id, day)
);
create index log_usage_day on log_usage (day);

-- Lists of deliveries and of the inbox by what they are filtered by most, in their order.
create index webhook_deliveries_type on webhook_deliveries (environment_id, type, created_at desc, id desc);
create index webhook_deliveries_receiver
  on webhook_deliveries (environment_id, receiver_id, created_at desc, id desc);
create index webhook_deliveries_waiting
  on webhook_deliveries (environment_id, created_at desc, id desc) where state = 'waiting';
create index inbound_webhooks_integration
  on inbound_webhooks (environment_id, integration_id, received_at desc, id desc);
create index inbound_webhooks_failed
  on inbound_webhooks (environment_id, received_at desc, id desc) where state = 'failed';
