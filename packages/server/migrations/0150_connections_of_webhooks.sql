-- compatible since: 0001
-- Which connections a provider's webhook was passed on for. The release before notes none.
create table inbound_webhook_connections (
  webhook_id uuid not null references inbound_webhooks (id) on delete cascade,
  connection_uuid uuid not null,
  -- When the webhook came, the order in which it is listed.
  received_at timestamptz not null,
  primary key (webhook_id, connection_uuid)
);
create index inbound_webhook_connections_list
  on inbound_webhook_connections (connection_uuid, received_at desc, webhook_id desc);
