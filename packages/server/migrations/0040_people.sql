-- compatible since: 0001
-- People who sign in, what each may do and where, their sessions, and links that work once.

-- Set by the statement that makes the first owner: of several at once, one finds it empty.
alter table installation add column owner_claimed_at timestamptz;

create table users (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  email text not null,
  name text not null,
  -- A PHC string of argon2id; null for who signs in another way only.
  password_hash text,
  password_changed_at timestamptz,
  created_at timestamptz not null,
  last_sign_in_at timestamptz,
  disabled_at timestamptz
);
create unique index users_email on users (lower(email));
create index users_account on users (account_id, created_at, id);

create table user_grants (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'developer', 'support', 'read-only')),
  -- Where it holds: everywhere, where nothing is production, or in one environment.
  environments text not null check (environments in ('all', 'non-production', 'one')),
  environment_id uuid references environments (id) on delete cascade,
  -- Production too: code that runs with a connection can read its credentials.
  runs_code boolean not null default false,
  created_at timestamptz not null,
  check ((environments = 'one') = (environment_id is not null))
);
create index user_grants_user on user_grants (user_id);
create index user_grants_environment on user_grants (environment_id) where environment_id is not null;

create table user_sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  token_hash bytea not null unique,
  -- How it was begun: 'setup', 'password', 'link', 'passkey' or 'sso'.
  via text not null,
  address text,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  elevated_until timestamptz,
  ended_at timestamptz
);
create index user_sessions_user on user_sessions (user_id, created_at desc);
create index user_sessions_expiry on user_sessions (expires_at);

create table one_time_links (
  id uuid primary key,
  token_hash bytea not null unique,
  purpose text not null check (purpose in ('setup', 'invitation', 'reset', 'sign-in')),
  account_id uuid not null references accounts (id) on delete cascade,
  -- Null for the setup link: there is no user yet.
  user_id uuid references users (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_links_user on one_time_links (user_id) where user_id is not null;
create index one_time_links_expiry on one_time_links (expires_at);

-- Failed sign-ins by what they have in common, as keyed hashes; a row stops mattering when its time is over.
create table sign_in_failures (
  subject bytea primary key,
  failures integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null
);
create index sign_in_failures_age on sign_in_failures (last_at);

create trigger announce_change after update or delete on users
  for each row execute function announce_change('id', 'last_sign_in_at');
create trigger announce_change after insert or update or delete on user_grants
  for each row execute function announce_change('user_id', '');
create trigger announce_change after update or delete on user_sessions
  for each row execute function announce_change('id', 'last_used_at');
