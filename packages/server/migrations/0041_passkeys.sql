-- compatible since: 0001
-- Keys in people's devices that sign in.

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- Of the authenticator, in base64url.
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null,
  is_synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id, created_at);

-- Challenges that have been answered: each is taken once. They end by themselves within minutes.
create table used_challenges (
  challenge_hash bytea primary key,
  used_at timestamptz not null
);
create index used_challenges_age on used_challenges (used_at);
