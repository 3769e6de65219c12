-- compatible since: 0001
-- The identity provider of an account, and who its people are there.

create table oidc_providers (
  id uuid primary key,
  account_id uuid not null unique references accounts (id) on delete cascade,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_secret bytea,
  -- What of an ID token names groups, and what these may do; null where grants are given by hand.
  group_claim text,
  group_grants jsonb not null default '[]',
  adds_users boolean not null,
  default_grants jsonb not null default '[]',
  allowed_domains text[] not null default '{}',
  is_required boolean not null,
  updated_at timestamptz not null
);

create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index oidc_identities_user on oidc_identities (user_id);
