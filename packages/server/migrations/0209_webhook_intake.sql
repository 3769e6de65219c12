-- compatible since: 0001
-- When webhooks last came for an integration, for longer than they are kept, and those that were rejected.
create table webhook_intake (
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null references integrations (id) on delete cascade,
  -- The last one that was stored, and the last one that was verified.
  received_at timestamptz,
  verified_at timestamptz,
  -- The last one that was refused, or that nothing proves although the provider signs.
  rejected_at timestamptz,
  rejected_reason text,
  -- Since when webhooks come of which none is verified.
  unverified_since timestamptz,
  unverified_at timestamptz,
  unverified_reason text,
  -- It begins with the integration, so that no other index is taken for it.
  primary key (integration_id, environment_id)
);
create index webhook_intake_unverified on webhook_intake (unverified_at) where unverified_since is not null;

-- A row for each hour and reason of two days, however many a stranger sends.
create table webhook_rejections (
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null references integrations (id) on delete cascade,
  hour timestamptz not null,
  reason text not null,
  count bigint not null,
  primary key (integration_id, environment_id, hour, reason)
);
