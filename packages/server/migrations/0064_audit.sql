-- compatible since: 0001
-- Who changed what. Rows are only added; each carries a MAC, and seals chain them so that what is changed, removed,
-- added or moved afterwards shows.
create table audit_events (
  sequence bigint generated always as identity primary key,
  id uuid not null unique,
  account_id uuid,
  environment_id uuid,
  at timestamptz not null,
  -- {"kind", "id", "name", "address", "user_agent"}
  actor jsonb not null,
  via text not null,
  action text not null,
  -- What it was done to, by name.
  target jsonb not null,
  -- Fields that were sent, with a keyed hash of each value.
  fields jsonb not null,
  request_id text,
  outcome text not null check (outcome in ('done', 'refused')),
  code text,
  mac bytea not null,
  -- The seal that covers it; null until then.
  seal_id bigint
);
create index audit_events_account on audit_events (account_id, at desc, id desc);
create index audit_events_action on audit_events (account_id, action, at desc, id desc);
create index audit_events_environment on audit_events (account_id, environment_id, at desc, id desc);
create index audit_events_unsealed on audit_events (sequence) where seal_id is null;
create index audit_events_sealed on audit_events (seal_id, sequence);

create table audit_seals (
  id bigint primary key,
  events integer not null,
  -- Of the events, in their order.
  digest bytea not null,
  -- Keyed hash of the seal before and of the rest of this row.
  seal bytea not null,
  sealed_at timestamptz not null
);
create index audit_seals_age on audit_seals (sealed_at);

create table audit_head (
  only_row boolean primary key default true check (only_row),
  last_seal bigint not null,
  -- Events of seals up to this one were removed by age.
  pruned_until bigint not null,
  mac bytea not null
);
